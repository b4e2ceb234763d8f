// What the validation page says: names of questions, problems, moves. Plain text, no elements.

import { quoted } from "../html.js";
import { find, KEEP, MAX_ANSWERS } from "./consolidation-state.js";

// "2": the second question.
export function nameOf({ source }) {
  return String(source.question + 1);
}

export function named(question) {
  return `${nameOf(question)} ${quoted(question.question)}`;
}

export function problemText({ kind, ids, tokens: at }, state, tokens) {
  const names = [...new Set(ids)].map((id) => nameOf(find(state, id)));
  const [who] = names;
  const texts = {
    unjudged: () => `Question ${who} is not judged yet.`,
    "no-answer": () => `Question ${who} is valid, but has no answer.`,
    "too-many-answers": () => `Question ${who} has more than ${MAX_ANSWERS} answers.`,
    conflict: () => {
      const words = quoted(at.map((token) => tokens[token]).join(" "));
      return `${words} answers the questions ${names.join(" and ")}: no word may answer two.`;
    },
  };
  return (texts[kind] ?? (() => `Question ${who} can't be handed in so.`))();
}

// As the undo button names them.
export function moveText(state, move) {
  const who = nameOf(find(state, move.id));
  const texts = {
    keep: `${who} valid`,
    invalid: `${who} invalid`,
    unjudge: `open ${who} again`,
    redundant: `${who} repeats another`,
    mark: `answer of ${who}`,
    unmark: `remove answer of ${who}`,
    split: `split answer of ${who}`,
    cut: `cut words of ${who}`,
  };
  return texts[move.type];
}

export function verdictText({ verdict, sameAs }, state) {
  if (verdict === null) return "not judged";
  if (verdict === KEEP) return "valid";
  return sameAs === null ? "invalid" : `repeats ${nameOf(find(state, sameAs))}`;
}
