// A box to type a question in, with what can come next below it (ARIA combobox with a listbox).
//
//   const box = new QuestionBox({id, label, walker, suggest, onInput, onFinish, onFocus, onKeep})
//
// Enter takes the marked offer, or finishes a complete question; Tab completes up to the next
// choice and leaves the box where there is nothing to complete; Escape closes the list, then Tab
// leaves. `suggest(text)` gives whole questions worth asking next, best first.
//   onInput(text)   after every change of the text
//   onFinish(text)  Enter on a text; the box does not judge it
//   onKeep()        the text is wanted as it is, outside the template
// `note(text)` says something between the box and its list.

import { element, setText } from "../html.js";
import { finished, split } from "./grammar.js";

const MOST_OFFERED = 40;

export class QuestionBox {
  constructor(options) {
    Object.assign(this, options);
    this.offers = [];
    this.active = -1;
    this.chosen = false; // the active offer was gone to, not just marked as the first
    this.build();
  }

  build() {
    const { id, label } = this;
    this.input = element("input", {
      id,
      type: "text",
      class: "question-box__input",
      role: "combobox",
      "aria-label": label,
      "aria-autocomplete": "list",
      "aria-expanded": "false",
      "aria-controls": `${id}-offers`,
      "aria-describedby": `${id}-note`,
      autocomplete: "off",
      autocapitalize: "off",
      autocorrect: "off",
      spellcheck: "false",
      enterkeyhint: "next",
      maxlength: "200",
      placeholder: "Who … ?  What … ?",
    });
    this.mirror = element("div", { class: "question-box__mirror", "aria-hidden": "true" });
    this.list = element("ul", {
      id: `${id}-offers`,
      class: "question-box__offers",
      role: "listbox",
      "aria-label": "How the question can go on",
      hidden: true,
    });
    const field = element("div", { class: "question-box__field" }, this.mirror, this.input);
    this.message = element("p", { id: `${id}-note`, class: "question-box__note", hidden: true });
    this.element = element("div", { class: "question-box" }, field, this.message, this.list);
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
    // The focus stays in the box while an offer is clicked.
    list.addEventListener("pointerdown", (event) => event.preventDefault());
    list.addEventListener("click", (event) => {
      const option = event.target.closest("[role=option]");
      if (option) this.accept(this.offers[Number(option.dataset.offer)]);
    });
  }

  get text() {
    return this.input.value;
  }

  note(text) {
    setText(this.message, text);
    this.message.hidden = text === "";
  }

  // Shows a text that came from elsewhere (a draft, an undo).
  show(text) {
    if (this.input.value !== text) this.input.value = text;
    this.refresh({ open: false });
  }

  write(text, { open }) {
    this.input.value = text;
    this.input.setSelectionRange(text.length, text.length);
    this.input.scrollLeft = this.input.scrollWidth;
    this.onInput?.(text);
    this.refresh({ open });
  }

  typed() {
    this.onInput?.(this.text);
    this.refresh({ open: true });
  }

  refresh({ open }) {
    const text = this.text;
    const check = text.trim() ? this.walker.check(text) : { state: "empty" };
    this.state = check.state;
    this.showWrong(text, check);
    this.offers = open ? this.find(text, check) : [];
    this.chosen = false;
    const marksFirst = check.state === "unfinished" || check.state === "complete";
    this.active = marksFirst && this.offers.length > 0 ? 0 : -1;
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
    return finished(split(this.text).words.map((word) => word.text).join(" "));
  }

  // --- what is offered

  find(text, check) {
    if (check.state === "wrong") return this.corrections(text, check);
    if (this.input.selectionStart !== text.length && text !== "") return [];
    const offers = [];
    if (check.state === "complete") offers.push(offer(this.finishedText(), "finish"));
    const suggested = this.suggest?.(text) ?? [];
    for (const question of suggested) offers.push(offer(question, "whole"));
    const words = [];
    // The word that is typed out, and those that may follow it.
    const completions = [...this.walker.complete(text), ...this.walker.complete(`${text} `)];
    for (const { text: next, ends, goesOn } of text.trim() ? completions : this.walker.complete("")) {
      if (next.toLowerCase() === text.trim().toLowerCase()) continue;
      words.push(ends && !goesOn ? offer(`${next}?`, "whole") : offer(next, "next", goesOn));
    }
    return unlike([...offers, ...likelyFirst(words, suggested)]).slice(0, MOST_OFFERED);
  }

  // The legal words in the place of the one that goes wrong.
  corrections(text, { start, end, nearest }) {
    const [before, wrong, after] = [text.slice(0, start).trimEnd(), text.slice(start, end), text.slice(end)];
    const fixes = nearest.map((word) => {
      const mended = word === "?" ? `${before}?` : `${before} ${word}${after}`;
      return { ...offer(capital(mended.trimStart()), "fix"), from: `${wrong} → `, to: word };
    });
    const keep = { ...offer(text, "keep"), from: "", to: "Keep the question as it is" };
    return this.kept ? fixes : [...fixes, keep];
  }

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
    const open = this.offers.length > 0;
    const opens = open && this.list.hidden;
    this.list.hidden = !open;
    this.input.setAttribute("aria-expanded", String(open));
    const typed = this.text.toLowerCase();
    this.offers.forEach((each, position) => this.renderOffer(each, position, typed));
    while (this.list.childElementCount > this.offers.length) this.list.lastChild.remove();
    this.markActive();
    if (opens) this.list.scrollIntoView({ block: "nearest" });
  }

  // Elements are used again: a keystroke changes a few texts and builds nothing.
  renderOffer({ text, kind, goesOn, from, to }, position, typed) {
    let option = this.list.children[position];
    if (!option) {
      option = element(
        "li",
        { id: `${this.id}-offer-${position}`, role: "option", "data-offer": position },
        element("span", { class: "question-box__typed" }),
        element("span", { class: "question-box__rest" }),
        element("span", { class: "question-box__kind" }),
      );
      this.list.append(option);
    }
    option.className = `question-box__offer question-box__offer--${kind}`;
    const same = sharedLength(text.toLowerCase(), typed);
    const [before, rest, hint] = option.children;
    setText(before, from ?? text.slice(0, same));
    setText(rest, to ?? text.slice(same) + (goesOn ? " …" : ""));
    setText(hint, HINTS[kind]);
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

  keyDown(event) {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const done = {
      ArrowDown: () => this.move(1),
      ArrowUp: () => this.move(-1),
      Enter: () => this.enter(),
      Tab: () => !event.shiftKey && this.tab(),
      Escape: () => this.escape(),
    }[event.key];
    if (done && done() !== false) event.preventDefault();
  }

  move(step) {
    if (this.list.hidden) {
      this.refresh({ open: true });
      if (this.active < 0 && this.offers.length > 0) this.active = 0;
      this.chosen = true;
      return this.markActive();
    }
    const count = this.offers.length;
    this.active = this.active < 0 ? (step > 0 ? 0 : count - 1) : (this.active + step + count) % count;
    this.chosen = true;
    return this.markActive();
  }

  enter() {
    if (this.active >= 0) return this.accept(this.offers[this.active]);
    if (this.text.trim() === "") return undefined;
    return this.finish(this.state === "complete" ? this.finishedText() : this.text);
  }

  // Says false where Tab should go on to the next control.
  tab() {
    if (this.list.hidden) return false;
    if (this.chosen && this.active >= 0) return this.accept(this.offers[this.active]);
    if (this.state !== "unfinished") return false;
    if (this.isWordWhole()) return this.write(`${capital(this.text)} `, { open: true });
    const next = this.offers.find((each) => each.kind === "next") ?? this.offers[0];
    return next ? this.accept(next) : false;
  }

  // The last word is one that may stand there, not just the beginning of one.
  isWordWhole() {
    const text = this.text.toLowerCase();
    return this.walker.complete(text).some((each) => each.text.toLowerCase() === text);
  }

  escape() {
    if (this.list.hidden) return false;
    this.offers = [];
    this.active = -1;
    return this.render();
  }

  accept({ text, kind, goesOn }) {
    if (kind === "finish" || kind === "whole") {
      this.write(text, { open: false });
      this.finish(text);
    } else if (kind === "keep") {
      this.escape();
      this.onKeep?.();
    } else if (kind === "fix") {
      this.write(text, { open: true });
    } else {
      const { state } = this.walker.check(text);
      this.write(state === "complete" || !goesOn ? text : `${text} `, { open: true });
    }
  }

  finish(text) {
    this.escape();
    this.onFinish?.(text);
  }
}

const HINTS = { finish: "done", whole: "", next: "", fix: "", keep: "outside the template" };

function offer(text, kind, goesOn = false) {
  return { text, kind, goesOn };
}

// Words that lead to a suggested question come before the rest, which keep the grammar's order.
function likelyFirst(words, suggested) {
  const leads = ({ text }) => suggested.some((question) => question.startsWith(text));
  return [...words.filter(leads), ...words.filter((each) => !leads(each))];
}

function unlike(offers) {
  const seen = new Set();
  return offers.filter(({ text }) => !seen.has(text) && Boolean(seen.add(text)));
}

function sharedLength(text, typed) {
  let length = 0;
  while (length < typed.length && text[length] === typed[length]) length += 1;
  return length;
}

function capital(text) {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
