// The sentence, and the choosing of spans in it: click first and last word, drag, touch, or keys.
//
//   const sentence = new Sentence(element, {tokens, target: 4, onChoose, onRemove, onLeave, onNote})
//   sentence.paint([{start, end, kind: "own" | "other" | "conflict", label}])
//
// `element` becomes a listbox of words (ARIA: multi-select listbox; arrows move, Shift extends).
//   onChoose([start, end])  a span was chosen; returns true when it was taken
//   onRemove(token)         Backspace on a token
//   onLeave("back" | "next") Escape with nothing selected; Enter on an own answer
//   onSelect(span | null, isPending)   the selection changed

import { spanBetween, contains } from "./spans.js";

const TYPE_AHEAD = 800;

export class Sentence {
  constructor(box, { tokens, target = null, onChoose, onRemove, onLeave, onSelect }) {
    this.box = box;
    this.tokens = tokens;
    this.target = target;
    this.calls = { onChoose, onRemove, onLeave, onSelect };
    this.cursor = null;
    this.anchor = null; // where a selection began, by click or by Shift
    this.pending = false; // one click made, the other one awaited
    this.drag = null;
    this.selection = null;
    this.marks = [];
    this.disabled = false;
    this.typed = { text: "", at: 0 };
    this.render();
    this.listen();
  }

  render() {
    this.words = this.tokens.map((token, index) => {
      const word = document.createElement("span");
      word.className = "word";
      word.textContent = token;
      const option = document.createElement("span");
      option.className = "token";
      option.id = `${this.box.id}-${index}`;
      option.setAttribute("role", "option");
      option.setAttribute("aria-selected", "false");
      option.dataset.token = index;
      option.append(word, " ");
      return option;
    });
    this.box.setAttribute("role", "listbox");
    this.box.setAttribute("aria-multiselectable", "true");
    this.box.setAttribute("aria-orientation", "horizontal");
    this.box.tabIndex = 0;
    this.box.replaceChildren(...this.words);
    this.names = this.words.map((option) => option.className);
    this.paint([]);
    if (this.target !== null && this.isLong()) this.showTarget();
  }

  isLong() {
    return this.box.scrollHeight > this.box.clientHeight;
  }

  showTarget() {
    const target = this.words[this.target].getBoundingClientRect();
    const box = this.box.getBoundingClientRect();
    this.box.scrollTop += target.top - box.top - (box.height - target.height) / 2;
  }

  listen() {
    const { box } = this;
    box.addEventListener("pointerdown", (event) => this.pointerDown(event));
    box.addEventListener("pointermove", (event) => this.pointerMove(event));
    box.addEventListener("pointerup", (event) => this.pointerUp(event));
    box.addEventListener("pointercancel", () => this.pointerCancel());
    box.addEventListener("keydown", (event) => this.keyDown(event));
    box.addEventListener("focus", () => {
      this.typed = { text: "", at: 0 }; // what was typed on an earlier visit is no beginning
      if (this.cursor === null) this.moveTo(this.firstOnFocus());
      this.refresh();
    });
    box.addEventListener("blur", () => this.refresh());
  }

  disable(disabled) {
    this.disabled = disabled;
    this.box.setAttribute("aria-disabled", String(disabled));
    if (disabled) this.clear();
  }

  // --- what one sees

  paint(marks) {
    const key = JSON.stringify(marks);
    if (this.painted === key) return;
    this.painted = key;
    this.marks = marks;
    this.refresh();
  }

  refresh() {
    const names = this.tokens.map(() => "token");
    const labels = new Map();
    for (const { start, end, kind, label } of this.marks) {
      for (let token = start; token < end; token += 1) {
        names[token] += ` token--${kind}`;
        if (token === end - 1) names[token] += " token--last";
        if (label) labels.set(token, label);
      }
    }
    if (this.target !== null && this.target in names) names[this.target] += " token--target";
    if (this.selection) {
      const [start, end] = this.selection;
      for (let token = start; token < end; token += 1) names[token] += " token--selected";
      names[end - 1] += " token--selected-last";
    }
    if (this.cursor !== null && document.activeElement === this.box) {
      names[this.cursor] += " token--cursor";
    }
    names.forEach((name, token) => this.setName(token, name, labels.get(token)));
  }

  setName(token, name, label = "") {
    const full = `${name}|${label}`;
    if (this.names[token] === full) return;
    this.names[token] = full;
    const option = this.words[token];
    option.className = name;
    option.setAttribute("aria-selected", String(Boolean(this.selection && contains(this.selection, token))));
    const said = [token === this.target ? "the verb asked about" : "", label].filter(Boolean).join(", ");
    if (said) option.setAttribute("aria-label", `${this.tokens[token]}, ${said}`);
    else option.removeAttribute("aria-label");
  }

  // --- selecting

  select(span, { pending = false } = {}) {
    this.selection = span;
    this.pending = pending;
    this.refresh();
    this.calls.onSelect?.(span, pending);
  }

  clear() {
    this.anchor = null;
    this.drag = null;
    this.select(null);
  }

  choose(span) {
    this.anchor = null;
    this.drag = null;
    this.cursor = span[1] - 1;
    const taken = this.calls.onChoose(span);
    this.select(null);
    return taken;
  }

  // The selection as it stands, taken: for a button beside the sentence.
  takeSelection() {
    if (this.selection) this.choose(this.selection);
  }

  // --- pointer: mouse, pen and finger alike

  tokenAt(event) {
    const hit = document.elementFromPoint(event.clientX, event.clientY)?.closest?.("[data-token]");
    return hit && this.box.contains(hit) ? Number(hit.dataset.token) : null;
  }

  pointerDown(event) {
    if (this.disabled || !event.isPrimary || event.button !== 0) return;
    const token = this.tokenAt(event);
    if (token === null) return;
    // A finger's drag must go on over other words; the browser would tie it to the first one.
    if (event.target.hasPointerCapture?.(event.pointerId)) {
      event.target.releasePointerCapture(event.pointerId);
    }
    if (event.pointerType === "mouse") event.preventDefault(); // no text selection of the browser's
    this.box.focus({ preventScroll: true });
    this.drag = { from: token, moved: false };
  }

  pointerMove(event) {
    if (this.disabled || !event.isPrimary) return;
    const token = this.tokenAt(event);
    if (token === null) return;
    if (this.drag) {
      if (token !== this.drag.from) this.drag.moved = true;
      if (this.drag.moved) this.select(spanBetween(this.drag.from, token));
    } else if (this.pending && event.pointerType === "mouse") {
      this.select(spanBetween(this.anchor, token), { pending: true });
    }
  }

  pointerUp(event) {
    if (!this.drag || !event.isPrimary) return;
    const { from, moved } = this.drag;
    const token = this.tokenAt(event) ?? from;
    this.drag = null;
    if (moved) this.choose(this.selection ?? spanBetween(from, token));
    else if (this.pending) this.choose(spanBetween(this.anchor, token));
    else this.begin(token);
  }

  begin(token) {
    this.anchor = token;
    this.cursor = token;
    this.select([token, token + 1], { pending: true });
  }

  // The browser took the gesture for scrolling.
  pointerCancel() {
    if (!this.drag) return;
    this.drag = null;
    if (!this.pending) this.clear();
  }

  // --- keys

  keyDown(event) {
    if (this.disabled || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = this.destination(event.key);
    if (to !== null) this.keyMove(to, event.shiftKey);
    else if (event.key === "Enter" || event.key === " ") this.keyTake();
    else if (event.key === "Escape") this.keyEscape();
    else if (event.key === "Backspace" || event.key === "Delete") this.calls.onRemove?.(this.cursor);
    else if (event.key.length === 1) this.typeAhead(event.key);
    else return;
    event.preventDefault();
  }

  destination(key) {
    const here = this.cursor ?? 0;
    const last = this.tokens.length - 1;
    if (key === "ArrowRight") return Math.min(here + 1, last);
    if (key === "ArrowLeft") return Math.max(here - 1, 0);
    if (key === "Home") return 0;
    if (key === "End") return last;
    if (key === "ArrowDown" || key === "ArrowUp") return this.otherLine(here, key === "ArrowDown");
    return null;
  }

  // The word above or below, nearest to the middle of this one.
  otherLine(here, down) {
    const box = this.words[here].getBoundingClientRect();
    const middle = box.left + box.width / 2;
    const step = down ? 1 : -1;
    let line = null;
    let best = here;
    let nearest = Infinity;
    for (let token = here + step; token >= 0 && token < this.words.length; token += step) {
      const other = this.words[token].firstChild.getBoundingClientRect();
      if (Math.abs(other.top - box.top) < box.height / 2) continue;
      line ??= other.top;
      if (Math.abs(other.top - line) > box.height / 2) break;
      const away = Math.abs(other.left + other.width / 2 - middle);
      if (away < nearest) [nearest, best] = [away, token];
    }
    return best;
  }

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
    if (this.selection) this.choose(this.selection);
    else if (this.isOwn(this.cursor)) this.calls.onLeave?.("next");
    else this.choose([this.cursor, this.cursor + 1]);
  }

  keyEscape() {
    if (this.selection) this.clear();
    else this.calls.onLeave?.("back");
  }

  isOwn(token) {
    return this.marks.some((mark) => mark.kind === "own" && contains([mark.start, mark.end], token));
  }

  // The next word that begins with what is typed, as in any list.
  typeAhead(character) {
    const now = Date.now();
    const goesOn = now - this.typed.at < TYPE_AHEAD;
    this.typed = { text: (goesOn ? this.typed.text : "") + character.toLowerCase(), at: now };
    const count = this.tokens.length;
    const first = goesOn ? 0 : 1;
    for (let away = first; away < count + first; away += 1) {
      const token = ((this.cursor ?? 0) + away) % count;
      if (this.tokens[token].toLowerCase().startsWith(this.typed.text)) {
        this.keyMove(token, false);
        return;
      }
    }
  }

  moveTo(token) {
    this.cursor = token;
    this.box.setAttribute("aria-activedescendant", this.words[token].id);
    this.showInBox(this.words[token]);
    this.refresh();
  }

  // The box scrolls, never the page: it may stick to the window's top.
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
