// How the sentence's words are painted while the question `activeId` of a case is looked at.
// `nameOf(question)` is what the page calls it.

import { conflicts, find, KEEP } from "./consolidation-state.js";

export function marksOf(state, activeId, nameOf) {
  const marks = state.questions.flatMap((each) => {
    const isOwn = each.id === activeId;
    if (!isOwn && each.verdict !== KEEP) return [];
    const label = isOwn ? "answer to this question" : `answer to ${nameOf(each)}`;
    return each.answers.map(([start, end]) => ({ start, end, kind: isOwn ? "own" : "other", label }));
  });
  for (const [token, ids] of conflicts(state)) {
    const names = ids.map((id) => nameOf(find(state, id)));
    marks.push({ start: token, end: token + 1, kind: "conflict", label: `in two answers: ${names.join(" and ")}` });
  }
  return marks;
}
