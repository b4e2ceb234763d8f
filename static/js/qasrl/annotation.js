// One predicate's questions and answers, as they stand on the page; no elements here.
//
// In a draft a question may be half typed, and `kept` marks one outside the template that its
// writer wants all the same. What is handed in has neither (schemes/qasrl/content.py).

import { byPosition, contested, equal, overlaps, spanText } from "../spans.js";
import { finished, split } from "./grammar.js";

const KEPT_CHECKS = 200;
let lastKey = 0;

export class Annotation {
  constructor({ tokens, walker, content = null }) {
    this.tokens = tokens;
    this.walker = walker;
    this.checks = new Map();
    this.load(content);
  }

  load(content) {
    this.noQuestion = typeof content?.no_question === "string" ? content.no_question : "";
    this.questions = (content?.questions ?? []).map((each) => this.question(each));
  }

  question({ question = "", answers = [], kept = false } = {}) {
    lastKey += 1;
    const inside = answers.filter(([start, end]) => start < end && end <= this.tokens.length);
    return { key: lastKey, text: question, answers: inside.sort(byPosition), kept };
  }

  // --- as JSON

  draft() {
    const written = this.questions.filter((each) => each.text.trim() || each.answers.length > 0);
    return {
      questions: written.map(({ text, answers, kept }) => ({
        question: text,
        answers,
        ...(kept && { kept }),
      })),
      no_question: this.noQuestion,
    };
  }

  handedIn() {
    return {
      questions: this.asked().map(({ text, answers }) => ({
        question: tidy(text),
        answers: [...answers].sort(byPosition),
      })),
      no_question: this.asked().length > 0 ? "" : this.noQuestion.trim(),
    };
  }

  // --- questions

  add() {
    const fresh = this.question();
    this.questions.push(fresh);
    return fresh;
  }

  find(key) {
    return this.questions.find((each) => each.key === key);
  }

  remove(key) {
    this.questions = this.questions.filter((each) => each.key !== key);
  }

  asked() {
    return this.questions.filter((each) => each.text.trim() !== "");
  }

  number(question) {
    return this.questions.indexOf(question) + 1;
  }

  twin(question) {
    const text = folded(question.text);
    return this.questions.find((each) => each !== question && text !== "" && folded(each.text) === text);
  }

  // Asked for at every keystroke and for every row, so each text is walked once.
  check({ text }) {
    if (!this.checks.has(text)) {
      if (this.checks.size >= KEPT_CHECKS) this.checks.clear();
      this.checks.set(text, this.walker.check(text));
    }
    return this.checks.get(text);
  }

  // --- answers

  // Why a span can't be an answer of the question, in words; "" when it can.
  refusal(question, span) {
    for (const other of this.questions) {
      const taken = other.answers.find((answer) => overlaps(answer, span));
      if (!taken) continue;
      const words = `“${spanText(this.tokens, common(taken, span))}”`;
      if (other !== question) {
        return `${words} already belongs to an answer of question ${this.number(other)}. Each word can be in one answer only.`;
      }
      if (equal(taken, span)) return `${words} is an answer of this question already.`;
      return `${words} is already in the answer “${spanText(this.tokens, taken)}”. Remove that one first to change it.`;
    }
    return "";
  }

  addAnswer(question, span) {
    question.answers = [...question.answers, span].sort(byPosition);
  }

  removeAnswer(question, span) {
    question.answers = question.answers.filter((each) => !equal(each, span));
  }

  // --- what still has to be done: [{question or null, message}]

  problems() {
    const asked = this.asked();
    if (asked.length === 0 && this.noQuestion.trim() === "") {
      return [{ question: null, message: "Ask a question, or say why none can be asked." }];
    }
    const clashes = contested(asked.flatMap((each) => each.answers));
    return asked.flatMap((question) => {
      const message = this.problem(question, clashes);
      return message ? [{ question, message }] : [];
    });
  }

  problem(question, clashes) {
    const { state } = this.check(question);
    const number = this.number(question);
    if (!question.kept && state === "unfinished") return `Question ${number} is not finished.`;
    if (!question.kept && state === "wrong") {
      return `Question ${number} is outside the template: correct it or keep it as it is.`;
    }
    const twin = this.twin(question);
    if (twin && this.number(twin) < number) {
      return `Question ${number} is the same as question ${this.number(twin)}.`;
    }
    if (question.answers.length === 0) return `Question ${number} has no answer yet.`;
    const shared = question.answers.some(([start, end]) => {
      for (let token = start; token < end; token += 1) if (clashes.has(token)) return true;
      return false;
    });
    return shared ? `An answer of question ${number} shares words with another answer.` : "";
  }

  // How the words are painted for the question that is being answered.
  marks(active) {
    const clashes = contested(this.questions.flatMap((each) => each.answers));
    const marks = this.questions.flatMap((question) =>
      question.answers.map(([start, end]) => ({
        start,
        end,
        kind: question === active ? "own" : "other",
        label:
          question === active ? "answer to this question" : `answer to question ${this.number(question)}`,
      })),
    );
    for (const token of clashes) {
      marks.push({ start: token, end: token + 1, kind: "conflict", label: "in two answers" });
    }
    return marks;
  }
}

// A question as it is stored: single blanks, a capital first, one "?" last.
export function tidy(text) {
  const { words } = split(text);
  return words.length > 0 ? finished(original(text, words)) : "";
}

// Blanks made single; letters stay as typed, for they may be part of what was kept on purpose.
function original(text, words) {
  return words.map(({ start, end }) => text.slice(start, end)).join(" ");
}

function folded(text) {
  return tidy(text).toLowerCase().replaceAll("\u2019", "'");
}

function common([start, end], [otherStart, otherEnd]) {
  return [Math.max(start, otherStart), Math.min(end, otherEnd)];
}
