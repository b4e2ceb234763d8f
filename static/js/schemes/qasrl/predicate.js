// The predicate that questions are asked about: a verb, or a noun derived from one.

import { t } from "../../html.js";
import { wordsText } from "../../written-text.js";

/** @typedef {{verb_idx: number, kind?: string, verb_form?: string, tokens?: number[]}} Predicate */

/** @param {Predicate} target */
export function isNoun({ kind }) {
  return kind === "noun";
}

/** @param {Predicate} target @param {string[]} tokens */
export function predicateText({ verb_idx: at, tokens: positions = [at] }, tokens) {
  return wordsText(tokens, positions);
}

/**
 * Return the predicate's options of a Sentence.
 *
 * @param {Predicate} target
 */
export function sentenceTarget(target) {
  const word = isNoun(target) ? t`noun` : t`verb`;
  return {
    target: target.verb_idx,
    targets: target.tokens ?? [target.verb_idx],
    targetLabel: t`the ${word} asked about`,
  };
}
