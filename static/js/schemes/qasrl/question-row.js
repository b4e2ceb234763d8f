// One question with its answers: a box, a note about a problem, and the answers as chips.

/** @import { Span } from "../../spans.js" */
/** @import { Question } from "./annotation.js" */
/** @import { ContextAnswer } from "./context-answers.js" */
/** @import { Workbench } from "./workbench.js" */

import { corpusText, element, quoted, setText, t } from "../../html.js";
import { cents } from "../../work/page.js";
import { spanText } from "../../written-text.js";
import { isAnswered } from "./annotation.js";
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
      label: t`Question`,
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
    this.keep = button("question__keep", t`Keep as free-form`, keep);
    /** @type {string | undefined} */
    this.shown = undefined;
    this.answers = element("ul", { class: "answers", "aria-label": t`Answers` });
    this.mark = button("question__mark quiet", t`Select an answer`, () => bench.mark(question));
    const imply = () => bench.imply(question, !question.implied);
    this.implied = button("question__implied quiet", t`Implied`, imply);
    this.element = element(
      "li",
      { class: "question" },
      element("div", { class: "question__line" }, this.number, this.box.element, this.bonus, this.delete),
      this.keep,
      element("div", { class: "question__answers" }, this.answers, this.mark, this.implied),
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
    const isEmpty = question.text.trim() === "" && !isAnswered(question);
    this.element.classList.toggle("question--active", isActive);
    this.element.classList.toggle("question--empty", isEmpty);
    this.element.classList.toggle("question--outside", isOutside);
    setText(this.number, String(number));
    setText(this.bonus, bonus > 0 ? `+${cents(bonus)}` : "");
    this.box.input.setAttribute("aria-label", t`Question ${number}`);
    this.box.input.disabled = locked;
    this.delete.setAttribute("aria-label", t`Delete question ${number}`);
    this.delete.disabled = isEmpty || locked;
    this.keep.hidden = !canKeep || locked;
    this.mark.hidden = isEmpty || locked;
    this.implied.hidden = !this.bench.annotation.asksImplied || isEmpty;
    this.implied.disabled = locked;
    this.implied.setAttribute("aria-pressed", String(question.implied));
    this.implied.setAttribute("aria-label", t`Implied: the sentence does not state the answer to question ${number}`);
    setText(this.mark, isAnswered(question) ? t`Select another answer` : t`Select the answer`);
    this.box.note(note);
    this.showAnswers(question, locked);
  }

  /** @param {Question} question @param {boolean} locked */
  showAnswers(question, locked) {
    const shown = JSON.stringify([question.answers, question.contextAnswers, locked]);
    if (this.shown === shown) return;
    this.shown = shown;
    this.answers.hidden = !isAnswered(question);
    this.answers.replaceChildren(
      ...question.answers.map((span) => this.answerChip(span, locked)),
      ...question.contextAnswers.map((answer) => this.contextChip(answer, locked)),
    );
  }

  /** @param {Span} span @param {boolean} locked */
  answerChip(span, locked) {
    const text = spanText(this.bench.annotation.tokens, span);
    return this.chip(text, locked, () => this.bench.removeAnswer(this.question, span));
  }

  /** @param {ContextAnswer} answer @param {boolean} locked */
  contextChip(answer, locked) {
    const text = this.bench.context.text(answer);
    const chip = this.chip(text, locked, () => this.bench.removeContextAnswer(this.question, answer));
    chip.children[0].after(element("span", { class: "answer-chip__place" }, t`in context`));
    return chip;
  }

  /** @param {string} text @param {boolean} locked @param {() => void} onRemove */
  chip(text, locked, onRemove) {
    const remove = element(
      "button",
      {
        type: "button",
        class: "answer-chip__remove quiet",
        "aria-label": t`Remove the answer ${quoted(text)}`,
        onclick: onRemove,
      },
      "✕",
    );
    const answer = element("bdi", { class: "answer-chip__text", ...corpusText() }, text);
    return element("li", { class: "answer-chip" }, answer, locked ? "" : remove);
  }
}
