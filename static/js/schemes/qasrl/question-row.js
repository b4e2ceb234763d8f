// One question with its answers: a box, a note about a problem, and the answers as chips.

/** @import { Span } from "../../spans.js" */
/** @import { Question } from "./annotation.js" */
/** @import { Workbench } from "./workbench.js" */

import { element, quoted, setText } from "../../html.js";
import { cents } from "../../work/pay.js";
import { spanText } from "../../written-text.js";
import { QuestionBox } from "./question-box.js";

/**
 * @typedef {object} RowState
 * @property {number} number
 * @property {boolean} isActive
 * @property {number} bonus
 * @property {string} note
 * @property {boolean} canKeep
 * @property {boolean} isOutside
 */

export class QuestionRow {
  /** @param {Question} question @param {Workbench} bench */
  constructor(question, bench) {
    this.question = question;
    this.bench = bench;
    const focus = () => bench.activate(question);
    const keep = () => bench.keep(question);
    this.box = new QuestionBox({
      id: `question-${question.key}`,
      label: "Question",
      walker: bench.annotation.walker,
      suggest: (text) => bench.suggest(text, question),
      onInput: (text, picked) => bench.write(question, text, picked),
      onFinish: (text) => bench.finish(question, text),
      onFocus: focus,
      onKeep: bench.annotation.freeForm ? keep : null,
    });
    /** @type {(name: string, label: string, onclick: () => void) => HTMLButtonElement} */
    const button = (name, label, onclick) => element("button", { type: "button", class: name, onclick }, label);
    this.number = element("span", { class: "question__number figure", "aria-hidden": "true" });
    this.bonus = element("span", { class: "question__bonus figure" });
    this.delete = button("question__delete quiet", "✕", () => bench.remove(question));
    this.keep = button("question__keep", "Keep as free-form", keep);
    /** @type {string | undefined} */
    this.shown = undefined;
    this.answers = element("ul", { class: "answers", "aria-label": "Answers" });
    this.mark = button("question__mark quiet", "Select an answer", () => bench.mark(question));
    this.element = element(
      "li",
      { class: "question" },
      element("div", { class: "question__line" }, this.number, this.box.element, this.bonus, this.delete),
      this.keep,
      element("div", { class: "question__answers" }, this.answers, this.mark),
    );
    // Not at pointerdown: an element that moves under the finger would not be clicked.
    this.element.addEventListener("click", focus);
  }

  /** @param {RowState} state */
  update({ number, isActive, bonus, note, canKeep, isOutside }) {
    const { question } = this;
    const { locked } = this.bench;
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
    setText(this.mark, question.answers.length > 0 ? "Select another answer" : "Select the answer");
    this.box.note(note);
    this.showAnswers(question, locked);
  }

  /** @param {Question} question @param {boolean} locked */
  showAnswers(question, locked) {
    const shown = JSON.stringify([question.answers, locked]);
    if (this.shown === shown) return;
    this.shown = shown;
    this.answers.hidden = question.answers.length === 0;
    this.answers.replaceChildren(...question.answers.map((span) => this.chip(span, locked)));
  }

  /** @param {Span} span @param {boolean} locked */
  chip(span, locked) {
    const text = spanText(this.bench.annotation.tokens, span);
    const remove = element(
      "button",
      {
        type: "button",
        class: "answer-chip__remove quiet",
        "aria-label": `Remove the answer ${quoted(text)}`,
        onclick: () => this.bench.removeAnswer(this.question, span),
      },
      "✕",
    );
    const answer = element("bdi", { class: "answer-chip__text" }, text);
    return element("li", { class: "answer-chip" }, answer, locked ? "" : remove);
  }
}
