// A case of consolidation as plain values: what the sources said, and what becomes of it move by
// move. It knows neither the page nor the server; spans are half-open token ranges [start, end).
//
//   state     {size, made, questions: [question, ...]}; never changed, each move makes a new one
//   question  {id, question, answers: [[start, end], ...], source, verdict, sameAs}
//   source    {submission, question}, positions in the page's sources; null for a new question
//   verdict   "keep", "invalid", "redundant" (then sameAs is the id of a kept one), null: not judged
//
// Every move keeps two promises: what a redundant question repeats is kept, and the answers of one
// question never overlap. What else must hold before it can be submitted is said by `problems`.

import { byPosition, equal, overlaps } from "../spans.js";

// What the server takes at most (schemes/qasrl/content.py).
export const MAX_NEW_QUESTIONS = 60; // beside those of the sources
export const MAX_ANSWERS = 60;
export const MAX_QUESTION_LENGTH = 200;

export const KEEP = "keep";
export const INVALID = "invalid";
export const REDUNDANT = "redundant";

// --- beginning -------------------------------------------------------------------------------

// `order` lists the source questions' ids as the page shows them; the result keeps that order.
export function begin({ sources, size, order = [] }) {
  const questions = sources.flatMap((source, submission) =>
    source.questions.map((each, question) => ({
      id: sourceId(submission, question),
      question: each.question,
      answers: sorted(each.answers),
      source: { submission, question },
      verdict: null,
      sameAs: null,
    })),
  );
  const rank = new Map(order.map((id, position) => [id, position]));
  const last = order.length;
  questions.sort((a, b) => (rank.get(a.id) ?? last) - (rank.get(b.id) ?? last));
  return { size, made: 0, questions };
}

export function sourceId(submission, question) {
  return `${submission}.${question}`;
}

// The state that `contentOf` wrote; the beginning where the content does not fit these sources.
export function resume(content, beginning) {
  const written = content?.questions;
  if (!Array.isArray(written) || !written.every((each) => Array.isArray(each?.answers))) return beginning;
  const known = new Map(beginning.questions.map((each) => [each.id, each]));
  let made = 0;
  const questions = written.map((each) => {
    const id = each.source ? sourceId(each.source.submission, each.source.question) : `new.${made++}`;
    return {
      id,
      question: String(each.question ?? ""),
      answers: sorted(each.answers.filter((span) => isSpan(span, beginning.size))),
      source: each.source ? (known.get(id)?.source ?? null) : null,
      verdict: each.verdict ?? null,
      sameAs: null,
    };
  });
  const sourced = questions.filter((each) => each.source !== null);
  const isWhole = new Set(sourced.map((each) => each.id)).size === known.size;
  if (!isWhole || sourced.length + made !== questions.length || sourced.length !== known.size) {
    return beginning;
  }
  written.forEach((each, position) => {
    if (each.verdict !== REDUNDANT) return;
    const target = questions[each.same_as];
    if (target?.verdict === KEEP) questions[position].sameAs = target.id;
    else questions[position].verdict = null;
  });
  return { size: beginning.size, made, questions };
}

// --- reading ---------------------------------------------------------------------------------

export function find(state, id) {
  return state.questions.find((each) => each.id === id);
}

export function kept(state) {
  return state.questions.filter((each) => each.verdict === KEEP);
}

export function unjudged(state) {
  return state.questions.filter((each) => each.verdict === null);
}

// What goes to the server, for a draft or for good. Of what leaves the sentence its source's own
// words are sent: edits made before it was judged out are nobody's business.
export function contentOf(state, sources) {
  const place = new Map(state.questions.map((each, position) => [each.id, position]));
  return {
    questions: state.questions.map((each) => {
      const isOut = each.source !== null && (each.verdict === INVALID || each.verdict === REDUNDANT);
      const said = isOut ? sources[each.source.submission].questions[each.source.question] : each;
      return {
        question: said.question,
        answers: sorted(said.answers),
        source: each.source,
        verdict: each.verdict,
        same_as: each.sameAs === null ? null : place.get(each.sameAs),
      };
    }),
  };
}

// Words that belong to more than one answer of the kept questions: token -> ids of the questions.
export function conflicts(state) {
  const owners = new Map();
  for (const each of kept(state)) {
    for (const [start, end] of each.answers) {
      for (let token = start; token < end; token += 1) {
        owners.set(token, [...(owners.get(token) ?? []), each.id]);
      }
    }
  }
  return new Map([...owners].filter(([, ids]) => ids.length > 1).sort(([a], [b]) => a - b));
}

// Everything that stands between this state and the server's yes, as {kind, ids, tokens}. Kinds:
// unjudged, empty, too-long, no-answer, too-many-answers, same (as another kept one), conflict,
// too-many-questions. `keyOf(text)` is equal for questions that are the same, "" for no question.
export function problems(state, keyOf) {
  const found = state.questions.flatMap((each) =>
    kindsOf(each, keyOf).map((kind) => ({ kind, ids: [each.id], tokens: [] })),
  );
  const asked = new Map();
  for (const each of kept(state)) {
    const key = keyOf(each.question);
    asked.set(key, [...(asked.get(key) ?? []), each.id]);
  }
  for (const [key, ids] of asked) {
    if (key !== "" && ids.length > 1) found.push({ kind: "same", ids, tokens: [] });
  }
  if (state.questions.filter((each) => each.source === null).length > MAX_NEW_QUESTIONS) {
    found.push({ kind: "too-many-questions", ids: [], tokens: [] });
  }
  return [...found, ...conflictProblems(state)];
}

function kindsOf({ verdict, question, answers }, keyOf) {
  if (verdict === null) return ["unjudged"];
  if (verdict !== KEEP) return [];
  const kinds = [];
  if (keyOf(question) === "") kinds.push("empty");
  else if (Array.from(question).length > MAX_QUESTION_LENGTH) kinds.push("too-long");
  if (answers.length === 0) kinds.push("no-answer");
  if (answers.length > MAX_ANSWERS) kinds.push("too-many-answers");
  return kinds;
}

// Neighbouring words that are claimed by the same questions make one problem.
function conflictProblems(state) {
  const found = [];
  for (const [token, ids] of conflicts(state)) {
    const last = found.at(-1);
    if (last && last.tokens.at(-1) === token - 1 && `${last.ids}` === `${ids}`) {
      last.tokens.push(token);
    } else {
      found.push({ kind: "conflict", ids, tokens: [token] });
    }
  }
  return found;
}

// --- moves -----------------------------------------------------------------------------------

// `move` is {type, ...}. A move that changes nothing, or names what is not there, gives back the
// very same state.
export function apply(state, move) {
  const next = MOVES[move.type](state, move);
  return same(state, next) ? state : next;
}

const MOVES = {
  keep: (state, { id }) => change(state, id, { verdict: KEEP, sameAs: null }),

  // `id` leaves; those that repeated it have to be judged anew.
  invalid(state, { id }) {
    if (!find(state, id)?.source) return state;
    return orphaned(change(state, id, { verdict: INVALID, sameAs: null }), id);
  },

  unjudge(state, { id }) {
    if (!find(state, id)?.source) return state;
    return orphaned(change(state, id, { verdict: null, sameAs: null }), id);
  },

  // `id` repeats `of`, which is thereby kept; what repeated `id` repeats `of` from now on.
  redundant(state, { id, of }) {
    if (id === of || !find(state, id)?.source || !find(state, of)) return state;
    const questions = state.questions.map((each) => {
      if (each.id === of) return { ...each, verdict: KEEP, sameAs: null };
      const repeats = each.id === id || each.sameAs === id;
      return repeats ? { ...each, verdict: REDUNDANT, sameAs: of } : each;
    });
    return { ...state, questions };
  },

  // As redundant, and `of` takes over those of its answers that touch none of its own.
  merge(state, { id, of }) {
    const next = MOVES.redundant(state, { id, of });
    if (next === state) return state;
    const own = find(next, of).answers;
    const free = find(next, id).answers.filter((span) => !own.some((each) => overlaps(each, span)));
    return change(next, of, { answers: sorted([...own, ...free]) });
  },

  // Each group is a list of ids: its first is kept, the others repeat it.
  settle(state, { groups }) {
    return groups.reduce((next, [first, ...rest]) => {
      const begun = MOVES.keep(next, { id: first });
      return rest.reduce((each, id) => MOVES.redundant(each, { id, of: first }), begun);
    }, state);
  },

  add(state, { question = "", answers = [] }) {
    const free = answers.filter((span) => isSpan(span, state.size));
    const added = {
      id: `new.${state.made}`,
      question,
      answers: free.reduce((all, span) => without(all, span).concat([span]), []).sort(byPosition),
      source: null,
      verdict: KEEP,
      sameAs: null,
    };
    return { ...state, made: state.made + 1, questions: [...state.questions, added] };
  },

  // Only a new question can be taken away; a source's is judged.
  remove(state, { id }) {
    const gone = find(state, id);
    if (!gone || gone.source) return state;
    const questions = state.questions.filter((each) => each.id !== id);
    return orphaned({ ...state, questions }, id);
  },

  rewrite: (state, { id, question }) => change(state, id, { question }),

  // The span becomes an answer; answers of the same question that it touches give way to it.
  mark(state, { id, span }) {
    const target = find(state, id);
    if (!target || !isSpan(span, state.size)) return state;
    return change(state, id, { answers: sorted([...without(target.answers, span), [...span]]) });
  },

  unmark(state, { id, span }) {
    if (!answerOf(state, id, span)) return state;
    const answers = find(state, id).answers.filter((each) => !equal(each, span));
    return change(state, id, { answers });
  },

  // An answer gets other ends.
  reshape(state, { id, span, to }) {
    if (!answerOf(state, id, span) || !isSpan(to, state.size)) return state;
    return MOVES.mark(MOVES.unmark(state, { id, span }), { id, span: to });
  },

  // The answer around this place becomes two, one that ends and one that begins there.
  split(state, { id, at }) {
    const target = find(state, id);
    if (!target) return state;
    const answers = target.answers.flatMap(([start, end]) =>
      start < at && at < end ? [[start, at], [at, end]] : [[start, end]],
    );
    return change(state, id, { answers });
  },

  // These words leave the question's answers: an answer gets shorter, falls in two, or goes.
  cut(state, { id, span: [from, until] }) {
    const target = find(state, id);
    if (!target) return state;
    const answers = target.answers.flatMap(([start, end]) =>
      overlaps([start, end], [from, until])
        ? [[start, from], [until, end]].filter(([a, b]) => a < b)
        : [[start, end]],
    );
    return change(state, id, { answers });
  },

  // Two answers of a question become one, with all that stands between them.
  join(state, { id, span, other }) {
    if (!answerOf(state, id, span) || !answerOf(state, id, other)) return state;
    const to = [Math.min(span[0], other[0]), Math.max(span[1], other[1])];
    return MOVES.mark(state, { id, span: to });
  },

  // An answer goes over to another question; without `to`, to a new one that begins with its text.
  move(state, { id, span, to = null }) {
    if (!answerOf(state, id, span) || id === to) return state;
    const left = MOVES.unmark(state, { id, span });
    if (to === null) return MOVES.add(left, { question: find(state, id).question, answers: [span] });
    return find(state, to) ? MOVES.mark(left, { id: to, span }) : state;
  },
};

export const MOVE_TYPES = Object.keys(MOVES);

function change(state, id, changes) {
  const questions = state.questions.map((each) => (each.id === id ? { ...each, ...changes } : each));
  return { ...state, questions };
}

function orphaned(state, id) {
  const questions = state.questions.map((each) =>
    each.sameAs === id ? { ...each, verdict: null, sameAs: null } : each,
  );
  return { ...state, questions };
}

// --- spans -----------------------------------------------------------------------------------

function answerOf(state, id, span) {
  return find(state, id)?.answers.find((each) => equal(each, span));
}

function isSpan(span, size) {
  const [start, end] = Array.isArray(span) ? span : [];
  return Number.isInteger(start) && Number.isInteger(end) && 0 <= start && start < end && end <= size;
}

function without(answers, span) {
  return answers.filter((each) => !overlaps(each, span));
}

function sorted(answers) {
  return answers.map(([start, end]) => [start, end]).sort(byPosition);
}

function same(a, b) {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
