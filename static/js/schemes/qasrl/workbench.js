// The editor of the questions and answers about one verb or noun. The pages of the generator and of
// the exercises mount it.

/** @import { Span } from "../../spans.js" */
/** @import { ItemData, OnChange, Work } from "../../work/contract.js" */
/** @import { Question } from "./annotation.js" */
/** @import { ContextAnswer, ContextSide } from "./context-answers.js" */
/** @import { RowState } from "./question-row.js" */

import { quoted, ref, setText, t } from "../../html.js";
import { Sentence } from "../../sentence.js";
import { contains } from "../../spans.js";
import { unitBonus } from "../../work/page.js";
import { keepClearOf } from "../../work/sticky.js";
import { spanText } from "../../written-text.js";
import { Annotation, isAnswered, tidy } from "./annotation.js";
import { ContextWords } from "./context-answers.js";
import { Walker } from "./grammar.js";
import { isNoun, predicateText, sentenceTarget } from "./predicate.js";
import { refusedWord } from "./question-box.js";
import { QuestionRow } from "./question-row.js";
import { createSuggester } from "./suggestions.js";
import { VerbalStep } from "./verbal-step.js";

const MAX_QUESTIONS = 60; // if the pay has no lower limit
const MAX_SUGGESTED = 5;

/** @typedef {{question: Question | null, message: string}} Problem */

/** @implements {Work} */
export class Workbench {
  /** @param {HTMLElement} root @param {ItemData} data @param {OnChange} onChange */
  constructor(root, data, onChange) {
    this.root = root;
    this.data = data;
    this.onChange = onChange;
    this.locked = data.locked;
    const walker = new Walker(data.shared.automaton, data.data.item);
    this.suggester = createSuggester(walker, data);
    this.context = new ContextWords(data.context);
    this.annotation = new Annotation({
      tokens: data.tokens,
      walker,
      content: data.content,
      freeForm: data.freeForm ?? true,
      isNoun: isNoun(data.target),
      asksImplied: Boolean(data.data.asksImplied),
      context: this.context,
    });
    this.reason = ref(root, "no-question", HTMLInputElement);
    this.reasons = ref(root, "reasons", HTMLSelectElement);
    /** @type {Map<number, QuestionRow>} */
    this.rows = new Map();
    /** @type {Question | undefined} */
    this.active = undefined;
    this.verbalStep = new VerbalStep(root, {
      target: data.target,
      tokens: data.tokens,
      onChoose: (isVerbal) => this.chooseVerbal(isVerbal),
    });
    for (const option of root.querySelectorAll("[data-for-verbs]")) if (isNoun(data.target)) option.remove();
    this.sentence = this.createSentence();
    this.sentence.disable(this.locked);
    this.listen();
    this.open();
  }

  /** @param {string} name */
  ref(name) {
    return ref(this.root, name);
  }

  createSentence() {
    const { tokens, target } = this.data;
    return new Sentence(this.ref("sentence"), {
      tokens,
      ...sentenceTarget(target),
      onChoose: (span) => this.takeAnswer(span),
      onRemove: (token) => this.removeAnswerAt(token),
      onLeave: (where) => (where === "next" ? this.nextQuestion() : this.focusQuestion(this.active)),
      onSelect: (span, pending) => this.showSelection(span, pending),
    });
  }

  listen() {
    this.ref("take").addEventListener("click", () => this.sentence.takeSelection());
    this.ref("go-on").addEventListener("click", () => this.nextQuestion());
    const hero = this.ref("hero");
    new ResizeObserver(() => keepClearOf(hero, "Top")).observe(hero);
    this.reason.addEventListener("input", () => this.giveReason());
    this.reasons.addEventListener("change", () => {
      if (this.reasons.value) this.reason.value = this.reasons.value;
      this.giveReason();
    });
  }

  // Show the questions of the annotation, at the first one without an answer.
  open(at = this.annotation.firstOpen()) {
    this.sentence.clear();
    this.addEmptyQuestion();
    this.active = this.annotation.questions[at] ?? this.annotation.questions.at(-1);
    this.reason.value = this.annotation.noQuestion;
    this.render();
    this.say("");
  }

  // --- the contract of a work page

  content() {
    return this.annotation.draft();
  }

  submission() {
    return this.annotation.submission();
  }

  problems() {
    return this.annotation.problems();
  }

  /** @param {Problem} problem */
  focusProblem({ question }) {
    if (!this.annotation.canAsk()) this.verbalStep.focus();
    else this.focusQuestion(question ?? this.annotation.questions.at(-1));
  }

  /** @param {string} path @param {string} message @returns {Problem} */
  problemAt(path, message) {
    const index = Number(/^questions\[(\d+)\]/.exec(path)?.[1] ?? NaN);
    const question = this.annotation.asked()[index] ?? null;
    return { question, message: question ? t`Question ${this.annotation.number(question)}: ${message}` : message };
  }

  /** @param {Problem} problem */
  isCurrent({ question }) {
    return !question || this.annotation.questions.includes(question);
  }

  units() {
    return this.annotation.countSound();
  }

  focus() {
    if (!this.annotation.canAsk()) this.verbalStep.focus();
    else if (this.active?.text.trim()) this.mark(this.active);
    else this.nextQuestion();
  }

  shown() {
    const { target, tokens } = this.data;
    setText(ref(document, "verb"), predicateText(target, tokens));
  }

  /** @param {{before: HTMLElement, after: HTMLElement}} sides */
  showContext(sides) {
    this.context.show(sides, {
      onChoose: (answer) => this.takeContextAnswer(answer),
      onRemove: (side, token) => this.removeContextAnswerAt(side, token),
      onLeave: (where) => (where === "next" ? this.nextQuestion() : this.focusQuestion(this.active)),
      onSelect: (side, text, pending) => {
        this.sentence.clear();
        this.context.clear(side);
        this.say(pending ? t`Click the last word (or the same word again).` : quoted(text));
      },
      onRefuse: (text) => this.say(text, { isRefusal: true }),
    });
    this.render();
  }

  /** @param {any} content */
  load(content) {
    this.annotation.load(content);
    this.open();
  }

  /** @param {any} content */
  restore(content) {
    const before = this.annotation.draft().questions;
    this.annotation.load(content);
    this.open(firstDifference(before, content.questions));
  }

  /** @param {any} content */
  describe(content) {
    const questions = /** @type {{question: string, answers: Span[], context_answers?: ContextAnswer[]}[]} */ (
      content?.questions ?? []
    );
    const lines = questions.map(({ question, answers, context_answers: outside = [] }) =>
      [
        question,
        ...answers.map((span) => spanText(this.data.tokens, span)),
        ...outside.map((answer) => t`${this.context.text(answer)} (in context)`),
      ].join(" – "),
    );
    return content?.is_verbal === false ? [t`Not an action or event`] : lines;
  }

  lock() {
    this.locked = true;
    this.sentence.disable(true);
    this.render();
  }

  // --- changes

  /**
   * Make a change that can be undone.
   *
   * @param {string} label
   * @param {() => void} act
   * @param {string | null} mergeKey
   */
  change(label, act, mergeKey = null) {
    if (this.locked) return;
    act();
    this.onChange({ label, mergeKey });
    this.render();
  }

  /** @param {boolean} isVerbal */
  chooseVerbal(isVerbal) {
    if (isVerbal === this.annotation.isVerbal) return;
    this.change(isVerbal ? t`an event` : t`no event`, () => {
      this.annotation.isVerbal = isVerbal;
    });
    if (isVerbal) this.nextQuestion();
  }

  giveReason() {
    this.annotation.noQuestion = this.reason.value;
    this.onChange();
  }

  // --- rendering

  // The last row is always empty, so that there is one to write in.
  addEmptyQuestion() {
    const { questions } = this.annotation;
    const isFull = this.locked || questions.length >= (this.data.pay?.max_units || MAX_QUESTIONS);
    const last = questions.at(-1);
    if (!last || (!isFull && last.text.trim())) this.annotation.add();
  }

  render() {
    this.addEmptyQuestion();
    const { questions } = this.annotation;
    if (!this.active || !questions.includes(this.active)) this.active = questions.at(-1);
    this.renderRows(questions);
    this.sentence.paint(this.annotation.marks(this.active));
    this.context.paint(this.active?.contextAnswers ?? [], this.locked);
    this.showSelection(this.sentence.selection, this.sentence.pending);
    const canAsk = this.annotation.canAsk();
    this.verbalStep.update(this.annotation.isVerbal, this.locked);
    this.ref("asking").hidden = !canAsk;
    this.ref("nothing-to-ask").hidden = !canAsk || this.annotation.asked().length > 0;
    this.reason.disabled = this.locked;
    this.reasons.disabled = this.locked;
  }

  // Rows move only where they are out of place, because moving takes the focus away.
  /** @param {Question[]} questions */
  renderRows(questions) {
    for (const [key, row] of this.rows) {
      if (this.annotation.find(key)) continue;
      row.element.remove();
      this.rows.delete(key);
    }
    const list = this.ref("questions");
    for (const [position, question] of questions.entries()) {
      const row = this.row(question);
      row.update(this.rowState(question, position + 1));
      if (list.children[position] !== row.element) list.insertBefore(row.element, list.children[position] ?? null);
    }
  }

  /** @param {Question} question */
  row(question) {
    const existing = this.rows.get(question.key);
    if (existing) return existing;
    const row = new QuestionRow(question, this);
    this.rows.set(question.key, row);
    return row;
  }

  /** @param {Question} question @param {number} number @returns {RowState} */
  rowState(question, number) {
    const state = question.text.trim() ? this.annotation.check(question).state : "empty";
    const isOutside = state === "wrong" || (state === "unfinished" && question.kept);
    return {
      number,
      isActive: question === this.active,
      bonus: this.data.pay ? unitBonus(this.data.pay, number) : 0,
      note: this.noteFor(question, state),
      canKeep: isOutside && !question.kept && this.annotation.freeForm,
      isOutside,
    };
  }

  /** @param {Question} question @param {string} state */
  noteFor(question, state) {
    if (question.kept && state !== "complete") {
      return t`Free-form question. It is reviewed before its bonus is paid.`;
    }
    const twin = this.annotation.twin(question);
    if (twin) return t`Same as question ${this.annotation.number(twin)}.`;
    if (state === "wrong") {
      const choice = refusedWord(question.text, this.annotation.check(question));
      if (!this.annotation.freeForm) return `${choice}.`;
      return t`${choice}, or keep it as a free-form question if none fits. Free-form questions are reviewed before their bonus is paid.`;
    }
    return "";
  }

  /**
   * Return questions worth asking next, given the verb's other questions.
   *
   * @param {string} text
   * @param {Question | null} question
   */
  suggest(text, question) {
    const others = this.annotation.asked().filter((other) => other !== question);
    const asked = others.map((other) => other.text);
    return this.suggester.suggest(text, asked, MAX_SUGGESTED).map((suggestion) => suggestion.question);
  }

  // --- what the worker does

  /** @param {Question} question @param {string} text @param {number | null} [picked]  a suggestion's rank */
  write(question, text, picked = null) {
    if (!this.annotation.find(question.key) || question.text === text) return;
    const isPicked = picked !== null;
    const action = isPicked ? t`picking` : t`typing`;
    this.change(
      t`${action} question ${this.annotation.number(question)}`,
      () => Object.assign(question, { text, picked, kept: false }),
      isPicked ? null : `write ${question.key}`,
    );
  }

  /** @param {Question} question @param {string} text */
  finish(question, text) {
    const { state } = this.annotation.check(question);
    if (state === "unfinished") return this.say(t`This question isn't finished. Choose how it continues.`);
    if (state === "wrong" && !question.kept) return this.say(this.noteFor(question, state));
    const twin = this.annotation.twin(question);
    if (twin) return this.say(t`You already asked this in question ${this.annotation.number(twin)}.`);
    const whole = tidy(text);
    if (whole !== question.text) this.write(question, whole);
    return this.mark(question);
  }

  /** @param {Question} question */
  keep(question) {
    const label = t`keeping question ${this.annotation.number(question)} as it is`;
    this.change(label, () => Object.assign(question, { kept: true, text: tidy(question.text) }));
    this.mark(question);
  }

  /** @param {Question} question @param {boolean} implied */
  imply(question, implied) {
    const how = implied ? t`implied` : t`explicit`;
    const label = t`question ${this.annotation.number(question)} ${how}`;
    this.change(label, () => Object.assign(question, { implied }));
  }

  /** @param {Question} question */
  mark(question) {
    this.activate(question);
    this.sentence.focus();
    const where = this.context.sides.length > 0 ? t`in the sentence or its context` : t`in the sentence`;
    this.say(t`Select the answer to ${quoted(question.text)} ${where}.`);
  }

  /** @param {Question} question */
  activate(question) {
    if (question === this.active || !this.annotation.find(question.key)) return;
    this.active = question;
    this.sentence.clear();
    this.context.clear();
    this.render();
  }

  /** @param {Question} question */
  remove(question) {
    const number = this.annotation.number(question);
    this.change(t`deleting question ${number}`, () => this.annotation.remove(question));
    this.focusQuestion(this.annotation.questions[number - 1] ?? this.annotation.questions.at(-1));
    this.say(t`Question ${number} deleted. You can undo this.`);
  }

  /** @param {Span} span */
  takeAnswer(span) {
    const question = this.active;
    if (!question || question.text.trim() === "") {
      this.say(t`Write the question first, then select its answer.`);
      return;
    }
    const refusal = this.annotation.refusal(question, span);
    if (refusal) {
      this.say(refusal, { isRefusal: true });
      return;
    }
    const answer = quoted(spanText(this.annotation.tokens, span));
    this.change(t`the answer ${answer}`, () => this.annotation.addAnswer(question, span));
    this.say(t`${answer} added.`);
  }

  /** @param {Question} question @param {Span} span */
  removeAnswer(question, span) {
    const answer = quoted(spanText(this.annotation.tokens, span));
    this.change(t`removing the answer ${answer}`, () => this.annotation.removeAnswer(question, span));
    this.say(t`Answer ${answer} removed.`);
  }

  /** @param {number} token */
  removeAnswerAt(token) {
    const span = this.active?.answers.find((answer) => contains(answer, token));
    if (this.active && span) this.removeAnswer(this.active, span);
    else this.say(t`No answer to this question contains this word.`);
  }

  /** @param {ContextAnswer} answer */
  takeContextAnswer(answer) {
    const question = this.active;
    if (!question || question.text.trim() === "") {
      this.say(t`Write the question first, then select its answer.`);
      return;
    }
    const refusal = this.annotation.contextRefusal(question, answer);
    if (refusal) {
      this.say(refusal, { isRefusal: true });
      return;
    }
    const text = quoted(this.context.text(answer));
    this.change(t`the answer ${text}`, () => {
      question.contextAnswers = [...question.contextAnswers, answer];
    });
    this.say(t`${text} added.`);
  }

  /** @param {Question} question @param {ContextAnswer} answer */
  removeContextAnswer(question, answer) {
    const text = quoted(this.context.text(answer));
    this.change(t`removing the answer ${text}`, () => {
      question.contextAnswers = question.contextAnswers.filter((other) => other !== answer);
    });
    this.say(t`Answer ${text} removed.`);
  }

  /** @param {ContextSide} side @param {number} token */
  removeContextAnswerAt(side, token) {
    const answer = this.active?.contextAnswers.find((own) => side.markOf(own).some((mark) => isOn(mark, token)));
    if (this.active && answer) this.removeContextAnswer(this.active, answer);
    else this.say(t`No answer to this question contains this word.`);
  }

  nextQuestion() {
    const { questions } = this.annotation;
    this.focusQuestion(questions.find((question) => question.text.trim() === "") ?? questions.at(-1));
  }

  /** @param {Question | undefined} question */
  focusQuestion(question) {
    if (!question) return;
    this.activate(question);
    this.rows.get(question.key)?.box.input.focus();
  }

  // --- messages

  /** @param {string} text */
  say(text, { isRefusal = false } = {}) {
    const note = this.ref("note");
    note.classList.toggle("sentence-note--refusal", isRefusal);
    setText(note, text);
  }

  /** @param {Span | null} span @param {boolean} pending */
  showSelection(span, pending) {
    const take = this.ref("take");
    const refusal = span && this.active ? this.annotation.refusal(this.active, span) : "";
    take.hidden = !span || refusal !== "";
    if (span) this.context.clear();
    this.ref("go-on").hidden = Boolean(span) || !this.active || !isAnswered(this.active) || this.locked;
    if (!span) return;
    const answer = quoted(spanText(this.annotation.tokens, span));
    setText(take, t`Add ${answer}`);
    if (refusal) this.say(refusal, { isRefusal: true });
    else if (pending) this.say(t`Click the last word (or the same word again).`);
    else this.say(answer);
  }
}

/** @param {import("../../sentence.js").Mark} mark @param {number} token */
function isOn({ start, end }, token) {
  return contains([start, end], token);
}

/**
 * Return the position of the first question that an undone or repeated step changes.
 *
 * @param {object[]} before
 * @param {object[]} after
 */
function firstDifference(before, after) {
  const count = Math.max(before.length, after.length);
  const positions = Array.from({ length: count }, (_, at) => at);
  const changed = positions.find((at) => JSON.stringify(before[at]) !== JSON.stringify(after[at]));
  return changed ?? count;
}
