// The questions and answers about one predicate, without elements. A noun may also describe no event,
// and then it has no questions.
//
// A question of a draft may be incomplete. `kept` marks a question outside the template that its
// writer wants to submit. Submitted content has neither (schemes/qasrl/content.py).

/** @import { Mark } from "../../sentence.js" */
/** @import { Span } from "../../spans.js" */
/** @import { ContextAnswer } from "./context-answers.js" */
/** @import { Walker } from "./grammar.js" */
/** @import { Check } from "./grammar-types.js" */

import { t } from "../../html.js";
import { byPosition, contested, equal, overlaps } from "../../spans.js";
import { spanText } from "../../written-text.js";
import { ContextWords, sharesWords } from "./context-answers.js";
import { finished, split } from "./grammar.js";

const MAX_CHECKS = 200;
let lastKey = 0;

/**
 * `picked` is the rank of the suggestion that the text is, from 1, or null for a typed text.
 *
 * @typedef {{key: number, text: string, answers: Span[], kept: boolean, picked: number | null,
 *   implied: boolean, contextAnswers: ContextAnswer[]}} Question
 */

/**
 * @typedef {{question?: string, answers?: Span[], kept?: boolean, picked?: number | null, implied?: boolean,
 *   context_answers?: ContextAnswer[]}} StoredQuestion
 */

/** @typedef {{questions?: StoredQuestion[], no_question?: string, is_verbal?: boolean | null}} AnnotationContent */

export class Annotation {
  /**
   * @param {object} options
   * @param {string[]} options.tokens
   * @param {Walker} options.walker
   * @param {AnnotationContent | null} [options.content]
   * @param {boolean} [options.freeForm]  whether questions outside the template can be kept
   * @param {boolean} [options.isNoun]
   * @param {boolean} [options.asksImplied]  whether the writer marks arguments that are only implied
   * @param {ContextWords} [options.context]  the sentences in which answers may lie
   */
  constructor({
    tokens,
    walker,
    content = null,
    freeForm = true,
    isNoun = false,
    asksImplied = false,
    context = new ContextWords(undefined),
  }) {
    this.tokens = tokens;
    this.context = context;
    this.asksImplied = asksImplied;
    this.freeForm = freeForm;
    this.isNoun = isNoun;
    /** @type {boolean | null} Whether a noun describes an event, null if undecided. */
    this.isVerbal = null;
    this.walker = walker;
    /** @type {Map<string, Check>} */
    this.checks = new Map();
    this.noQuestion = "";
    /** @type {Question[]} */
    this.questions = [];
    this.load(content);
  }

  /** @param {AnnotationContent | null} content */
  load(content) {
    this.noQuestion = typeof content?.no_question === "string" ? content.no_question : "";
    this.questions = (content?.questions ?? []).map((stored) => this.question(stored));
    this.isVerbal = this.isNoun ? (content?.is_verbal ?? null) : null;
  }

  /** @param {StoredQuestion} stored @returns {Question} */
  question({
    question = "",
    answers = [],
    kept = false,
    picked = null,
    implied = false,
    context_answers: contextAnswers = [],
  } = {}) {
    lastKey += 1;
    const inside = answers.filter(([start, end]) => start < end && end <= this.tokens.length);
    return {
      key: lastKey,
      text: question,
      answers: inside.sort(byPosition),
      kept: kept && this.freeForm,
      picked,
      implied,
      contextAnswers: contextAnswers.filter((answer) => this.context.has(answer)),
    };
  }

  // --- as JSON

  draft() {
    const written = this.questions.filter((question) => question.text.trim() || isAnswered(question));
    return {
      questions: written.map(({ text, answers, kept, picked, implied, contextAnswers }) => ({
        question: text,
        answers,
        ...(kept && { kept }),
        ...(picked && { picked }),
        ...(implied && { implied }),
        ...storedInContext(contextAnswers),
      })),
      no_question: this.noQuestion,
      ...(this.isNoun && { is_verbal: this.isVerbal }),
    };
  }

  submission() {
    const asked = this.canAsk() ? this.asked() : [];
    return {
      questions: asked.map(({ text, answers, picked, implied, contextAnswers }) => ({
        question: tidy(text),
        answers: [...answers].sort(byPosition),
        picked,
        ...(this.asksImplied && { implied }),
        ...storedInContext(contextAnswers),
      })),
      no_question: asked.length > 0 || !this.canAsk() ? "" : this.noQuestion.trim(),
      ...(this.isNoun && { is_verbal: this.isVerbal }),
    };
  }

  // Whether the predicate is one that questions can be asked about.
  canAsk() {
    return !this.isNoun || this.isVerbal === true;
  }

  // --- questions

  // Return the position of the first question without an answer, or of the one to write next.
  firstOpen() {
    const at = this.questions.findIndex((question) => !isAnswered(question));
    return at < 0 ? this.questions.length : at;
  }

  add() {
    const fresh = this.question();
    this.questions.push(fresh);
    return fresh;
  }

  /** @param {number} key */
  find(key) {
    return this.questions.find((question) => question.key === key);
  }

  /** @param {Question} removed */
  remove(removed) {
    this.questions = this.questions.filter((question) => question !== removed);
  }

  asked() {
    return this.questions.filter((question) => question.text.trim() !== "");
  }

  // Count the questions without a problem.
  countSound() {
    if (!this.canAsk()) return 0;
    return this.asked().length - this.problems().filter(({ question }) => question).length;
  }

  /** @param {Question} question */
  number(question) {
    return this.questions.indexOf(question) + 1;
  }

  /**
   * Return another question with the same text.
   *
   * @param {Question} question
   */
  twin(question) {
    const text = folded(question.text);
    return this.questions.find((other) => other !== question && text !== "" && folded(other.text) === text);
  }

  /**
   * Check a question's text. Results are cached: each keystroke checks every row.
   *
   * @param {Question} question
   */
  check({ text }) {
    const cached = this.checks.get(text);
    if (cached) return cached;
    if (this.checks.size >= MAX_CHECKS) this.checks.clear();
    const check = this.walker.check(text);
    this.checks.set(text, check);
    return check;
  }

  // --- answers

  /**
   * Explain why a span can't be an answer of the question, or return "".
   *
   * @param {Question} question
   * @param {Span} span
   */
  refusal(question, span) {
    for (const other of this.questions) {
      const taken = other.answers.find((answer) => overlaps(answer, span));
      if (!taken) continue;
      const words = `“${spanText(this.tokens, common(taken, span))}”`;
      if (other !== question) {
        return t`${words} is already part of an answer to question ${this.number(other)}. A word can belong to one answer only.`;
      }
      if (equal(taken, span)) return t`${words} is already an answer to this question.`;
      return t`${words} is already part of the answer “${spanText(this.tokens, taken)}”. To change it, remove it first.`;
    }
    return "";
  }

  /** @param {Question} question @param {Span} span */
  addAnswer(question, span) {
    question.answers = [...question.answers, span].sort(byPosition);
  }

  /** @param {Question} question @param {Span} span */
  removeAnswer(question, span) {
    question.answers = question.answers.filter((answer) => !equal(answer, span));
  }

  /**
   * Explain why words of the context can't be an answer of the question, or return "".
   *
   * @param {Question} question
   * @param {ContextAnswer} answer
   */
  contextRefusal(question, answer) {
    const taken = question.contextAnswers.find((other) => sharesWords(other, answer));
    return taken ? t`“${this.context.text(taken)}” is already an answer to this question.` : "";
  }

  // --- problems

  /** @returns {{question: Question | null, message: string}[]} */
  problems() {
    if (!this.canAsk()) {
      const message = t`Choose whether the marked noun describes an action or event.`;
      return this.isVerbal === null ? [{ question: null, message }] : [];
    }
    const asked = this.asked();
    if (asked.length === 0 && this.noQuestion.trim() === "") {
      return [{ question: null, message: t`Ask a question, or explain why no question is possible.` }];
    }
    const clashes = contested(asked.flatMap((question) => question.answers));
    return asked.flatMap((question) => {
      const message = this.problem(question, clashes);
      return message ? [{ question, message }] : [];
    });
  }

  /**
   * @param {Question} question
   * @param {Set<number>} clashes  tokens in several answers
   */
  problem(question, clashes) {
    const { state } = this.check(question);
    const number = this.number(question);
    if (!question.kept && state === "unfinished") return t`Question ${number} isn't finished.`;
    if (!question.kept && state === "wrong") {
      return this.freeForm
        ? t`Question ${number} doesn't fit the template. Correct it or keep it as a free-form question.`
        : t`Question ${number} doesn't fit the template. Correct it or delete it.`;
    }
    const twin = this.twin(question);
    if (twin && this.number(twin) < number) {
      return t`Question ${number} is the same as question ${this.number(twin)}. Delete one of them.`;
    }
    if (!isAnswered(question)) return t`Question ${number} has no answer yet.`;
    const shared = question.answers.some(([start, end]) => {
      for (let token = start; token < end; token += 1) if (clashes.has(token)) return true;
      return false;
    });
    return shared ? t`An answer to question ${number} overlaps another answer.` : "";
  }

  /**
   * Return the marks of the sentence while a question is active.
   *
   * @param {Question | undefined} active
   * @returns {Mark[]}
   */
  marks(active) {
    const clashes = contested(this.questions.flatMap((question) => question.answers));
    /** @type {Mark[]} */
    const marks = [];
    for (const question of this.questions) {
      const isOwn = question === active;
      const label = isOwn ? t`answer to this question` : t`answer to question ${this.number(question)}`;
      for (const [start, end] of question.answers) marks.push({ start, end, kind: isOwn ? "own" : "other", label });
    }
    for (const token of clashes)
      marks.push({ start: token, end: token + 1, kind: "conflict", label: t`in two answers` });
    return marks;
  }
}

/** @param {Question} question */
export function isAnswered({ answers, contextAnswers }) {
  return answers.length + contextAnswers.length > 0;
}

/** @param {ContextAnswer[]} contextAnswers */
function storedInContext(contextAnswers) {
  return contextAnswers.length > 0 ? { context_answers: contextAnswers } : {};
}

/**
 * Return a question as it is stored: single blanks, a capital first, one "?" last.
 *
 * @param {string} text
 */
export function tidy(text) {
  const { words } = split(text);
  return words.length > 0 ? finished(original(text, words)) : "";
}

/**
 * Join the words with single blanks, with their letters as typed.
 *
 * @param {string} text
 * @param {{start: number, end: number}[]} words
 */
function original(text, words) {
  return words.map(({ start, end }) => text.slice(start, end)).join(" ");
}

/** @param {string} text */
function folded(text) {
  return tidy(text).toLowerCase().replaceAll("\u2019", "'");
}

/** @param {Span} a @param {Span} b @returns {Span} */
function common([start, end], [otherStart, otherEnd]) {
  return [Math.max(start, otherStart), Math.min(end, otherEnd)];
}
