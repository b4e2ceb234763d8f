// A case as plain values: the questions of the sources, and what each move makes of them.
//
// After every move, a redundant question repeats a kept one, and the answers of one question do not
// overlap. `problems` returns what else must hold before submission.

/** @import { Span } from "../../spans.js" */
/** @import { Mark } from "../../sentence.js" */
/** @import { CaseContent, CaseQuestion, CaseState, Move, MoveArguments, Problem, Source, Verdict } from "./case-types.js" */

import { t } from "../../html.js";
import { byPosition, equal, overlaps } from "../../spans.js";

// The limits of the server (schemes/qasrl/content.py).
export const MAX_NEW_QUESTIONS = 60; // beside those of the sources
export const MAX_ANSWERS = 60;
export const MAX_QUESTION_LENGTH = 200;

/** @param {string[]} names  of questions that have a problem together */
export function listed(names) {
  return names.join(t` and `);
}

export const KEEP = "keep";
export const INVALID = "invalid";
export const REDUNDANT = "redundant";

// --- beginning

/**
 * Return the state before any move. `order` lists the ids as the page shows the questions. A noun is
 * undecided if the sources disagree. With `asksImplied`, arguments are explicit until somebody marks them.
 *
 * @param {{sources: Source[], size: number, order?: string[], isNoun?: boolean, asksImplied?: boolean}} options
 * @returns {CaseState}
 */
export function begin({ sources, size, order = [], isNoun = false, asksImplied = false }) {
  const questions = sources.flatMap((source, submission) =>
    source.questions.map(({ question, answers, implied, context_answers: outside = [] }, position) => ({
      id: sourceId(submission, position),
      question,
      answers: sorted(answers),
      source: { submission, question: position },
      verdict: null,
      sameAs: null,
      ...impliedOf(implied ?? (asksImplied ? false : undefined)),
      ...inContext(outside.map(({ text }) => text)),
    })),
  );
  const rank = new Map(order.map((id, position) => [id, position]));
  const last = order.length;
  questions.sort((a, b) => (rank.get(a.id) ?? last) - (rank.get(b.id) ?? last));
  const empty = { size, made: 0, questions, ...(asksImplied && { asksImplied }) };
  if (!isNoun) return empty;
  const said = new Set(sources.map((source) => source.is_verbal ?? true));
  return { ...empty, isVerbal: said.size === 1 ? [...said][0] : null };
}

/** @param {number} submission @param {number} question */
export function sourceId(submission, question) {
  return `${submission}.${question}`;
}

/**
 * Return the state of content that `contentOf` wrote, or the beginning if it is about other sources.
 *
 * @param {CaseContent | null | undefined} content
 * @param {CaseState} beginning
 * @returns {CaseState}
 */
export function resume(content, beginning) {
  const stored = content?.questions;
  if (!Array.isArray(stored) || !stored.every((question) => Array.isArray(question?.answers))) return beginning;
  const known = new Map(beginning.questions.map((question) => [question.id, question]));
  let made = 0;
  const questions = stored.map(({ question, answers, source, verdict, implied, picked }) => {
    const id = source ? sourceId(source.submission, source.question) : `new.${made++}`;
    return {
      id,
      question: String(question ?? ""),
      answers: sorted(answers.filter((span) => isSpan(span, beginning.size))),
      source: source ? (known.get(id)?.source ?? null) : null,
      verdict: /** @type {Verdict | null} */ (verdict ?? null),
      sameAs: /** @type {string | null} */ (null),
      ...impliedOf(implied ?? known.get(id)?.implied ?? (beginning.asksImplied ? false : undefined)),
      ...pickedOf(picked),
      ...inContext(known.get(id)?.contextAnswers),
    };
  });
  const sourced = questions.filter(({ source }) => source !== null);
  const isWhole = new Set(sourced.map(({ id }) => id)).size === known.size;
  if (!isWhole || sourced.length + made !== questions.length || sourced.length !== known.size) return beginning;
  for (const [position, { verdict, same_as: sameAs }] of stored.entries()) {
    if (verdict !== REDUNDANT) continue;
    const target = questions[sameAs ?? -1];
    if (target?.verdict === KEEP) questions[position].sameAs = target.id;
    else questions[position].verdict = null;
  }
  return { ...beginning, made, questions, ...verbalOf(content?.is_verbal ?? beginning.isVerbal) };
}

/** @param {boolean | null | undefined} isVerbal */
function verbalOf(isVerbal) {
  return isVerbal === undefined ? {} : { isVerbal };
}

/** @param {boolean | undefined} implied */
function impliedOf(implied) {
  return implied === undefined ? {} : { implied };
}

/** @param {string[] | undefined} contextAnswers */
function inContext(contextAnswers = []) {
  return contextAnswers.length > 0 ? { contextAnswers } : {};
}

/** @param {number | null | undefined} picked */
function pickedOf(picked) {
  return picked === undefined ? {} : { picked };
}

// --- queries

/** @param {CaseState} state @param {string | null | undefined} id */
export function find(state, id) {
  return state.questions.find((question) => question.id === id);
}

/** @param {CaseState} state */
export function kept(state) {
  return state.questions.filter(({ verdict }) => verdict === KEEP);
}

/** @param {CaseQuestion} a @param {CaseQuestion} b */
export function sharesWords(a, b) {
  return a.answers.some((span) => b.answers.some((other) => overlaps(other, span)));
}

/** @param {CaseState} state */
export function unjudged(state) {
  return state.questions.filter(({ verdict }) => verdict === null);
}

/**
 * Return the content for the server. A question that is not kept is sent as its source wrote it.
 *
 * @param {CaseState} state
 * @param {Source[]} sources
 */
export function contentOf(state, sources) {
  const positions = new Map(state.questions.map(({ id }, position) => [id, position]));
  return {
    questions: state.questions.map((question) => {
      const { source, verdict, sameAs } = question;
      const isOut = source !== null && (verdict === INVALID || verdict === REDUNDANT);
      const sent = isOut ? sources[source.submission].questions[source.question] : question;
      return {
        question: sent.question,
        answers: sorted(sent.answers),
        source,
        verdict,
        same_as: sameAs === null ? null : positions.get(sameAs),
        ...(verdict === KEEP && { ...impliedOf(question.implied), ...pickedOf(question.picked) }),
      };
    }),
    ...(state.isVerbal !== undefined && { is_verbal: state.isVerbal }),
  };
}

/**
 * Return the tokens in answers of several kept questions, with the ids of the questions.
 *
 * @param {CaseState} state
 */
export function conflicts(state) {
  /** @type {Map<number, string[]>} */
  const owners = new Map();
  for (const { id, answers } of kept(state)) {
    for (const [start, end] of answers) {
      for (let token = start; token < end; token += 1) owners.set(token, [...(owners.get(token) ?? []), id]);
    }
  }
  return new Map([...owners].filter(([, ids]) => ids.length > 1).sort(([a], [b]) => a - b));
}

/**
 * Return what the server would refuse. `keyOf` is equal for questions that count as the same, and ""
 * for a text that is no question.
 *
 * @param {CaseState} state
 * @param {(text: string) => string} keyOf
 * @returns {Problem[]}
 */
export function problems(state, keyOf) {
  /** @type {Problem[]} */
  const found = state.questions.flatMap((question) =>
    kindsOf(question, keyOf).map((kind) => ({ kind, ids: [question.id], tokens: [] })),
  );
  /** @type {Map<string, string[]>} */
  const asked = new Map();
  for (const { id, question } of kept(state)) {
    const key = keyOf(question);
    asked.set(key, [...(asked.get(key) ?? []), id]);
  }
  for (const [key, ids] of asked) {
    if (key !== "" && ids.length > 1) found.push({ kind: "same", ids, tokens: [] });
  }
  if (state.questions.filter(({ source }) => source === null).length > MAX_NEW_QUESTIONS) {
    found.push({ kind: "too-many-questions", ids: [], tokens: [] });
  }
  return [...verbalProblems(state), ...found, ...conflictProblems(state)];
}

/** @param {CaseState} state @returns {Problem[]} */
function verbalProblems(state) {
  if (state.isVerbal === null) return [{ kind: "verbal-undecided", ids: [], tokens: [] }];
  const ids = state.isVerbal === false ? kept(state).map(({ id }) => id) : [];
  return ids.length > 0 ? [{ kind: "not-verbal", ids, tokens: [] }] : [];
}

/** @param {CaseQuestion} question @param {(text: string) => string} keyOf @returns {Problem["kind"][]} */
function kindsOf({ verdict, question, answers, contextAnswers = [] }, keyOf) {
  if (verdict === null) return ["unjudged"];
  if (verdict !== KEEP) return [];
  /** @type {Problem["kind"][]} */
  const kinds = [];
  if (keyOf(question) === "") kinds.push("empty");
  else if (Array.from(question).length > MAX_QUESTION_LENGTH) kinds.push("too-long");
  if (answers.length + contextAnswers.length === 0) kinds.push("no-answer");
  if (answers.length > MAX_ANSWERS) kinds.push("too-many-answers");
  return kinds;
}

/**
 * Return a problem for each run of tokens in conflict between the same questions.
 *
 * @param {CaseState} state
 */
function conflictProblems(state) {
  /** @type {Problem[]} */
  const found = [];
  for (const [token, ids] of conflicts(state)) {
    const last = found.at(-1);
    if (last && last.tokens.at(-1) === token - 1 && `${last.ids}` === `${ids}`) last.tokens.push(token);
    else found.push({ kind: "conflict", ids, tokens: [token] });
  }
  return found;
}

/**
 * Return the marks of the sentence while a question is active.
 *
 * @param {CaseState} state
 * @param {string | null} activeId
 * @param {(question: CaseQuestion) => string} nameOf
 */
export function marksOf(state, activeId, nameOf) {
  /** @type {Mark[]} */
  const marks = [];
  for (const question of state.questions) {
    const isOwn = question.id === activeId;
    if (!isOwn && question.verdict !== KEEP) continue;
    const label = isOwn ? t`answer to this question` : t`answer to ${nameOf(question)}`;
    for (const [start, end] of question.answers) marks.push({ start, end, kind: isOwn ? "own" : "other", label });
  }
  for (const [token, ids] of conflicts(state)) {
    const names = listed(state.questions.filter(({ id }) => ids.includes(id)).map(nameOf));
    marks.push({ start: token, end: token + 1, kind: "conflict", label: t`in two answers: ${names}` });
  }
  return marks;
}

// --- moves

/**
 * Apply a move. Return the very same state if nothing changes.
 *
 * @param {CaseState} state
 * @param {Move} move
 */
export function apply(state, { type, ...values }) {
  const next = TRANSITIONS[type](state, values);
  return same(state, next) ? state : next;
}

/** @type {Record<Move["type"], (state: CaseState, move: MoveArguments) => CaseState>} */
const TRANSITIONS = {
  keep: (state, { id }) => change(state, id, { verdict: KEEP, sameAs: null }),

  // The questions that repeated `id` are open again.
  invalid: (state, { id }) => withdraw(state, id, INVALID),

  unjudge: (state, { id }) => withdraw(state, id, null),

  // `of` is kept, and what repeated `id` now repeats `of`.
  redundant(state, { id, of = null }) {
    if (id === of || !find(state, id)?.source || !find(state, of)) return state;
    /** @type {CaseQuestion[]} */
    const questions = state.questions.map((question) => {
      if (question.id === of) return { ...question, verdict: KEEP, sameAs: null };
      const repeats = question.id === id || question.sameAs === id;
      return repeats ? { ...question, verdict: REDUNDANT, sameAs: of } : question;
    });
    return { ...state, questions };
  },

  // As redundant, and `of` gets the answers that overlap none of its own.
  merge(state, { id, of }) {
    const next = TRANSITIONS.redundant(state, { id, of });
    const [target, source] = [find(next, of), find(next, id)];
    if (next === state || !target || !source) return state;
    const free = source.answers.filter((span) => !target.answers.some((own) => overlaps(own, span)));
    return change(next, target.id, { answers: sorted([...target.answers, ...free]) });
  },

  // The first question of each group is kept, and the others repeat it.
  settle(state, { groups = [] }) {
    let next = state;
    for (const [first, ...rest] of groups) {
      next = TRANSITIONS.keep(next, { id: first });
      for (const id of rest) next = TRANSITIONS.redundant(next, { id, of: first });
    }
    return next;
  },

  add(state, { question = "", answers = [], picked }) {
    /** @type {CaseQuestion} */
    const added = {
      id: `new.${state.made}`,
      question,
      answers: [],
      source: null,
      verdict: KEEP,
      sameAs: null,
      ...impliedOf(state.asksImplied ? false : undefined),
      ...pickedOf(picked),
    };
    const begun = { ...state, made: state.made + 1, questions: [...state.questions, added] };
    return answers.reduce((next, span) => TRANSITIONS.mark(next, { id: added.id, span }), begun);
  },

  // Without an event there is nothing to ask, so every question is invalid.
  verbal(state, { isVerbal = true }) {
    if (isVerbal) return { ...state, isVerbal };
    const sourced = state.questions.filter(({ source }) => source !== null);
    /** @type {CaseQuestion[]} */
    const questions = sourced.map((question) => ({ ...question, verdict: INVALID, sameAs: null }));
    return { ...state, isVerbal, questions };
  },

  implied: (state, { id, implied = true }) => change(state, id, { implied }),

  // Only a new question can be removed.
  remove(state, { id }) {
    const removed = find(state, id);
    if (!removed || removed.source) return state;
    const questions = state.questions.filter((question) => question !== removed);
    return reopen({ ...state, questions }, id);
  },

  rewrite(state, { id, question = "", picked }) {
    const isNew = find(state, id)?.question !== question;
    return isNew ? change(state, id, { question, ...pickedOf(picked) }) : state;
  },

  // The span replaces the answers of its question that it overlaps.
  mark(state, { id, span }) {
    const target = find(state, id);
    if (!target || !isSpan(span, state.size)) return state;
    const others = target.answers.filter((answer) => !overlaps(answer, span));
    return change(state, id, { answers: sorted([...others, span]) });
  },

  unmark: (state, { id, span }) => changeAnswers(state, id, (answer) => (span && equal(answer, span) ? [] : [answer])),

  // The answer around a token becomes two.
  split: (state, { id, at = 0 }) =>
    changeAnswers(state, id, ([start, end]) =>
      start < at && at < end
        ? [
            [start, at],
            [at, end],
          ]
        : [[start, end]],
    ),

  // The words leave the answers: an answer becomes shorter, becomes two, or is removed.
  cut(state, { id, span }) {
    if (!span) return state;
    const [from, until] = span;
    return changeAnswers(state, id, ([start, end]) => {
      if (!overlaps([start, end], span)) return [[start, end]];
      /** @type {Span[]} */
      const rest = [
        [start, from],
        [until, end],
      ];
      return rest.filter(([a, b]) => a < b);
    });
  },

  // Two answers become one, with all words between them.
  join(state, { id, span, other }) {
    if (!hasAnswer(state, id, span) || !hasAnswer(state, id, other)) return state;
    return TRANSITIONS.mark(state, { id, span: [Math.min(span[0], other[0]), Math.max(span[1], other[1])] });
  },

  // An answer goes to another question, or to a new one that begins with the same text.
  move(state, { id, span, to = null }) {
    const source = find(state, id);
    if (!source || !hasAnswer(state, id, span) || id === to) return state;
    const left = TRANSITIONS.unmark(state, { id, span });
    if (to === null) return TRANSITIONS.add(left, { question: source.question, answers: [span] });
    return find(state, to) ? TRANSITIONS.mark(left, { id: to, span }) : state;
  },
};

/** @param {CaseState} state @param {string | undefined} id @param {Partial<CaseQuestion>} changes */
function change(state, id, changes) {
  const questions = state.questions.map((question) => (question.id === id ? { ...question, ...changes } : question));
  return { ...state, questions };
}

/** @param {CaseState} state @param {string | undefined} id @param {(answer: Span) => Span[]} replace */
function changeAnswers(state, id, replace) {
  const target = find(state, id);
  return target ? change(state, id, { answers: target.answers.flatMap(replace) }) : state;
}

/** @param {CaseState} state @param {string | undefined} id @param {Verdict | null} verdict */
function withdraw(state, id, verdict) {
  if (!find(state, id)?.source) return state;
  return reopen(change(state, id, { verdict, sameAs: null }), id);
}

/**
 * Reopen the questions that repeated a question.
 *
 * @param {CaseState} state
 * @param {string | undefined} id
 */
function reopen(state, id) {
  const questions = state.questions.map((question) =>
    question.sameAs === id ? { ...question, verdict: null, sameAs: null } : question,
  );
  return { ...state, questions };
}

/**
 * @param {CaseState} state
 * @param {string | undefined} id
 * @param {Span | undefined} span
 * @returns {span is Span}
 */
function hasAnswer(state, id, span) {
  return span !== undefined && Boolean(find(state, id)?.answers.some((answer) => equal(answer, span)));
}

/** @param {unknown} span @param {number} size @returns {span is Span} */
function isSpan(span, size) {
  const [start, end] = Array.isArray(span) ? span : [];
  return Number.isInteger(start) && Number.isInteger(end) && 0 <= start && start < end && end <= size;
}

/** @param {Span[]} answers @returns {Span[]} */
function sorted(answers) {
  return [...answers].sort(byPosition);
}

/** @param {CaseState} a @param {CaseState} b */
function same(a, b) {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
