// A text in which words are selected, to be marked once they have a label.

/** @import { Span as Range } from "../../spans.js" */
/** @import { Text } from "./custom-types.js" */
/** @import { Mark, TextCalls, Tokens } from "./texts.js" */

import { Sentence } from "../../sentence.js";
import { areSingleKeysOn } from "../../shortcuts.js";
import { contains } from "../../spans.js";

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

export class MarkedText extends Sentence {
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
