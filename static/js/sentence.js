// The sentence as a multi-select listbox of words. Spans are selected by clicking the first and the
// last word, by dragging, by touch, or by arrow keys with Shift.

/** @import { Span } from "./spans.js" */

import { element } from "./html.js";
import { contains, spanBetween } from "./spans.js";
import { changesDirection, shownTokens } from "./written-text.js";

const TYPE_AHEAD = 800;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** @typedef {{start: number, end: number, kind: "own" | "other" | "conflict" | "target", label: string}} Mark */

/**
 * @typedef {object} SentenceCalls
 * @property {(span: Span) => void} onChoose
 * @property {(token: number) => void} onRemove  Backspace on a token
 * @property {(where: "back" | "next") => void} onLeave  Escape without a selection, or Enter on an own mark
 * @property {(span: Span | null, pending: boolean) => void} onSelect
 */

export class Sentence {
  /**
   * `targets` are the tokens of a target of several words, and `target` is the main one.
   *
   * @param {HTMLElement} box
   * @param {{tokens: import("./written-text.js").Tokens, target?: number | null, targets?: number[], targetLabel?: string} & SentenceCalls} options
   */
  constructor(box, { tokens, target = null, targets, targetLabel = "target", ...calls }) {
    this.box = box;
    this.tokens = tokens;
    this.target = target;
    this.targets = new Set(targets ?? (target === null ? [] : [target]));
    this.targetLabel = targetLabel;
    this.calls = calls;
    /** @type {number | null} */
    this.cursor = null;
    /** @type {number | null} The token where a selection began. */
    this.anchor = null;
    this.isTap = false; // whether a touch has ended that was not a scroll
    this.pending = false; // whether the first word was clicked and the last one was not yet
    /** @type {{from: number, moved: boolean} | null} */
    this.drag = null;
    /** @type {Span | null} */
    this.selection = null;
    /** @type {Mark[]} */
    this.marks = [];
    this.disabled = false;
    this.typed = { text: "", at: 0 };
    this.painted = "";
    this.shown = shownTokens(tokens);
    this.isMixed = this.shown.some(({ text }) => RIGHT_TO_LEFT.test(text));
    this.words = this.shown.map((token, index) => this.createWord(token, index));
    this.names = this.words.map((option) => option.className);
    this.render();
    this.listen();
  }

  /**
   * A word that the text does not show is written in small letters.
   *
   * @param {import("./written-text.js").ShownToken} token
   * @param {number} index
   */
  createWord({ text, gap, name }, index) {
    const word = element("span", { class: text ? "word" : "word word--unwritten" }, text || name);
    const attributes = {
      id: `${this.box.id}-${index}`,
      class: "token",
      role: "option",
      "aria-selected": "false",
      "aria-label": name === text ? null : name,
      "data-token": index,
      "data-joined": gap === "",
      "data-isolated": changesDirection(text),
    };
    return element("span", attributes, word, gap);
  }

  render() {
    this.box.setAttribute("role", "listbox");
    this.box.setAttribute("aria-multiselectable", "true");
    this.box.setAttribute("aria-orientation", "horizontal");
    this.box.tabIndex = 0;
    this.box.replaceChildren(...this.words);
    this.paint([]);
    if (this.target !== null && this.isLong()) this.showTarget(this.target);
  }

  isLong() {
    return this.box.scrollHeight > this.box.clientHeight;
  }

  /** @param {number} token */
  showTarget(token) {
    const target = this.words[token].getBoundingClientRect();
    const box = this.box.getBoundingClientRect();
    this.box.scrollTop += target.top - box.top - (box.height - target.height) / 2;
  }

  listen() {
    const { box } = this;
    box.addEventListener("pointerdown", (event) => this.pointerDown(event));
    box.addEventListener("pointermove", (event) => this.pointerMove(event));
    box.addEventListener("pointerup", (event) => this.pointerUp(event));
    box.addEventListener("pointercancel", () => this.pointerCancel());
    // What a tap opens may scroll the page. Its click would then reach whatever is under the finger.
    box.addEventListener("touchend", (event) => {
      if (this.isTap && event.cancelable) event.preventDefault();
      this.isTap = false;
    });
    box.addEventListener("keydown", (event) => this.keyDown(event));
    box.addEventListener("focus", () => {
      this.typed = { text: "", at: 0 };
      if (this.cursor === null) this.moveTo(this.firstOnFocus());
      this.refresh();
    });
    box.addEventListener("blur", () => this.refresh());
  }

  /** @param {boolean} disabled */
  disable(disabled) {
    this.disabled = disabled;
    this.box.setAttribute("aria-disabled", String(disabled));
    if (disabled) this.clear();
  }

  // --- rendering

  /** @param {Mark[]} marks */
  paint(marks) {
    const key = JSON.stringify(marks);
    if (this.painted === key) return;
    this.painted = key;
    this.marks = marks;
    this.refresh();
  }

  refresh() {
    const names = this.tokens.map(() => "token");
    /** @type {Map<number, string>} */
    const labels = new Map();
    for (const { start, end, kind, label } of this.marks) {
      for (let token = start; token < end; token += 1) {
        names[token] += ` token--${kind}`;
        if (token === end - 1) names[token] += " token--last";
        if (label) labels.set(token, label);
      }
    }
    for (const token of this.targets) if (token in names) names[token] += " token--target";
    if (this.selection) {
      const [start, end] = this.selection;
      for (let token = start; token < end; token += 1) names[token] += " token--selected";
      names[end - 1] += " token--selected-last";
    }
    if (this.cursor !== null && document.activeElement === this.box) {
      names[this.cursor] += " token--cursor";
    }
    for (const [token, name] of names.entries()) this.setName(token, name, labels.get(token));
  }

  /** @param {number} token @param {string} name */
  setName(token, name, label = "") {
    const full = `${name}|${label}`;
    if (this.names[token] === full) return;
    this.names[token] = full;
    const option = this.words[token];
    option.className = name;
    option.setAttribute("aria-selected", String(this.isSelected(token)));
    // A mark can have the target's own label.
    const labels = new Set([this.targets.has(token) ? this.targetLabel : "", label]);
    const notes = [...labels].filter(Boolean).join(", ");
    const { text, name: own } = this.shown[token];
    if (notes) option.setAttribute("aria-label", `${own}, ${notes}`);
    else if (own !== text) option.setAttribute("aria-label", own);
    else option.removeAttribute("aria-label");
  }

  /** @param {number} token */
  isSelected(token) {
    return Boolean(this.selection && contains(this.selection, token));
  }

  // --- selecting

  /** @param {Span | null} span */
  select(span, { pending = false } = {}) {
    this.selection = span;
    this.pending = pending;
    this.refresh();
    this.calls.onSelect(span, pending);
  }

  clear() {
    this.anchor = null;
    this.drag = null;
    this.select(null);
  }

  /** @param {Span} span */
  choose(span) {
    this.anchor = null;
    this.drag = null;
    this.cursor = span[1] - 1;
    this.calls.onChoose(span);
    this.select(null);
  }

  // Choose the current selection.
  takeSelection() {
    if (this.selection) this.choose(this.selection);
  }

  // --- pointer: mouse, pen and finger alike

  /** @param {PointerEvent} event */
  tokenAt(event) {
    const hit = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-token]");
    return hit instanceof HTMLElement && this.box.contains(hit) ? Number(hit.dataset.token) : null;
  }

  /** @param {PointerEvent} event */
  pointerDown(event) {
    if (this.disabled || !event.isPrimary || event.button !== 0) return;
    const token = this.tokenAt(event);
    if (token === null) return;
    // A touch is captured by the first word, and other words would not receive the drag.
    const target = /** @type {Element} */ (event.target);
    if (target.hasPointerCapture(event.pointerId)) target.releasePointerCapture(event.pointerId);
    if (event.pointerType === "mouse") event.preventDefault(); // prevent text selection
    this.box.focus({ preventScroll: true });
    this.drag = { from: token, moved: false };
  }

  /** @param {PointerEvent} event */
  pointerMove(event) {
    if (this.disabled || !event.isPrimary) return;
    const token = this.tokenAt(event);
    if (token === null) return;
    if (this.drag) {
      if (token !== this.drag.from) this.drag.moved = true;
      if (this.drag.moved) this.select(spanBetween(this.drag.from, token));
    } else if (this.pending && this.anchor !== null && event.pointerType === "mouse") {
      this.select(spanBetween(this.anchor, token), { pending: true });
    }
  }

  /** @param {PointerEvent} event */
  pointerUp(event) {
    if (!this.drag || !event.isPrimary) return;
    const { from, moved } = this.drag;
    const token = this.tokenAt(event) ?? from;
    this.drag = null;
    this.isTap = event.pointerType === "touch";
    if (moved) this.choose(this.selection ?? spanBetween(from, token));
    else if (this.pending && this.anchor !== null) this.choose(spanBetween(this.anchor, token));
    else this.begin(token);
  }

  /** @param {number} token */
  begin(token) {
    this.anchor = token;
    this.cursor = token;
    this.select([token, token + 1], { pending: true });
  }

  // The browser scrolls with this gesture.
  pointerCancel() {
    if (!this.drag) return;
    this.drag = null;
    if (!this.pending) this.clear();
  }

  // --- keys

  /** @param {KeyboardEvent} event */
  keyDown(event) {
    if (this.disabled || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = this.destination(event.key);
    if (to !== null) this.keyMove(to, event.shiftKey);
    else if (event.key === "Enter" || event.key === " ") this.keyTake();
    else if (event.key === "Escape") this.keyEscape();
    else if (event.key === "Backspace" || event.key === "Delete") this.calls.onRemove(this.cursor ?? 0);
    else if (event.key.length === 1) this.typeAhead(event.key);
    else return;
    event.preventDefault();
  }

  /** @param {string} key */
  destination(key) {
    const here = this.cursor ?? 0;
    const last = this.tokens.length - 1;
    if (key === "ArrowRight" || key === "ArrowLeft") return this.beside(here, key === "ArrowRight");
    if (key === "Home") return 0;
    if (key === "End") return last;
    if (key === "ArrowDown" || key === "ArrowUp") return this.otherLine(here, key === "ArrowDown");
    return null;
  }

  /**
   * Return the word to the right or left, and after the end of a line that of another line.
   *
   * @param {number} here
   * @param {boolean} isRight
   */
  beside(here, isRight) {
    const order = this.isMixed ? this.visualOrder() : [...this.words.keys()];
    const isForward = isRight !== (getComputedStyle(this.box).direction === "rtl");
    return order[order.indexOf(here) + (isForward ? 1 : -1)] ?? here;
  }

  // The words as they stand in the lines, which differs from their order if directions are mixed.
  visualOrder() {
    const sign = getComputedStyle(this.box).direction === "rtl" ? -1 : 1;
    const places = this.words.map((word, token) => {
      const { top, left, width, height } = word.getClientRects()[0];
      return { token, top, height, middle: sign * (left + width / 2) };
    });
    let line = -Infinity;
    for (const place of places.sort((a, b) => a.top - b.top)) {
      if (place.top - line > place.height / 2) line = place.top;
      place.top = line;
    }
    return places.sort((a, b) => a.top - b.top || a.middle - b.middle).map(({ token }) => token);
  }

  /**
   * Return the word above or below that is nearest to the middle of this one.
   *
   * @param {number} here
   * @param {boolean} down
   */
  otherLine(here, down) {
    const box = this.words[here].getBoundingClientRect();
    const middle = box.left + box.width / 2;
    const step = down ? 1 : -1;
    /** @type {number | null} */
    let line = null;
    let best = here;
    let nearest = Infinity;
    for (let token = here + step; token >= 0 && token < this.words.length; token += step) {
      const other = /** @type {Element} */ (this.words[token].firstElementChild).getBoundingClientRect();
      if (Math.abs(other.top - box.top) < box.height / 2) continue;
      line ??= other.top;
      if (Math.abs(other.top - line) > box.height / 2) break;
      const away = Math.abs(other.left + other.width / 2 - middle);
      if (away < nearest) [nearest, best] = [away, token];
    }
    return best;
  }

  /** @param {number} to @param {boolean} extend */
  keyMove(to, extend) {
    if (extend) {
      this.anchor ??= this.cursor ?? to;
      this.moveTo(to);
      this.select(spanBetween(this.anchor, to));
    } else {
      this.anchor = null;
      this.moveTo(to);
      this.select(null);
    }
  }

  keyTake() {
    const cursor = this.cursor ?? 0;
    if (this.selection) this.choose(this.selection);
    else if (this.isOwn(cursor)) this.calls.onLeave("next");
    else this.choose([cursor, cursor + 1]);
  }

  keyEscape() {
    if (this.selection) this.clear();
    else this.calls.onLeave("back");
  }

  /** @param {number} token */
  isOwn(token) {
    return this.marks.some((mark) => mark.kind === "own" && contains([mark.start, mark.end], token));
  }

  /**
   * Go to the next word that begins with the typed characters.
   *
   * @param {string} character
   */
  typeAhead(character) {
    const now = Date.now();
    const goesOn = now - this.typed.at < TYPE_AHEAD;
    this.typed = { text: (goesOn ? this.typed.text : "") + character.toLowerCase(), at: now };
    const count = this.tokens.length;
    const first = goesOn ? 0 : 1;
    for (let away = first; away < count + first; away += 1) {
      const token = ((this.cursor ?? 0) + away) % count;
      if (this.shown[token].name.toLowerCase().startsWith(this.typed.text)) {
        this.keyMove(token, false);
        return;
      }
    }
  }

  /** @param {number} token */
  moveTo(token) {
    this.cursor = token;
    this.box.setAttribute("aria-activedescendant", this.words[token].id);
    this.showInBox(this.words[token]);
    this.refresh();
  }

  /**
   * Scroll the box, not the page: the box may stick to the top of the window.
   *
   * @param {HTMLElement} option
   */
  showInBox(option) {
    const { top, bottom } = option.getBoundingClientRect();
    const box = this.box.getBoundingClientRect();
    if (top < box.top) this.box.scrollTop -= box.top - top;
    else if (bottom > box.bottom) this.box.scrollTop += bottom - box.bottom;
  }

  focus() {
    this.box.focus({ preventScroll: true });
    const { top, bottom } = this.box.getBoundingClientRect();
    if (top < 0 || bottom > window.innerHeight) this.box.scrollIntoView({ block: "nearest" });
  }

  firstOnFocus() {
    if (this.selection) return this.selection[0];
    return this.target !== null && this.isLong() ? this.target : 0;
  }
}
