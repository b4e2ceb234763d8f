// A verification, without elements of the page.
//
// The rules are those of the parser (schemes/frames/validating.py).

/** @import { CaseProblem, JudgedArgument, Judgment, Part, RecordPart, StoredRecord, Verification } from "./case-types.js" */

import { t } from "../../html.js";
import { textOf } from "./record.js";

/** @type {Part[]} */
export const PARTS = ["head", "element", "role"];
/** @type {Judgment} */
const OPEN = { verdict: "", reason: "", proposal: "" };
let lastKey = 0;

/**
 * Return the state of a draft or of a stored verification.
 *
 * @param {any} content
 * @param {StoredRecord} record
 * @returns {Verification}
 */
export function resume(content, record) {
  const stored = content?.arguments ?? [];
  return {
    skip: record.skip ? { ...OPEN, ...content?.skip } : null,
    verb: { ...OPEN, ...content?.verb },
    frame: { ...OPEN, ...content?.frame },
    arguments: record.arguments.map((_, at) => ({
      head: { ...OPEN, ...stored[at]?.head },
      element: { ...OPEN, ...stored[at]?.element },
      role: { ...OPEN, ...stored[at]?.role },
    })),
    missing: (content?.missing ?? []).map((/** @type {any} */ { head, element = "", role = "" }) => {
      lastKey += 1;
      return { key: lastKey, head, element, role };
    }),
  };
}

/** @param {Verification} state */
export function submissionOf({ skip, verb, frame, arguments: judged, missing }) {
  if (skip) return { skip, verb: null, frame: null, arguments: [], missing: [] };
  return {
    skip,
    verb,
    frame,
    arguments: judged.map(({ head, element, role }) =>
      head.verdict === "disputed" ? { head, element: null, role: null } : { head, element, role },
    ),
    missing: missing.map(({ head, element, role }) => ({ head, element, role })),
  };
}

// --- moves

/** @param {Verification} state @param {RecordPart} part @param {Partial<Judgment>} change */
export function judgeRecord(state, part, change) {
  return { ...state, [part]: judged(state[part] ?? OPEN, change) };
}

/** @param {Verification} state @param {number} at @param {Part} part @param {Partial<Judgment>} change */
export function judgePart(state, at, part, change) {
  const list = state.arguments.map((argument, place) =>
    place === at ? { ...argument, [part]: judged(argument[part], change) } : argument,
  );
  return { ...state, arguments: list };
}

/** @param {Judgment} judgment @param {Partial<Judgment>} change @returns {Judgment} */
function judged(judgment, change) {
  const changed = { ...judgment, ...change };
  return changed.verdict === "verified" ? { ...OPEN, verdict: "verified" } : changed;
}

/** @param {Verification} state @param {number[]} head */
export function addMissing(state, head) {
  lastKey += 1;
  return { ...state, missing: [...state.missing, { key: lastKey, head, element: "", role: "" }] };
}

/** @param {Verification} state @param {number} key @param {Partial<{head: number[], element: string, role: string}>} change */
export function changeMissing(state, key, change) {
  const list = state.missing.map((argument) => (argument.key === key ? { ...argument, ...change } : argument));
  return { ...state, missing: list };
}

/** @param {Verification} state @param {number} key */
export function removeMissing(state, key) {
  return { ...state, missing: state.missing.filter((argument) => argument.key !== key) };
}

// --- what is open

/**
 * Return the parts of the record that have to be judged, in the order of the page. An argument whose
 * words are disputed has no other parts.
 *
 * @param {Verification} state
 * @returns {{place: string, judgment: Judgment, name: string}[]}
 */
export function partsOf(state, words = /** @type {string[]} */ ([])) {
  if (state.skip) return [{ place: "skip", judgment: state.skip, name: t`that the record is skipped` }];
  const parts = [
    { place: "verb", judgment: state.verb, name: t`the words of the verb` },
    { place: "frame", judgment: state.frame, name: t`the frame` },
  ];
  for (const [at, argument] of state.arguments.entries()) {
    for (const part of judgedParts(argument)) {
      parts.push({ place: placeOf(at, part), judgment: argument[part], name: nameOf(part, words[at] ?? "") });
    }
  }
  return parts;
}

/** @param {JudgedArgument} argument */
export function judgedParts({ head }) {
  return head.verdict === "disputed" ? PARTS.slice(0, 1) : PARTS;
}

/** @param {number} at @param {Part} part */
export function placeOf(at, part) {
  return `argument-${at}-${part}`;
}

/** @param {Part} part @param {string} words */
function nameOf(part, words) {
  return { head: t`the words ${words}`, element: t`the element of ${words}`, role: `the role of ${words}` }[part];
}

/**
 * Return what prevents submission.
 *
 * @param {Verification} state
 * @param {StoredRecord} record
 * @param {string[]} tokens
 * @returns {CaseProblem[]}
 */
export function problemsOf(state, record, tokens) {
  const words = record.arguments.map(({ head }) => `“${textOf(head, tokens)}”`);
  const problems = [];
  for (const { place, judgment, name } of partsOf(state, words)) {
    if (!judgment.verdict) problems.push({ place, message: t`Verify or dispute ${name}.` });
    else if (judgment.verdict === "disputed" && !judgment.reason.trim()) {
      problems.push({ place, message: t`Explain why you dispute ${name}.` });
    }
  }
  for (const { key, head, element, role } of state.missing) {
    const name = `“${textOf(head, tokens)}”`;
    if (!element && !role) {
      problems.push({ place: `missing-${key}`, message: t`Choose an element or a role for ${name}.` });
    }
  }
  return problems;
}

/** @param {Verification} state */
export function countDisputed(state) {
  const disputed = partsOf(state).filter(({ judgment }) => judgment.verdict === "disputed");
  return disputed.length + state.missing.length;
}
