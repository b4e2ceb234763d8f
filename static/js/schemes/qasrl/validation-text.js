// The texts of the validation page: names of questions, problems and moves.

/** @import { CaseQuestion, CaseState, Move, Problem } from "./case-types.js" */

import { quoted, t } from "../../html.js";
import { wordsText } from "../../written-text.js";
import { moveTexts } from "./case-card.js";
import { find, KEEP, listed, MAX_ANSWERS } from "./case-state.js";

/** @param {CaseQuestion | undefined} question */
export function nameOf(question) {
  return question?.source ? String(question.source.question + 1) : "";
}

/** @param {CaseQuestion} question */
export function named(question) {
  return `${nameOf(question)} ${quoted(question.question)}`;
}

/** @param {Problem} problem @param {CaseState} state @param {string[]} tokens */
export function problemText({ kind, ids, tokens: at }, state, tokens) {
  const names = [...new Set(ids)].map((id) => nameOf(find(state, id)));
  const [who] = names;
  switch (kind) {
    case "unjudged":
      return t`Judge question ${who}.`;
    case "no-answer":
      return t`Question ${who} is valid, but has no answer.`;
    case "too-many-answers":
      return t`Question ${who} has more than ${MAX_ANSWERS} answers.`;
    case "conflict": {
      const words = quoted(wordsText(tokens, at));
      return t`${words} is part of answers to questions ${listed(names)}. A word can belong to one question only.`;
    }
    default:
      return t`Question ${who} has an error. Check its verdict and answers.`;
  }
}

/** @param {CaseState} state @param {Move} move */
export function moveText(state, { type, id }) {
  const who = nameOf(find(state, id));
  /** @type {Record<string, string>} */
  const texts = { ...moveTexts(who), keep: t`${who} valid`, redundant: t`${who} is a duplicate` };
  return texts[type];
}

/** @param {CaseQuestion} question @param {CaseState} state */
export function verdictText({ verdict, sameAs }, state) {
  if (verdict === null) return t`not judged`;
  if (verdict === KEEP) return "valid";
  return sameAs === null ? "invalid" : t`duplicate of ${nameOf(find(state, sameAs))}`;
}
