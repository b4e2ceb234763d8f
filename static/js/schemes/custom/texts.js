// The texts of an item. Spans are positions in the sentence, which has the tokens of all texts in a row.

/** @import { Span as Range } from "../../spans.js" */
/** @import { Text } from "./custom-types.js" */
/** @import { MarkedText } from "./marked-text.js" */

import { element } from "../../html.js";
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

export class Texts {
  /**
   * `createMarked` returns a text in which words can be selected, or null if it is only read.
   *
   * @param {HTMLElement} root
   * @param {{id: string, tokens: Tokens, texts: Text[], help: string | null,
   *   createMarked: (box: HTMLElement, text: Text) => MarkedText | null}} options
   */
  constructor(root, { id, tokens, texts, help, createMarked }) {
    this.tokens = tokens;
    this.texts = texts;
    this.help = help;
    this.createMarked = createMarked;
    /** @type {Map<string, MarkedText>} */
    this.marked = new Map();
    /** @type {Map<string, HTMLElement>} */
    this.boxes = new Map();
    root.classList.toggle("texts--several", texts.length > 1);
    root.replaceChildren(...texts.map((text, at) => this.create(text, `${id}-${at}`)));
  }

  /** @param {Text} text @param {string} id */
  create(text, id) {
    const isAlone = this.texts.length === 1;
    const { key, label, language, dir, start, end } = text;
    const { language: pageLanguage = null, direction = "auto" } = document.body.dataset;
    const title = element(
      "h3",
      { class: isAlone ? "visually-hidden" : "texts__title", id: `${id}-title` },
      label || key,
    );
    // A text in the language of the project has its direction.
    const written = language ? { lang: language, dir: dir || "auto" } : { lang: pageLanguage, dir: direction };
    const attributes = { id, ...written, "aria-labelledby": `${id}-title` };
    const box = element("div", { class: "sentence", ...attributes });
    const marked = end > start ? this.createMarked(box, text) : null;
    if (marked) {
      if (this.help) box.setAttribute("aria-describedby", this.help);
      this.marked.set(key, marked);
    } else {
      box.classList.add("sentence--read");
      box.setAttribute("role", "group");
      const isWritten = this.tokens.characters && this.tokens.offsets;
      const { characters = [], offsets = [] } = this.tokens;
      // Lines of the text stay lines.
      box.textContent = isWritten
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
