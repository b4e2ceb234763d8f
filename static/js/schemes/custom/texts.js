// The texts of an item. Spans are positions in the sentence, which has the tokens of all texts in a row.

/** @import { Span as Range } from "../../spans.js" */
/** @import { Text } from "./custom-types.js" */

import { element } from "../../html.js";
import { Sentence } from "../../sentence.js";
import { areSingleKeysOn } from "../../shortcuts.js";
import { contains } from "../../spans.js";
import { spanText } from "../../written-text.js";

/** @typedef {import("../../written-text.js").Tokens} Tokens */

/** @typedef {{start: number, end: number, look: string, label: string, tag: string}} Mark */

/**
 * What happens in a text. Positions are those of the sentence.
 *
 * @typedef {object} TextCalls
 * @property {(text: string) => void} onFocus
 * @property {(text: string, span: Range | null) => void} onSelect  nothing, or words to label
 * @property {(text: string, span: Range) => void} onChoose  words that need no label
 * @property {(text: string, token: number, key: string) => boolean} onKey  a letter, digit or sign
 * @property {(text: string) => boolean} needsLabel
 * @property {(text: string, token: number) => void} onRemove
 * @property {(text: string, where: "back" | "next", token: number) => void} onLeave
 */

/**
 * Return the tokens of a text, with its part of the written text.
 *
 * @param {Tokens} tokens
 * @param {Text} text
 * @returns {Tokens}
 */
function tokensOf(tokens, { start, end }) {
  const part = tokens.slice(start, end);
  if (!tokens.characters || !tokens.offsets) return part;
  return Object.assign(part, {
    characters: tokens.characters,
    offsets: tokens.offsets.slice(start, end),
    shown: tokens.shown?.slice(start, end),
  });
}

/** A text in which words are selected, to be marked once they have a label. */
class MarkedText extends Sentence {
  /** @param {HTMLElement} box @param {Tokens} tokens @param {Text} text @param {TextCalls} calls */
  constructor(box, tokens, text, calls) {
    const { key, start } = text;
    super(box, {
      tokens: tokensOf(tokens, text),
      onChoose: ([from, to]) => calls.onChoose(key, [from + start, to + start]),
      onRemove: (token) => calls.onRemove(key, token + start),
      onLeave: (where) => calls.onLeave(key, where, (this.cursor ?? 0) + start),
      onSelect: (span) => calls.onSelect(key, span && [span[0] + start, span[1] + start]),
    });
    this.text = text;
    this.own = calls;
    /** @type {Map<number, string>} */
    this.tags = new Map();
    box.addEventListener("focus", () => calls.onFocus(key));
  }

  /** @param {Range} span */
  choose(span) {
    if (!this.own.needsLabel(this.text.key)) return super.choose(span);
    this.anchor = null;
    this.drag = null;
    this.cursor = span[1] - 1;
    this.select(span);
  }

  keyTake() {
    // Selected words wait for their label.
    if (this.selection && !this.pending && this.own.needsLabel(this.text.key)) {
      this.own.onLeave(this.text.key, "next", this.selection[0] + this.text.start);
    } else super.keyTake();
  }

  // Only a drag extends a selection. The pointer crosses other words on its way to the labels.
  /** @param {PointerEvent} event */
  pointerMove(event) {
    if (this.drag) super.pointerMove(event);
  }

  /** @param {KeyboardEvent} event */
  keyDown(event) {
    const isSign = event.key.length === 1 && event.key !== " " && areSingleKeysOn();
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !this.disabled;
    if (isSign && isPlain && this.own.onKey(this.text.key, (this.cursor ?? 0) + this.text.start, event.key)) {
      event.preventDefault();
    } else super.keyDown(event);
  }

  /** @param {number} token */
  isOwn(token) {
    return this.marks.some(({ kind, start, end }) => kind.startsWith("own") && contains([start, end], token));
  }

  /** @param {Mark[]} marks  with positions in the sentence */
  show(marks) {
    const { start: first, end: last } = this.text;
    const inside = marks.filter(({ start, end }) => start >= first && end <= last);
    this.paint(
      inside.map(({ start, end, look, label }) => ({
        start: start - first,
        end: end - first,
        kind: /** @type {any} */ (look),
        label,
      })),
    );
    /** @type {Map<number, string>} */
    const tags = new Map();
    for (const { end, tag } of inside) {
      if (!tag) continue;
      const token = end - 1 - first;
      const before = tags.get(token);
      tags.set(token, before ? `${before} · ${tag}` : tag);
    }
    for (const token of new Set([...this.tags.keys(), ...tags.keys()])) {
      const word = /** @type {HTMLElement} */ (this.words[token].firstElementChild);
      if (tags.has(token)) word.dataset.tag = tags.get(token);
      else delete word.dataset.tag;
    }
    this.tags = tags;
  }
}

export class Texts {
  /**
   * `selectable` has the keys of the texts in which words can be selected.
   *
   * @param {HTMLElement} root
   * @param {{id: string, tokens: Tokens, texts: Text[], selectable: Set<string>, help: string | null} & TextCalls} options
   */
  constructor(root, { id, tokens, texts, selectable, help, ...calls }) {
    this.tokens = tokens;
    this.texts = texts;
    this.help = help;
    /** @type {Map<string, MarkedText>} */
    this.marked = new Map();
    /** @type {Map<string, HTMLElement>} */
    this.boxes = new Map();
    root.classList.toggle("texts--several", texts.length > 1);
    root.replaceChildren(...texts.map((text, at) => this.create(text, `${id}-${at}`, selectable, calls)));
  }

  /** @param {Text} text @param {string} id @param {Set<string>} selectable @param {TextCalls} calls */
  create(text, id, selectable, calls) {
    const isAlone = this.texts.length === 1;
    const { key, label, language, dir, start, end } = text;
    const { language: pageLanguage = null } = document.body.dataset;
    const title = element(
      "h3",
      { class: isAlone ? "visually-hidden" : "texts__title", id: `${id}-title` },
      label || key,
    );
    const attributes = { id, lang: language || pageLanguage, dir: dir || "auto", "aria-labelledby": `${id}-title` };
    const box = element("div", { class: "sentence", ...attributes });
    if (selectable.has(key) && end > start) {
      if (this.help) box.setAttribute("aria-describedby", this.help);
      this.marked.set(key, new MarkedText(box, this.tokens, text, calls));
    } else {
      box.classList.add("sentence--read");
      box.setAttribute("role", "group");
      const written = this.tokens.characters && this.tokens.offsets;
      const { characters = [], offsets = [] } = this.tokens;
      // Lines of the text stay lines.
      box.textContent = written
        ? characters
            .slice(offsets[start]?.[0] ?? 0, offsets[end - 1]?.[1] ?? 0)
            .join("")
            .trim()
        : spanText(this.tokens, [start, end]);
    }
    this.boxes.set(key, box);
    return element("section", { class: "texts__text", "data-text": key }, title, box);
  }

  /** @param {Range} span */
  written(span) {
    return spanText(this.tokens, span);
  }

  /** @param {string} key */
  titleOf(key) {
    return this.texts.find((text) => text.key === key)?.label || key;
  }

  /** @param {Mark[]} marks */
  show(marks) {
    for (const text of this.marked.values()) text.show(marks);
  }

  clear() {
    for (const text of this.marked.values()) if (text.selection) text.clear();
  }

  /** @param {boolean} isLocked */
  lock(isLocked) {
    for (const text of this.marked.values()) if (text.disabled !== isLocked) text.disable(isLocked);
  }

  /** @param {string} key @param {number} [token]  in the sentence */
  focus(key, token) {
    const text = this.marked.get(key);
    if (!text) return;
    if (token !== undefined) text.cursor = token - text.text.start;
    text.focus();
    if (token !== undefined) text.moveTo(token - text.text.start);
  }

  // Texts that scroll can be scrolled by keyboard.
  measure() {
    for (const box of this.boxes.values()) {
      if (!box.classList.contains("sentence--read")) continue;
      if (box.scrollHeight > box.clientHeight + 1) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  }
}
