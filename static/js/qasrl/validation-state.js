// A validation as plain values. It is a case of one source whose answers nobody shows: the questions,
// moves and promises are those of consolidation-state.js, and "kept" there is "valid" here.

import {
  apply as applyToCase,
  begin as beginCase,
  find,
  INVALID,
  KEEP,
  problems as problemsOfCase,
  REDUNDANT,
} from "./consolidation-state.js";

// What the server calls them (schemes/qasrl/content.py).
const SENT = { [KEEP]: "valid", [INVALID]: "invalid", [REDUNDANT]: "redundant" };
const READ = Object.fromEntries(Object.entries(SENT).map(([ours, theirs]) => [theirs, ours]));
export const MOVE_TYPES = ["keep", "invalid", "unjudge", "redundant", "mark", "unmark", "split", "cut"];

// `asked` lists the questions as texts.
export function begin({ asked, size }) {
  const questions = asked.map((question) => ({ question, answers: [] }));
  return beginCase({ sources: [{ questions }], size });
}

// A word that is marked as an answer says that the question is valid.
export function apply(state, move) {
  if (move.type !== "mark") return applyToCase(state, move);
  const marked = applyToCase(state, move);
  return marked === state ? state : applyToCase(marked, { type: "keep", id: move.id });
}

// What goes to the server, for a draft or for good: null for a verdict that is still open.
export function contentOf(state) {
  const place = new Map(state.questions.map((each, position) => [each.id, position]));
  return {
    questions: state.questions.map((each) => ({
      question: each.question,
      answers: each.verdict === KEEP ? each.answers : [],
      verdict: SENT[each.verdict] ?? null,
      same_as: each.sameAs === null ? null : place.get(each.sameAs),
    })),
  };
}

// The state that `contentOf` wrote; the beginning where the content is not about these questions.
export function resume(content, beginning) {
  const written = content?.questions;
  const isWhole = Array.isArray(written) && written.length === beginning.questions.length;
  if (!isWhole || !written.every((each) => Array.isArray(each?.answers))) return beginning;
  const ids = beginning.questions.map((each) => each.id);
  const judged = written.reduce((state, each, position) => {
    const id = ids[position];
    const answered = each.answers.reduce((next, span) => applyToCase(next, { type: "mark", id, span }), state);
    const verdict = READ[each.verdict];
    return verdict === KEEP || verdict === INVALID ? applyToCase(answered, { type: verdict, id }) : answered;
  }, beginning);
  return written.reduce((state, each, position) => {
    const of = ids[each.same_as];
    if (READ[each.verdict] !== REDUNDANT || find(judged, of)?.verdict !== KEEP) return state;
    return applyToCase(state, { type: "redundant", id: ids[position], of });
  }, judged);
}

// Everything that stands between this state and the server's yes. What was asked is neither empty
// nor too long, and no two questions are the same: the server saw to that when they were written.
export function problems(state) {
  return problemsOfCase(state, (text) => text);
}
