// The texts of the consolidation page: names of questions, problems and moves.

/** @import { Span } from "../../spans.js" */
/** @import { CaseQuestion, CaseState, Move, Problem } from "./case-types.js" */

import { quoted, t } from "../../html.js";
import { wordsText } from "../../written-text.js";
import { moveTexts } from "./case-card.js";
import { find, KEEP, listed, MAX_ANSWERS, MAX_NEW_QUESTIONS, MAX_QUESTION_LENGTH } from "./case-state.js";
import { split } from "./grammar.js";

/**
 * A question of a source as the server aligned it.
 *
 * @typedef {object} Row
 * @property {number} submission
 * @property {number} position
 * @property {string} question
 * @property {Span[]} answers
 * @property {{text: string}[]} [context_answers]
 * @property {boolean} agrees
 * @property {boolean} has_modal
 */

/**
 * Return the text without characters that the server refuses (schemes/qasrl/content.py), with
 * single blanks and plain apostrophes.
 *
 * @param {string} text
 */
export function cleaned(text) {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: Python's whitespace, which the server removes
      .replace(/[\s\u001c-\u001f\u0085]+/gu, " ")
      .replace(/[\p{Cc}\p{Cs}]/gu, "")
      .replaceAll("\u2019", "'")
      .trim()
  );
}

/**
 * Return a key that is equal for questions that the server takes as the same, "" for no question.
 *
 * @param {string} text
 */
export function keyOf(text) {
  const words = split(text).words.map(({ start, end }) => text.slice(start, end));
  // Upper case first, so that ß and SS are the same, as on the server.
  return words.join(" ").toUpperCase().toLowerCase();
}

/**
 * Name an annotator: A to Z, then AA.
 *
 * @param {number} submission
 * @returns {string}
 */
export function letter(submission) {
  const last = String.fromCharCode(65 + (submission % 26));
  return submission < 26 ? last : letter(Math.floor(submission / 26) - 1) + last;
}

/**
 * Name a question: "A1" is the first one of the first annotator, "N1" the first new one.
 *
 * @param {CaseQuestion | undefined} question
 */
export function nameOf(question) {
  if (!question) return "";
  const { id, source } = question;
  return source ? `${letter(source.submission)}${source.question + 1}` : `N${Number(id.slice(4)) + 1}`;
}

/** @param {CaseQuestion} question */
export function named(question) {
  return `${nameOf(question)} ${quoted(question.question || "…")}`;
}

/**
 * Describe how a group's questions relate. `isAgreed`: every source asks it with the same answers.
 * `isOneRole`: its questions ask for one role, and one key settles it.
 *
 * @param {Row[]} rows
 * @param {number} sourceCount
 */
export function standing(rows, sourceCount) {
  if (rows.length === 1) {
    const text = sourceCount > 1 ? t`Asked only by ${letter(rows[0].submission)}` : "";
    return { isAgreed: false, isOneRole: true, text };
  }
  const isOne = (/** @type {string[]} */ values) => new Set(values).size === 1;
  const isEveryone = rows.length === sourceCount && new Set(rows.map((row) => row.submission)).size === sourceCount;
  const isAgreed = isEveryone && rows.every((row) => row.agrees);
  const sameText = isOne(rows.map((row) => row.question));
  const sameAnswers = isOne(rows.map((row) => JSON.stringify([row.answers, row.context_answers])));
  const isOneRole = isAgreed || sameText || sameAnswers;
  if (sameText && sameAnswers) return { isAgreed, isOneRole, text: t`Same question, same answers` };
  if (isAgreed) return { isAgreed, isOneRole, text: t`Same answers, worded differently` };
  if (sameText) return { isAgreed, isOneRole, text: t`Same question, answers differ` };
  if (sameAnswers) return { isAgreed, isOneRole, text: t`Same answers, questions differ` };
  return { isAgreed, isOneRole, text: t`Questions and answers differ` };
}

/** @param {Problem} problem @param {CaseState} state @param {string[]} tokens */
export function problemText({ kind, ids, tokens: at }, state, tokens) {
  const names = [...new Set(ids)].map((id) => nameOf(find(state, id)));
  const [who] = names;
  const all = listed(names);
  const texts = {
    unjudged: t`Judge ${who}.`,
    empty: t`${who} is kept, but has no text.`,
    "too-long": t`${who} is longer than ${MAX_QUESTION_LENGTH} characters.`,
    "no-answer": t`${who} is kept, but has no answer.`,
    "too-many-answers": t`${who} has more than ${MAX_ANSWERS} answers.`,
    "too-many-questions": t`You can't submit more than ${MAX_NEW_QUESTIONS} questions of your own.`,
    same: t`${all} are duplicates. Keep only one of them.`,
    "verbal-undecided": t`Choose whether the marked noun describes an action or event.`,
    "not-verbal":
      names.length > 1
        ? t`You chose that the noun doesn't describe an event, but ${all} are kept. Change one of them.`
        : t`You chose that the noun doesn't describe an event, but ${all} is kept. Change one of them.`,
    conflict: t`${quoted(wordsText(tokens, at))} is part of answers to ${all}. A word can belong to one question only.`,
  };
  return texts[kind];
}

/** @param {CaseState} state @param {Move} move */
export function moveText(state, move) {
  const who = nameOf(find(state, move.id));
  const texts = {
    ...moveTexts(who),
    keep: t`keep ${who}`,
    redundant: t`${who} redundant`,
    merge: t`merge ${who}`,
    settle: t`accept what all agree on`,
    verbal: move.isVerbal ? t`an event` : t`no event`,
    add: t`new question`,
    remove: t`delete ${who}`,
    rewrite: t`rewrite ${who}`,
    join: t`join answers to ${who}`,
    move: t`move answer to ${who}`,
    implied: `${who} ${move.implied ? "implied" : "explicit"}`,
  };
  return texts[move.type];
}

/** @param {CaseQuestion} question @param {CaseState} state */
export function verdictText(question, state) {
  if (question.verdict === null) return t`not judged`;
  if (question.verdict === KEEP) {
    return ["kept", !question.source && "new", question.implied && "implied"].filter(Boolean).join(", ");
  }
  if (question.sameAs === null) return "invalid";
  return t`redundant, duplicate of ${nameOf(find(state, question.sameAs))}`;
}
