// A validation as plain values: a case of one source without its answers. Questions and moves are
// those of case-state.js, and "kept" there is "valid" here.

/** @import { CaseContent, CaseState, ContentQuestion, Move, Verdict } from "./case-types.js" */

import {
  apply as applyToCase,
  begin as beginCase,
  find,
  INVALID,
  KEEP,
  problems as problemsOfCase,
  REDUNDANT,
} from "./case-state.js";

/** The verdicts as the server names them (schemes/qasrl/content.py). */
const SENT = { [KEEP]: "valid", [INVALID]: "invalid", [REDUNDANT]: "redundant" };
/** @type {Record<string, Verdict>} */
const RECEIVED = { valid: KEEP, invalid: INVALID, redundant: REDUNDANT };
export const MOVE_TYPES = ["keep", "invalid", "unjudge", "redundant", "mark", "unmark", "split", "cut"];

/** @param {{asked: string[], size: number}} options */
export function begin({ asked, size }) {
  const questions = asked.map((question) => ({ question, answers: [] }));
  return beginCase({ sources: [{ questions, no_question: "" }], size });
}

/**
 * Apply a move. Marking an answer makes the question valid.
 *
 * @param {CaseState} state
 * @param {Move} move
 */
export function apply(state, move) {
  if (move.type !== "mark") return applyToCase(state, move);
  const marked = applyToCase(state, move);
  return marked === state ? state : applyToCase(marked, { type: "keep", id: move.id });
}

/**
 * Return the content for the server. A verdict is null while the question is open.
 *
 * @param {CaseState} state
 */
export function contentOf(state) {
  const positions = new Map(state.questions.map(({ id }, position) => [id, position]));
  return {
    questions: state.questions.map(({ question, answers, verdict, sameAs }) => ({
      question,
      answers: verdict === KEEP ? answers : [],
      verdict: verdict && SENT[verdict],
      same_as: sameAs === null ? null : positions.get(sameAs),
    })),
  };
}

/**
 * Return the state of content that `contentOf` wrote, or the beginning if it is about other questions.
 *
 * @param {CaseContent | null | undefined} content
 * @param {CaseState} beginning
 */
export function resume(content, beginning) {
  const stored = content?.questions;
  if (!Array.isArray(stored) || stored.length !== beginning.questions.length) return beginning;
  if (!stored.every((question) => Array.isArray(question?.answers))) return beginning;
  const ids = beginning.questions.map(({ id }) => id);
  const verdictOf = (/** @type {ContentQuestion} */ { verdict }) => RECEIVED[verdict ?? ""];
  let state = beginning;
  for (const [position, question] of stored.entries()) {
    const id = ids[position];
    for (const span of question.answers) state = applyToCase(state, { type: "mark", id, span });
    const verdict = verdictOf(question);
    if (verdict === KEEP || verdict === INVALID) state = applyToCase(state, { type: verdict, id });
  }
  const judged = state;
  for (const [position, question] of stored.entries()) {
    const of = ids[question.same_as ?? -1];
    if (verdictOf(question) !== REDUNDANT || find(judged, of)?.verdict !== KEEP) continue;
    state = applyToCase(state, { type: "redundant", id: ids[position], of });
  }
  return state;
}

/**
 * Return what the server would refuse. The questions themselves were checked when they were asked.
 *
 * @param {CaseState} state
 */
export function problems(state) {
  return problemsOfCase(state, (text) => text);
}
