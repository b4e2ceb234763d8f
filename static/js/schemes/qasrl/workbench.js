// The editor of questions and answers, for one verb or several in turn. The pages of the
// generator and of the exercises mount it.

/** @import { Span } from "../../spans.js" */
/** @import { Content, Item, Page } from "../../work/page.js" */
/** @import { PayTerms } from "../../work/pay.js" */
/** @import { OnChange, Refusal, Work } from "../../work/shell.js" */
/** @import { Question } from "./annotation.js" */
/** @import { RowState } from "./question-row.js" */

import { element, quoted, ref, setText } from "../../html.js";
import { Sentence } from "../../sentence.js";
import { contains, spanText } from "../../spans.js";
import { isLocked } from "../../work/page.js";
import { bonusCents, cents, unitBonus } from "../../work/pay.js";
import { Annotation, tidy } from "./annotation.js";
import { Suggester, Walker } from "./grammar.js";
import { QuestionRow } from "./question-row.js";

const MOST_QUESTIONS = 60;
const MOST_SUGGESTED = 5;

/** @typedef {{position: number, question: Question | null, message: string}} Problem */

/** @implements {Work} */
export class Workbench {
  /** @type {Sentence} */
  sentence;

  /** @param {HTMLElement} root @param {Page} page @param {OnChange} onChange */
  constructor(root, page, onChange) {
    this.root = root;
    this.page = page;
    this.onChange = onChange;
    this.locked = isLocked(page);
    this.items = page.items.map((item) => this.openItem(item));
    this.reason = ref(root, "no-question", HTMLInputElement);
    this.position = 0;
    this.annotation = this.items[0].annotation;
    /** @type {Map<number, QuestionRow>} */
    this.rows = new Map();
    /** @type {Question | undefined} */
    this.active = undefined;
    this.listen();
    this.showItem(0);
  }

  /** @param {Item} item */
  openItem(item) {
    const walker = new Walker(this.page.shared.automaton, item.data.item);
    const annotation = new Annotation({ tokens: item.tokens, walker, content: item.content });
    return { ...item, annotation, suggester: new Suggester(walker, item.data.ranking) };
  }

  /** @param {string} name */
  ref(name) {
    return ref(this.root, name);
  }

  listen() {
    this.ref("previous").addEventListener("click", () => this.showItem(this.position - 1, true));
    this.ref("next").addEventListener("click", () => this.showItem(this.position + 1, true));
    this.ref("take").addEventListener("click", () => this.sentence.takeSelection());
    this.ref("go-on").addEventListener("click", () => this.nextQuestion());
    const hero = this.ref("hero");
    new ResizeObserver(() => keepClearOf(hero)).observe(hero);
    this.reason.addEventListener("input", () => this.giveReason());
    const reasons = ref(this.root, "reasons", HTMLSelectElement);
    reasons.addEventListener("change", () => {
      if (reasons.value) this.reason.value = reasons.value;
      this.giveReason();
    });
  }

  // --- the contract of a work page

  content() {
    return this.contentBy((annotation) => annotation.draft());
  }

  submission() {
    return this.contentBy((annotation) => annotation.submission());
  }

  /** @returns {Problem[]} */
  problems() {
    this.clearProblems();
    return this.items.flatMap(({ annotation }, position) =>
      annotation.problems().map((problem) => ({ ...problem, position })),
    );
  }

  /** @param {Problem[]} problems */
  showProblems(problems) {
    const box = this.ref("problems");
    const several = this.items.length > 1;
    const entries = problems.map(({ position, question, message }) => {
      const text = several ? `Verb ${position + 1}: ${message}` : message;
      const go = () => this.goTo(position, question);
      return element("li", {}, element("button", { type: "button", class: "link", onclick: go }, text));
    });
    box.replaceChildren(element("p", {}, "Before you can submit:"), element("ul", {}, ...entries));
    box.hidden = false;
    box.focus();
  }

  /** @param {Refusal[]} refusals */
  showRefusals(refusals) {
    this.showProblems(
      refusals.map(({ item, path, message }) => {
        const position = Math.max(
          0,
          this.items.findIndex(({ id }) => id === item),
        );
        const { annotation } = this.items[position];
        const index = Number(/^questions\[(\d+)\]/.exec(path)?.[1] ?? NaN);
        const question = annotation.asked()[index] ?? null;
        const text = question ? `Question ${annotation.number(question)}: ${message}` : message;
        return { position, question, message: text };
      }),
    );
  }

  /** @param {Content} content */
  load(content) {
    for (const item of this.items) item.annotation.load(content[item.id]);
    this.showItem(this.position);
  }

  /** @param {{position: number, content: any}} before */
  restore({ position, content }) {
    this.items[position].annotation.load(content);
    this.showItem(position);
  }

  /** @param {Content} content */
  describe(content) {
    return this.items.flatMap(({ id, tokens }) =>
      /** @type {{question: string, answers: Span[]}[]} */ (content?.[id]?.questions ?? []).map(
        ({ question, answers }) => [question, ...answers.map((span) => spanText(tokens, span))].join(" – "),
      ),
    );
  }

  lock() {
    this.locked = true;
    this.sentence.disable(true);
    this.render();
  }

  /** @param {PayTerms} pay */
  earned(pay) {
    const bonus = this.items.reduce((sum, { annotation }) => sum + bonusCents(pay, annotation.countSound()), 0);
    return { bonus, label: "bonus" };
  }

  // --- changes

  /** @param {(annotation: Annotation) => any} write */
  contentBy(write) {
    return Object.fromEntries(this.items.map(({ id, annotation }) => [id, write(annotation)]));
  }

  /**
   * Make a change that can be undone.
   *
   * @param {string} label
   * @param {() => void} act
   * @param {string | null} mergeKey
   */
  change(label, act, mergeKey = null) {
    if (this.locked) return;
    const before = { position: this.position, content: this.annotation.draft() };
    act();
    this.onChange({ label, before, mergeKey });
    this.render();
  }

  giveReason() {
    this.annotation.noQuestion = this.reason.value;
    this.onChange();
  }

  // --- one item at a time

  createSentence() {
    const { tokens, target } = this.items[this.position];
    const box = this.ref("sentence");
    const fresh = /** @type {HTMLElement} */ (box.cloneNode(false));
    box.replaceWith(fresh);
    return new Sentence(fresh, {
      tokens,
      target: target.verb_idx,
      onChoose: (span) => this.takeAnswer(span),
      onRemove: (token) => this.removeAnswerAt(token),
      onLeave: (where) => (where === "next" ? this.nextQuestion() : this.focusQuestion(this.active)),
      onSelect: (span, pending) => this.showSelection(span, pending),
    });
  }

  /** @param {number} position */
  showItem(position, moveFocus = false) {
    this.position = position;
    this.annotation = this.items[position].annotation;
    this.rows = new Map();
    this.ref("questions").replaceChildren();
    this.sentence = this.createSentence();
    this.sentence.disable(this.locked);
    this.addEmptyQuestion();
    this.active = this.annotation.questions[0];
    this.reason.value = this.annotation.noQuestion;
    this.showProgress();
    this.clearProblems();
    this.render();
    this.say("");
    if (moveFocus) this.focusQuestion(this.annotation.questions.at(-1));
  }

  showProgress() {
    const { target, tokens } = this.items[this.position];
    const count = this.items.length;
    const isLast = this.position === count - 1;
    setText(this.ref("verb"), tokens[target.verb_idx]);
    this.ref("progress").hidden = count === 1;
    setText(this.ref("progress-text"), `Verb ${this.position + 1} of ${count}`);
    const bar = ref(this.root, "progress-bar", HTMLProgressElement);
    bar.max = count;
    bar.value = this.position + 1;
    this.ref("previous").hidden = this.position === 0;
    this.ref("next").hidden = isLast;
    this.ref("submit").hidden = !isLast;
  }

  // The last row is always empty, so that there is one to write in.
  addEmptyQuestion() {
    const { questions } = this.annotation;
    const isFull = this.locked || questions.length >= MOST_QUESTIONS;
    const last = questions.at(-1);
    if (!last || (!isFull && last.text.trim())) this.annotation.add();
  }

  render() {
    this.addEmptyQuestion();
    const { questions } = this.annotation;
    if (!this.active || !questions.includes(this.active)) this.active = questions.at(-1);
    this.renderRows(questions);
    this.sentence.paint(this.annotation.marks(this.active));
    this.showSelection(this.sentence.selection, this.sentence.pending);
    this.showNextPay();
    this.ref("nothing-to-ask").hidden = this.annotation.asked().length > 0;
    this.reason.disabled = this.locked;
    ref(this.root, "reasons", HTMLSelectElement).disabled = this.locked;
    ref(this.root, "submit", HTMLButtonElement).disabled = this.locked;
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
      bonus: this.page.pay ? unitBonus(this.page.pay, number) : 0,
      note: this.noteFor(question, state),
      canKeep: isOutside && !question.kept,
      isOutside,
    };
  }

  /** @param {Question} question @param {string} state */
  noteFor(question, state) {
    if (question.kept && state !== "complete") {
      return "Outside the template. This question will be reviewed manually.";
    }
    const twin = this.annotation.twin(question);
    if (twin) return `The same question as number ${this.annotation.number(twin)}.`;
    if (state === "wrong") {
      const { start, end } = this.annotation.check(question);
      const word = quoted(question.text.slice(start, end));
      return `${word} can't stand here. Choose one of the words below it, or keep the question if nothing fits. Questions outside the template are hard to compare and may not be accepted.`;
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
    const { suggester } = this.items[this.position];
    const others = this.annotation.asked().filter((other) => other !== question);
    const asked = others.map((other) => other.text);
    return suggester.suggest(text, asked, MOST_SUGGESTED).map((suggestion) => suggestion.question);
  }

  // --- what the worker does

  /** @param {Question} question @param {string} text */
  write(question, text) {
    if (!this.annotation.find(question.key) || question.text === text) return;
    this.change(
      `typing question ${this.annotation.number(question)}`,
      () => {
        question.text = text;
        question.kept = false;
      },
      `write ${question.key}`,
    );
  }

  /** @param {Question} question @param {string} text */
  finish(question, text) {
    const { state } = this.annotation.check(question);
    if (state === "unfinished") return this.say("This question is not finished: choose how it goes on.");
    if (state === "wrong" && !question.kept) return this.say(this.noteFor(question, state));
    const twin = this.annotation.twin(question);
    if (twin) return this.say(`You asked this already: it is question ${this.annotation.number(twin)}.`);
    const whole = tidy(text);
    if (whole !== question.text) this.write(question, whole);
    return this.mark(question);
  }

  /** @param {Question} question */
  keep(question) {
    const label = `keeping question ${this.annotation.number(question)} as it is`;
    this.change(label, () => Object.assign(question, { kept: true, text: tidy(question.text) }));
    this.mark(question);
  }

  /** @param {Question} question */
  mark(question) {
    this.activate(question);
    this.sentence.focus();
    this.say(`Mark the answer to ${quoted(question.text)} in the sentence.`);
  }

  /** @param {Question} question */
  activate(question) {
    if (question === this.active || !this.annotation.find(question.key)) return;
    this.active = question;
    this.sentence.clear();
    this.render();
  }

  /** @param {Question} question */
  remove(question) {
    const number = this.annotation.number(question);
    this.change(`deleting question ${number}`, () => this.annotation.remove(question));
    this.focusQuestion(this.annotation.questions[number - 1] ?? this.annotation.questions.at(-1));
    this.say(`Question ${number} deleted. You can undo this.`);
  }

  /** @param {Span} span */
  takeAnswer(span) {
    const question = this.active;
    if (!question || question.text.trim() === "") {
      this.say("Write the question first, then mark its answer.");
      return;
    }
    const refusal = this.annotation.refusal(question, span);
    if (refusal) {
      this.say(refusal, { isRefusal: true });
      return;
    }
    const answer = quoted(spanText(this.annotation.tokens, span));
    this.change(`the answer ${answer}`, () => this.annotation.addAnswer(question, span));
    this.say(`${answer} taken.`);
  }

  /** @param {Question} question @param {Span} span */
  removeAnswer(question, span) {
    const answer = quoted(spanText(this.annotation.tokens, span));
    this.change(`removing the answer ${answer}`, () => this.annotation.removeAnswer(question, span));
    this.say(`Answer ${answer} removed.`);
  }

  /** @param {number} token */
  removeAnswerAt(token) {
    const span = this.active?.answers.find((answer) => contains(answer, token));
    if (this.active && span) this.removeAnswer(this.active, span);
    else this.say("This word is in no answer of the question.");
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

  /** @param {number} position @param {Question | null} question */
  goTo(position, question) {
    if (position !== this.position) this.showItem(position);
    this.focusQuestion(question ?? this.annotation.questions.at(-1));
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
    this.ref("go-on").hidden = Boolean(span) || !this.active?.answers.length || this.locked;
    if (!span) return;
    const answer = quoted(spanText(this.annotation.tokens, span));
    setText(take, `Take ${answer}`);
    if (refusal) this.say(refusal, { isRefusal: true });
    else if (pending) this.say("Now the last word; the same word again takes it alone.");
    else this.say(answer);
  }

  showNextPay() {
    const { pay } = this.page;
    if (!pay) return;
    const next = unitBonus(pay, this.annotation.countSound() + 1);
    const text = next > 0 ? `next question +${cents(next)}` : "next question: part of the reward";
    setText(this.ref("next-pay"), text);
  }

  clearProblems() {
    this.ref("problems").hidden = true;
  }
}

/**
 * Keep focused elements clear of the sentence, which sticks to the top of the window.
 *
 * @param {HTMLElement} hero
 */
function keepClearOf(hero) {
  const isSticky = getComputedStyle(hero).position === "sticky";
  document.documentElement.style.scrollPaddingTop = isSticky ? `${hero.offsetHeight + 8}px` : "";
}
