// One question with its answers: a box, a note about a problem, and the answers as chips.

/** @import { Span } from "../../spans.js" */
/** @import { Question } from "./annotation.js" */
/** @import { Walker } from "./grammar.js" */

import { element, quoted, setText } from "../../html.js";
import { spanText } from "../../spans.js";
import { cents } from "../../work/pay.js";
import { QuestionBox } from "./question-box.js";

/**
 * @typedef {object} RowCalls
 * @property {(text: string) => void} input
 * @property {(text: string) => void} finish
 * @property {() => void} keep
 * @property {() => void} mark
 * @property {() => void} remove
 * @property {(span: Span) => void} removeAnswer
 * @property {() => void} focus
 */

/**
 * @typedef {object} RowState
 * @property {Question} question
 * @property {number} number
 * @property {boolean} isActive
 * @property {number} bonus
 * @property {string} note
 * @property {boolean} canKeep
 * @property {boolean} isOutside
 * @property {boolean} locked
 */

export class QuestionRow {
  /**
   * @param {object} options
   * @param {number} options.key
   * @param {string[]} options.tokens
   * @param {Walker} options.walker
   * @param {(text: string) => string[]} options.suggest
   * @param {RowCalls} options.calls
   */
  constructor({ key, tokens, walker, suggest, calls }) {
    this.tokens = tokens;
    this.calls = calls;
    const id = `question-${key}`;
    this.box = new QuestionBox({
      id,
      label: "Question",
      walker,
      suggest,
      onInput: calls.input,
      onFinish: calls.finish,
      onFocus: calls.focus,
      onKeep: calls.keep,
    });
    /** @type {(name: string, label: string, onclick: () => void) => HTMLButtonElement} */
    const button = (name, label, onclick) => element("button", { type: "button", class: name, onclick }, label);
    this.number = element("span", { class: "question__number figure", "aria-hidden": "true" });
    this.bonus = element("span", { class: "question__bonus figure" });
    this.delete = button("question__delete quiet", "✕", calls.remove);
    this.keep = button("question__keep", "Keep it as it is", calls.keep);
    /** @type {string | undefined} */
    this.shown = undefined;
    this.answers = element("ul", { class: "answers", "aria-label": "Answers" });
    this.mark = button("question__mark quiet", "Mark an answer", calls.mark);
    this.element = element(
      "li",
      { class: "question" },
      element("div", { class: "question__line" }, this.number, this.box.element, this.bonus, this.delete),
      this.keep,
      element("div", { class: "question__answers" }, this.answers, this.mark),
    );
    // Not at pointerdown: an element that moves under the finger would not be clicked.
    this.element.addEventListener("click", calls.focus);
  }

  /** @param {RowState} state */
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
    const text = spanText(this.tokens, span);
    const remove = element(
      "button",
      {
        type: "button",
        class: "answer-chip__remove quiet",
        "aria-label": `Remove the answer ${quoted(text)}`,
        onclick: () => this.calls.removeAnswer(span),
      },
      "✕",
    );
    const answer = element("bdi", { class: "answer-chip__text" }, text);
    return element("li", { class: "answer-chip" }, answer, locked ? "" : remove);
  }
}
