// A box to type a question in, with a list of what can come next (ARIA combobox with a listbox).
//
// Enter accepts the marked option, or finishes a complete question. At the end of the text, the right
// arrow key completes up to the next choice, and so does Ctrl+Space. Tab accepts an option that an arrow
// key has chosen, and otherwise leaves the box without a change. Escape closes the list.

/** @import { Walker } from "./grammar.js" */
/** @import { Check } from "./grammar-types.js" */

import { announce, announceSettled } from "../../announcements.js";
import { counted, element, quoted, setText, t } from "../../html.js";
import { capital, finished, split } from "./grammar.js";

const MAX_OPTIONS = 40;
const KEYS = t`Arrow down chooses a suggestion, Enter accepts it. At the end of the text, the right arrow or Ctrl and Space completes the next word. Tab leaves the question as it is.`;

/** @typedef {"finish" | "whole" | "next" | "fix" | "keep"} OptionKind */

/**
 * An option of the list. `goesOn`: more words may follow. `from` and `to` replace the shown text. `rank`
 * is that of a suggestion, from 1.
 *
 * @typedef {{text: string, kind: OptionKind, goesOn: boolean, from?: string, to?: string, rank?: number}} Option
 */

export class QuestionBox {
  /**
   * @param {object} options
   * @param {string} options.id
   * @param {string} options.label
   * @param {Walker} options.walker
   * @param {(text: string) => string[]} options.suggest  questions worth asking next, best first
   * @param {(text: string, picked: number | null) => void} options.onInput  called after every change of
   *   the text, with the rank of the suggestion that it is, or null
   * @param {(text: string) => void} options.onFinish  called on Enter, with any text
   * @param {(() => void) | null} options.onKeep  called to keep the text although it is outside the
   *   template, or null if that is not allowed
   * @param {() => void} [options.onFocus]
   */
  constructor({ id, label, walker, suggest, onInput, onFinish, onKeep, onFocus }) {
    this.id = id;
    this.walker = walker;
    this.suggest = suggest;
    this.onInput = onInput;
    this.onFinish = onFinish;
    this.onKeep = onKeep;
    this.onFocus = onFocus;
    this.kept = false;
    this.state = "empty";
    /** @type {Option[]} */
    this.options = [];
    this.active = -1;
    this.chosen = false; // whether the active option was chosen by key, not marked automatically
    this.input = element("input", {
      id,
      type: "text",
      class: "question-box__input",
      role: "combobox",
      "aria-label": label,
      "aria-autocomplete": "list",
      "aria-expanded": "false",
      "aria-controls": `${id}-options`,
      "aria-describedby": `${id}-note ${id}-keys`,
      autocomplete: "off",
      autocapitalize: "off",
      autocorrect: "off",
      spellcheck: "false",
      enterkeyhint: "next",
      maxlength: "200",
      placeholder: t`Who … ?  What … ?`,
    });
    this.mirror = element("div", { class: "question-box__mirror", "aria-hidden": "true" });
    this.list = element("ul", {
      id: `${id}-options`,
      class: "question-box__offers",
      role: "listbox",
      "aria-label": t`How the question can continue`,
      // Browsers make a list that scrolls a stop of the Tab key. Leaving the box would lose the focus.
      tabindex: "-1",
      hidden: true,
    });
    const field = element("div", { class: "question-box__field" }, this.mirror, this.input);
    this.message = element("p", { id: `${id}-note`, class: "question-box__note", hidden: true });
    const keys = element("span", { id: `${id}-keys`, hidden: true }, KEYS);
    this.element = element("div", { class: "question-box" }, field, this.message, keys, this.list);
    this.listen();
  }

  listen() {
    const { input, list } = this;
    input.addEventListener("input", () => this.typed());
    input.addEventListener("keydown", (event) => this.keyDown(event));
    input.addEventListener("focus", () => {
      this.onFocus?.();
      this.refresh({ open: true });
    });
    input.addEventListener("click", () => this.refresh({ open: true }));
    input.addEventListener("blur", () => this.left());
    input.addEventListener("scroll", () => {
      this.mirror.scrollLeft = input.scrollLeft;
    });
    // The focus stays in the box while an option is clicked.
    list.addEventListener("pointerdown", (event) => event.preventDefault());
    list.addEventListener("click", (event) => {
      const target = /** @type {Element} */ (event.target).closest("[role=option]");
      if (target) this.accept(this.options[[...list.children].indexOf(target)]);
    });
  }

  get text() {
    return this.input.value;
  }

  /**
   * Show a note between the box and its list. Screen readers do not read a changed description.
   *
   * @param {string} text
   */
  note(text) {
    if (this.message.textContent === text) return;
    setText(this.message, text);
    this.message.hidden = text === "";
    if (document.activeElement === this.input) announceSettled(() => this.spokenNote());
  }

  spokenNote() {
    const count = this.options.filter(({ kind }) => kind === "fix").length;
    return [this.message.textContent, count > 0 ? `${counted(count, "correction")}.` : ""].filter(Boolean).join(" ");
  }

  /**
   * Show a text that was not typed here, such as a draft's.
   *
   * @param {string} text
   */
  show(text) {
    if (this.input.value !== text) this.input.value = text;
    this.refresh({ open: false });
  }

  /** @param {string} text @param {{open: boolean, picked?: number | null}} options */
  write(text, { open, picked = null }) {
    this.input.value = text;
    this.input.setSelectionRange(text.length, text.length);
    this.input.scrollLeft = this.input.scrollWidth;
    this.onInput(text, picked);
    this.refresh({ open });
  }

  typed() {
    this.onInput(this.text, null);
    this.refresh({ open: true });
  }

  /** @param {{open: boolean}} options */
  refresh({ open }) {
    const text = this.text;
    /** @type {Check} */
    const check = text.trim() ? this.walker.check(text) : { state: "empty", start: 0, end: 0, nearest: [] };
    this.state = check.state;
    this.showWrong(text, check);
    this.options = open ? this.find(text, check) : [];
    this.chosen = false;
    const marksFirst = check.state === "unfinished" || check.state === "complete";
    this.active = marksFirst && this.options.length > 0 ? 0 : -1;
    this.render();
  }

  left() {
    if (this.state === "complete") {
      const whole = this.finishedText();
      if (whole !== this.text) this.write(whole, { open: false });
    }
    this.refresh({ open: false });
  }

  // A well-formed question in its final spelling.
  finishedText() {
    return finished(
      split(this.text)
        .words.map((word) => word.text)
        .join(" "),
    );
  }

  // --- options

  /** @param {string} text @param {Check} check */
  find(text, check) {
    if (check.state === "wrong") return this.corrections(text, check);
    if (this.input.selectionStart !== text.length && text !== "") return [];
    const suggested = this.suggest(text);
    /** @type {Option[]} */
    const options = suggested.map((question, at) => ({ ...createOption(question, "whole"), rank: at + 1 }));
    if (check.state === "complete") options.unshift(createOption(this.finishedText(), "finish"));
    /** @type {Option[]} */
    const words = [];
    // Completions of the last word, and the words that may follow it.
    const completions = [...this.walker.complete(text), ...this.walker.complete(`${text} `)];
    for (const { text: next, ends, goesOn } of text.trim() ? completions : this.walker.complete("")) {
      if (next.toLowerCase() === text.trim().toLowerCase()) continue;
      words.push(ends && !goesOn ? createOption(`${next}?`, "whole") : createOption(next, "next", goesOn));
    }
    return unique([...options, ...likelyFirst(words, suggested)]).slice(0, MAX_OPTIONS);
  }

  /**
   * Return the legal words in place of the wrong one.
   *
   * @param {string} text
   * @param {Check} check
   * @returns {Option[]}
   */
  corrections(text, { start, end, nearest }) {
    const [before, wrong, after] = [text.slice(0, start).trimEnd(), text.slice(start, end), text.slice(end)];
    const fixes = nearest.map((word) => {
      const corrected = word === "?" ? `${before}?` : `${before} ${word}${after}`;
      return { ...createOption(capital(corrected.trimStart()), "fix"), from: `${wrong} → `, to: word };
    });
    if (this.kept || !this.onKeep) return fixes;
    return [...fixes, { ...createOption(text, "keep"), from: "", to: t`Keep as a free-form question` }];
  }

  /** @param {string} text @param {Check} check */
  showWrong(text, { state, start, end }) {
    this.input.setAttribute("aria-invalid", String(state === "wrong"));
    if (state !== "wrong") {
      this.mirror.replaceChildren();
      return;
    }
    const wrong = element("span", { class: "question-box__wrong" }, text.slice(start, end));
    this.mirror.replaceChildren(text.slice(0, start), wrong, text.slice(end));
    this.mirror.scrollLeft = this.input.scrollLeft;
  }

  render() {
    const open = this.options.length > 0;
    const opens = open && this.list.hidden;
    this.list.hidden = !open;
    this.input.setAttribute("aria-expanded", String(open));
    const typed = this.text.toLowerCase();
    for (const [position, option] of this.options.entries()) this.renderOption(option, position, typed);
    while (this.list.childElementCount > this.options.length) this.list.lastElementChild?.remove();
    this.markActive();
    if (opens) this.list.scrollIntoView({ block: "nearest" });
  }

  /**
   * Render an option into the element at its position. Elements are reused: a keystroke changes a
   * few texts.
   *
   * @param {Option} option
   * @param {number} position
   * @param {string} typed
   */
  renderOption({ text, kind, goesOn, from, to }, position, typed) {
    const option = this.list.children[position] ?? this.addOption(position);
    option.className = `question-box__offer question-box__offer--${kind}`;
    const same = sharedLength(text.toLowerCase(), typed);
    const [whole, hint] = option.children;
    const [before, rest] = whole.children;
    setText(before, from ?? text.slice(0, same));
    setText(rest, to ?? text.slice(same) + (goesOn ? " …" : ""));
    setText(hint, HINTS[kind]);
  }

  // The typed and the suggested part stand in one inline element. As flex items, they would be blocks,
  // and a screen reader would read a blank between them: "Wh o carried …".
  /** @param {number} position */
  addOption(position) {
    const typed = element("span", { class: "quiet" });
    const option = element(
      "li",
      { id: `${this.id}-option-${position}`, role: "option" },
      element("span", { class: "question-box__text" }, typed, element("span", { class: "question-box__rest" })),
      element("span", { class: "question-box__kind" }),
    );
    this.list.append(option);
    return option;
  }

  markActive() {
    for (const [position, option] of [...this.list.children].entries()) {
      option.setAttribute("aria-selected", String(position === this.active));
    }
    if (this.active < 0) {
      this.input.removeAttribute("aria-activedescendant");
      return;
    }
    const option = this.list.children[this.active];
    this.input.setAttribute("aria-activedescendant", option.id);
    if (this.chosen) option.scrollIntoView({ block: "nearest" });
  }

  // --- keys

  /** @param {KeyboardEvent} event */
  keyDown(event) {
    if (event.isComposing || event.metaKey || event.altKey) return;
    const isHandled = event.ctrlKey ? event.key === " " && this.complete() : this.handleKey(event);
    if (isHandled) event.preventDefault();
  }

  /**
   * Act on a key. Return false if the key keeps its usual meaning.
   *
   * @param {KeyboardEvent} event
   */
  handleKey({ key, shiftKey }) {
    if (key === "ArrowDown") this.move(1);
    else if (key === "ArrowUp") this.move(-1);
    else if (key === "Enter") this.enter();
    else if (key === "Tab") return !shiftKey && this.acceptChosen();
    else if (key === "ArrowRight") return !shiftKey && this.isAtEnd() && this.complete();
    else if (key === "Escape" && !this.list.hidden) this.close();
    else return false;
    return true;
  }

  /** @param {1 | -1} step */
  move(step) {
    const count = this.options.length;
    if (this.list.hidden) {
      this.refresh({ open: true });
      if (this.active < 0 && this.options.length > 0) this.active = 0;
    } else if (this.active < 0) this.active = step > 0 ? 0 : count - 1;
    else this.active = (this.active + step + count) % count;
    this.chosen = true;
    this.markActive();
  }

  enter() {
    if (this.active >= 0) this.accept(this.options[this.active]);
    else if (this.text.trim() !== "") this.finish(this.state === "complete" ? this.finishedText() : this.text);
  }

  // Accept the option that an arrow key has chosen. Return false if there is none.
  acceptChosen() {
    if (!this.chosen || this.active < 0) return false;
    this.accept(this.options[this.active]);
    return true;
  }

  isAtEnd() {
    const { selectionStart, selectionEnd, value } = this.input;
    return selectionStart === value.length && selectionEnd === value.length;
  }

  // Complete the text up to the next choice, and announce it. Return false if there is nothing to complete.
  complete() {
    if (this.list.hidden) this.refresh({ open: true });
    if (this.state !== "unfinished" || this.options.length === 0) return false;
    const next = this.options.find((option) => option.kind === "next") ?? this.options[0];
    if (this.isWordWhole()) this.write(`${capital(this.text)} `, { open: true });
    else this.accept(next);
    announce(this.text.trim());
    return true;
  }

  // Return true if the last word is complete, not only the beginning of a word.
  isWordWhole() {
    const text = this.text.toLowerCase();
    return this.walker.complete(text).some((completion) => completion.text.toLowerCase() === text);
  }

  close() {
    if (this.list.hidden) return;
    this.options = [];
    this.active = -1;
    this.render();
  }

  /** @param {Option} option */
  accept({ text, kind, goesOn, rank }) {
    if (kind === "finish" || kind === "whole") {
      this.write(text, { open: false, picked: rank });
      this.finish(text);
    } else if (kind === "keep") {
      this.close();
      this.onKeep?.();
    } else if (kind === "fix") {
      this.write(text, { open: true });
    } else {
      const { state } = this.walker.check(text);
      this.write(state === "complete" || !goesOn ? text : `${text} `, { open: true });
    }
  }

  /** @param {string} text */
  finish(text) {
    this.close();
    this.onFinish(text);
  }
}

/**
 * Explain why the template refuses a question.
 *
 * @param {string} text
 * @param {Check} check
 */
export function refusedWord(text, { start, end, substitute }) {
  const use = substitute ? t`Use ${quoted(substitute)} instead` : t`Choose one of the words below`;
  return t`${quoted(text.slice(start, end))} isn't allowed here. ${use}`;
}

const HINTS = { finish: "done", whole: "", next: "", fix: "", keep: "free-form" };

/** @param {string} text @param {OptionKind} kind @returns {Option} */
function createOption(text, kind, goesOn = false) {
  return { text, kind, goesOn };
}

/**
 * Sort words that lead to a suggested question first. The rest keep the grammar's order.
 *
 * @param {Option[]} words
 * @param {string[]} suggested
 */
function likelyFirst(words, suggested) {
  const leads = (/** @type {Option} */ { text }) => suggested.some((question) => question.startsWith(text));
  return [...words.filter(leads), ...words.filter((word) => !leads(word))];
}

/** @param {Option[]} options */
function unique(options) {
  const seen = new Set();
  return options.filter(({ text }) => !seen.has(text) && Boolean(seen.add(text)));
}

/** @param {string} text @param {string} typed */
function sharedLength(text, typed) {
  let length = 0;
  while (length < typed.length && text[length] === typed[length]) length += 1;
  return length;
}
