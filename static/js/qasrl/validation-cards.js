// The questions on the validation page, one card each, in the order in which they were asked.
//
//   const board = new ValidationBoard(box, {state, tokens, calls})
//   board.update(state, activeId, locked)   after every move
//   calls.act(move)  calls.activate(id)  calls.edit(id, span | null)   as in case-page.js
//
// Keys count only while the focus is on a card: v i r, e or Enter, arrows.

import { element, setText } from "../html.js";
import { overlaps, spanText } from "../spans.js";
import { conflicts, find, INVALID, KEEP, REDUNDANT } from "./consolidation-state.js";
import { named, nameOf, verdictText } from "./validation-words.js";

const TYPING = "input, select, textarea";

export class ValidationBoard {
  constructor(box, { state, tokens, calls }) {
    Object.assign(this, { box, tokens, calls, state, locked: false });
    this.cards = new Map(state.questions.map((each) => [each.id, new Card(each, this)]));
    box.replaceChildren(...[...this.cards.values()].map((card) => card.element));
    box.addEventListener("keydown", (event) => this.keyDown(event));
  }

  update(state, activeId, locked) {
    this.state = state;
    this.locked = locked;
    const clashes = [...conflicts(state).keys()];
    for (const [id, card] of this.cards) card.update(find(state, id), { clashes, isActive: id === activeId });
    if (!locked) return;
    for (const control of this.box.querySelectorAll("button, select")) control.disabled = true;
  }

  // What a question most likely repeats: a valid one that shares a word with its answers, the nearest
  // valid one before it, any valid one, the nearest one before it that is not judged.
  likelyTwin(id) {
    const { questions } = this.state;
    const at = questions.findIndex((each) => each.id === id);
    const others = [...questions.slice(0, at).reverse(), ...questions.slice(at + 1)];
    const { answers } = questions[at];
    const shares = (each) => each.answers.some((span) => answers.some((own) => overlaps(own, span)));
    const valid = others.filter((each) => each.verdict === KEEP);
    return (valid.find(shares) ?? valid[0] ?? others.find((each) => each.verdict === null))?.id ?? null;
  }

  focus(id) {
    this.cards.get(id)?.element.focus();
  }

  // To the next question that is not judged; from the last one, to the first such. Says whether there is one.
  focusNextOpen(after) {
    const ids = [...this.cards.keys()];
    const from = ids.indexOf(after) + 1;
    const open = [...ids.slice(from), ...ids.slice(0, from)].find((id) => find(this.state, id).verdict === null);
    if (open !== undefined) this.focus(open);
    return open !== undefined;
  }

  keyDown(event) {
    if (this.locked || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const id = event.target.closest(".card")?.dataset.id;
    if (id === undefined || event.target.matches(TYPING)) return;
    if (this.keyed(event.key, id, event)) event.preventDefault();
  }

  keyed(key, id, event) {
    if (key === "ArrowDown" || key === "ArrowUp") this.step(id, key === "ArrowDown" ? 1 : -1);
    else return this.cards.get(id).keyed(key, event);
    return true;
  }

  step(id, by) {
    const ids = [...this.cards.keys()];
    const next = ids[ids.indexOf(id) + by];
    if (next !== undefined) this.focus(next);
  }
}

class Card {
  constructor(question, board) {
    this.id = question.id;
    this.board = board;
    this.shown = new Map(); // part of the card -> what it shows
    this.build(question);
  }

  act(move) {
    return this.board.calls.act({ id: this.id, ...move });
  }

  build(question) {
    const key = this.id.replace(".", "-");
    this.verdict = element("span", { class: "card__verdict" });
    this.answers = element("ul", { class: "card__answers", "aria-label": "Answers" });
    this.select = element("select", {
      id: `repeats-${key}`,
      onchange: () => this.act({ type: "redundant", of: this.select.value }),
    });
    this.repeats = element(
      "p",
      { class: "card__repeats", hidden: true },
      element("label", { for: `repeats-${key}` }, "Repeats"),
      this.select,
    );
    const name = element("span", { class: "card__name" }, nameOf(question));
    const text = element("span", { class: "card__text", dir: "auto" }, question.question);
    this.element = element(
      "article",
      { class: "card", id: `card-${key}`, tabindex: "0", "data-id": this.id, "aria-labelledby": `title-${key}` },
      element("h3", { class: "card__title", id: `title-${key}` }, name, " ", this.verdict, " ", text),
      this.answers,
      this.buildActions(),
      this.repeats,
    );
    this.element.addEventListener("focusin", () => this.board.calls.activate(this.id));
  }

  buildActions() {
    const button = (text, key, press, look = "card__verdict-button") =>
      element("button", { type: "button", class: look, onclick: press }, `${text} `, element("kbd", {}, key));
    this.valid = button("Valid", "v", () => this.judge(KEEP));
    this.invalid = button("Invalid", "i", () => this.judge(INVALID));
    this.redundant = button("Repeats another", "r", () => this.judge(REDUNDANT));
    const answer = button("Mark answers", "e", () => this.board.calls.edit(this.id, null), "tool quiet");
    const verdicts = { class: "card__verdicts", role: "group", "aria-label": "Verdict" };
    return element(
      "div",
      { class: "card__actions" },
      element("div", verdicts, this.valid, this.invalid, this.redundant),
      element("div", { class: "card__more" }, answer),
    );
  }

  // --- what one sees

  update(question, { clashes, isActive }) {
    this.question = question;
    const { verdict } = question;
    setText(this.verdict, verdictText(question, this.board.state));
    this.element.dataset.verdict = verdict ?? "open";
    this.element.classList.toggle("card--active", isActive);
    for (const [button, its] of [[this.valid, KEEP], [this.invalid, INVALID], [this.redundant, REDUNDANT]]) {
      button.setAttribute("aria-pressed", String(verdict === its));
    }
    this.updateRepeats(question);
    this.updateAnswers(question, clashes);
  }

  // What is under the pointer stays the same element as long as it says the same: a press that
  // moves the focus here must still end as a click.
  isShown(part, ...values) {
    const told = JSON.stringify(values);
    const isShown = this.shown.get(part) === told;
    this.shown.set(part, told);
    return isShown;
  }

  updateRepeats({ verdict, sameAs }) {
    this.repeats.hidden = verdict !== REDUNDANT;
    if (verdict !== REDUNDANT) return;
    const choices = this.board.state.questions
      .filter((each) => each.id !== this.id && (each.verdict === KEEP || each.verdict === null))
      .map((each) => [each.id, named(each)]);
    if (this.isShown("repeats", choices, sameAs)) return;
    const option = ([value, text]) => element("option", { value, selected: value === sameAs }, text);
    this.select.replaceChildren(...choices.map(option));
  }

  updateAnswers({ answers, verdict }, clashes) {
    const shown = verdict === KEEP ? answers : [];
    const states = shown.map(([start, end]) => clashes.some((token) => start <= token && token < end));
    if (this.isShown("answers", shown, states, verdict)) return;
    const focused = [...this.answers.querySelectorAll(".chip")].indexOf(document.activeElement);
    this.answers.replaceChildren(...shown.map((span, position) => this.chip(span, states[position])));
    if (verdict === KEEP && shown.length === 0) {
      this.answers.append(element("li", { class: "card__none" }, "no answer yet"));
    }
    this.answers.hidden = this.answers.children.length === 0;
    if (focused >= 0) this.focusChip(focused);
  }

  focusChip(position) {
    const chips = [...this.answers.querySelectorAll(".chip")];
    (chips[Math.min(position, chips.length - 1)] ?? this.element).focus();
  }

  // A press changes the answer in the sentence.
  chip(span, clash) {
    const press = () => this.board.calls.edit(this.id, span);
    const look = clash ? "chip chip--conflict" : "chip";
    const chip = element("button", { type: "button", class: look, "data-start": span[0], onclick: press });
    chip.append(element("bdi", {}, spanText(this.board.tokens, span)));
    if (clash) chip.append(element("span", { class: "chip__conflict" }, " shares words"));
    return element("li", {}, chip);
  }

  focusedSpan() {
    const start = document.activeElement?.dataset?.start;
    return start === undefined ? null : (this.question.answers.find((each) => each[0] === Number(start)) ?? null);
  }

  // --- verdicts

  // The same verdict again opens the question anew.
  judge(verdict) {
    if (this.question.verdict === verdict) this.act({ type: "unjudge" });
    else if (verdict === REDUNDANT) this.act({ type: "redundant", of: this.board.likelyTwin(this.id) });
    else this.act({ type: verdict });
  }

  keyed(key, event) {
    const span = this.focusedSpan();
    const done = {
      v: () => this.judge(KEEP),
      i: () => this.judge(INVALID),
      r: () => this.judge(REDUNDANT),
      e: () => this.board.calls.edit(this.id, span),
      Enter: () => event.target === this.element && this.board.calls.edit(this.id, null),
      Delete: () => span !== null && this.act({ type: "unmark", span }),
      Backspace: () => span !== null && this.act({ type: "unmark", span }),
    }[key];
    if (!done) return false;
    return done() !== false;
  }
}
