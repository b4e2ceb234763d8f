// One question with its answers: a box, what is wrong with it, and the answers as chips.

import { cents } from "../pay.js";
import { element, quoted, setText } from "../html.js";
import { spanText } from "../spans.js";
import { QuestionBox } from "./question-box.js";

export class QuestionRow {
  // `calls`: input, finish, keep, mark, remove, removeAnswer, focus; each gets the question's key.
  constructor({ key, tokens, walker, suggest, calls }) {
    this.tokens = tokens;
    this.calls = calls;
    const id = `question-${key}`;
    this.box = new QuestionBox({
      id,
      label: "Question",
      walker,
      suggest,
      onInput: (text) => calls.input(key, text),
      onFinish: (text) => calls.finish(key, text),
      onFocus: () => calls.focus(key),
      onKeep: () => calls.keep(key),
    });
    this.key = key;
    this.build();
  }

  build() {
    const { key, calls } = this;
    const button = (name, label, onclick) =>
      element("button", { type: "button", class: name, onclick }, label);
    this.number = element("span", { class: "question__number figure", "aria-hidden": "true" });
    this.bonus = element("span", { class: "question__bonus figure" });
    this.delete = button("question__delete quiet", "✕", () => calls.remove(key));
    this.keep = button("question__keep", "Keep it as it is", () => calls.keep(key));
    this.answers = element("ul", { class: "answers", "aria-label": "Answers" });
    this.mark = button("question__mark quiet", "Mark an answer", () => calls.mark(key));
    this.element = element(
      "li",
      { class: "question" },
      element("div", { class: "question__line" }, this.number, this.box.element, this.bonus, this.delete),
      this.keep,
      element("div", { class: "question__answers" }, this.answers, this.mark),
    );
    // Not at pointerdown: what moves under the finger then would not be clicked.
    this.element.addEventListener("click", () => calls.focus(key));
  }

  update({ question, number, isActive, bonus, note, canKeep, isOutside, locked }) {
    this.box.kept = question.kept;
    if (this.box.text !== question.text) this.box.show(question.text);
    const isEmpty = question.text.trim() === "" && question.answers.length === 0;
    this.element.classList.toggle("question--active", isActive);
    this.element.classList.toggle("question--empty", isEmpty);
    this.element.classList.toggle("question--outside", isOutside);
    setText(this.number, String(number));
    setText(this.bonus, bonus > 0 ? `+${cents(bonus)}` : "");
    this.box.input.setAttribute("aria-label", `Question ${number}`);
    this.box.input.disabled = locked;
    this.delete.setAttribute("aria-label", `Delete question ${number}`);
    this.delete.disabled = isEmpty || locked;
    this.keep.hidden = !canKeep || locked;
    this.mark.hidden = isEmpty || locked;
    setText(this.mark, question.answers.length > 0 ? "Mark another answer" : "Mark the answer");
    this.box.note(note);
    this.showAnswers(question, locked);
  }

  showAnswers(question, locked) {
    const shown = JSON.stringify([question.answers, locked]);
    if (this.shown === shown) return;
    this.shown = shown;
    this.answers.hidden = question.answers.length === 0;
    this.answers.replaceChildren(...question.answers.map((span) => this.chip(span, locked)));
  }

  chip(span, locked) {
    const text = spanText(this.tokens, span);
    const remove = element(
      "button",
      {
        type: "button",
        class: "answer-chip__remove quiet",
        "aria-label": `Remove the answer ${quoted(text)}`,
        onclick: () => this.calls.removeAnswer(this.key, span),
      },
      "✕",
    );
    const words = element("bdi", { class: "answer-chip__text" }, text);
    return element("li", { class: "answer-chip" }, words, locked ? "" : remove);
  }
}
