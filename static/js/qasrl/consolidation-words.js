// What the consolidation page says: names of questions, problems, moves. Plain text, no elements.

import { quoted } from "../html.js";
import { find, KEEP, MAX_ANSWERS, MAX_QUESTION_LENGTH, MAX_NEW_QUESTIONS } from "./consolidation-state.js";
import { split } from "./grammar.js";

// --- questions as texts ------------------------------------------------------------------------

// What can't be part of a question (schemes/qasrl/content.py refuses it) goes; blanks become
// single, and an apostrophe is the plain one, as in a question that the template knows.
export function cleaned(text) {
  return text
    .replace(/[\s\u001c-\u001f\u0085]+/gu, " ")
    .replace(/[\p{Cc}\p{Cs}]/gu, "")
    .replaceAll("\u2019", "'")
    .trim();
}

// Equal for questions that are the same to the server; "" where nothing is asked.
export function keyOf(text) {
  const words = split(text).words.map(({ start, end }) => text.slice(start, end));
  // Upper case first, so that ß and SS are the same here as they are there.
  return words.join(" ").toUpperCase().toLowerCase();
}

// --- names -------------------------------------------------------------------------------------

// A to Z, then AA: the first annotator is A, however many there are.
export function letter(submission) {
  const last = String.fromCharCode(65 + (submission % 26));
  return submission < 26 ? last : letter(Math.floor(submission / 26) - 1) + last;
}

// "A1": the first question of the first annotator; "N1": the first of one's own.
export function nameOf({ id, source }) {
  return source ? `${letter(source.submission)}${source.question + 1}` : `N${Number(id.slice(4)) + 1}`;
}

export function named(question) {
  return `${nameOf(question)} ${quoted(question.question || "…")}`;
}

// --- groups ------------------------------------------------------------------------------------

// How the questions of a group stand to each other, from the sources alone. `isAgreed`: everyone
// has it, so it can be settled with all others of its kind; `isOneRole`: one key settles it.
export function standing(rows, sourceCount) {
  if (rows.length === 1) {
    const text = sourceCount > 1 ? `Only ${letter(rows[0].submission)} asks this` : "";
    return { isAgreed: false, isOneRole: true, text };
  }
  const isOne = (values) => new Set(values).size === 1;
  const isEveryone = rows.length === sourceCount && new Set(rows.map((row) => row.submission)).size === sourceCount;
  const isAgreed = isEveryone && rows.every((row) => row.agrees);
  const sameText = isOne(rows.map((row) => row.question));
  const sameAnswers = isOne(rows.map((row) => JSON.stringify(row.answers)));
  const isOneRole = isAgreed || sameText || sameAnswers;
  if (sameText && sameAnswers) return { isAgreed, isOneRole, text: "Same question, same answers" };
  if (isAgreed) return { isAgreed, isOneRole, text: "Same answers, worded differently" };
  if (sameText) return { isAgreed, isOneRole, text: "Same question, answers differ" };
  if (sameAnswers) return { isAgreed, isOneRole, text: "Same answers, questions differ" };
  return { isAgreed, isOneRole, text: "Questions and answers differ" };
}

// --- problems ----------------------------------------------------------------------------------

export function problemText({ kind, ids, tokens: at }, state, tokens) {
  const [first, ...rest] = ids.map((id) => find(state, id));
  const who = first ? nameOf(first) : "";
  const others = [...new Set(rest)].filter((each) => each !== first).map(nameOf);
  const texts = {
    unjudged: () => `${who} is not judged yet.`,
    empty: () => `${who} is kept, but asks nothing.`,
    "too-long": () => `${who} is longer than ${MAX_QUESTION_LENGTH} characters.`,
    "no-answer": () => `${who} is kept, but has no answer.`,
    "too-many-answers": () => `${who} has more than ${MAX_ANSWERS} answers.`,
    "too-many-questions": () => `More than ${MAX_NEW_QUESTIONS} questions of your own can't be handed in.`,
    same: () => `${[who, ...others].join(" and ")} ask the same and are both kept.`,
    conflict: () =>
      `${quoted(at.map((token) => tokens[token]).join(" "))} is in answers of ${[who, ...others].join(" and ")}.`,
  };
  return texts[kind]();
}

// --- moves, as the undo button names them ----------------------------------------------------------

export function moveText(state, move) {
  const question = find(state, move.id);
  const who = question ? nameOf(question) : "";
  const texts = {
    keep: `keep ${who}`,
    invalid: `${who} invalid`,
    unjudge: `open ${who} again`,
    redundant: `${who} redundant`,
    merge: `merge ${who}`,
    settle: "settle what agrees",
    add: "new question",
    remove: `delete ${who}`,
    rewrite: `rewrite ${who}`,
    mark: `answer of ${who}`,
    unmark: `remove answer of ${who}`,
    reshape: `change answer of ${who}`,
    split: `split answer of ${who}`,
    cut: `cut words of ${who}`,
    join: `join answers of ${who}`,
    move: `move answer of ${who}`,
  };
  return texts[move.type];
}

export function verdictText(question, state) {
  if (question.verdict === null) return "not judged";
  if (question.verdict === KEEP) return question.source ? "kept" : "kept, new";
  if (question.sameAs === null) return "invalid";
  return `redundant, repeats ${nameOf(find(state, question.sameAs))}`;
}
