// A consolidation of several records, without elements of the page.
//
// The rules are those of the parser (schemes/frames/content.py).

/** @import { Frame } from "./frame-types.js" */
/** @import { CaseProblem, Labels, Merge, Row, StoredRecord } from "./case-types.js" */

import { t } from "../../html.js";
import { isCore, isLost, textOf } from "./record.js";

const LETTERS = "ABCDEFGHI";
let lastKey = 0;

/** @param {number} source */
export function letterOf(source) {
  return LETTERS[source] ?? String(source + 1);
}

/**
 * Return the state of a draft, or of a consolidation that keeps arguments of the sources.
 *
 * @param {any} content
 * @param {StoredRecord[]} sources
 * @param {(number | null)[][]} layout  indexes of arguments per source
 * @returns {Merge}
 */
export function resume(content, sources, layout) {
  if (content?.rows) return { ...content, rows: content.rows.map((/** @type {any} */ row) => keyed(row)) };
  const rows = layout.map((units) => openRow(units, sources));
  const merge = { skip: "", frame: "", rows, confidence: null };
  return content ? mergeOf(content, merge) : merge;
}

/**
 * Return the state of a finished consolidation. Arguments that it does not have are dropped.
 *
 * @param {any} content
 * @param {Merge} open
 * @returns {Merge}
 */
function mergeOf({ skip = "", frame = "", arguments: kept = [], confidence = null }, open) {
  const rows = open.rows.map((row) => {
    const base = row.units.findIndex((unit, at) =>
      kept.some((/** @type {any} */ { source }) => unit !== null && source?.submission === at && source.unit === unit),
    );
    const argument = kept.find(
      (/** @type {any} */ { source }) => source?.submission === base && source.unit === row.units[base],
    );
    if (!argument) return /** @type {Row} */ ({ ...row, choice: "dropped", base: null });
    return /** @type {Row} */ ({ ...row, ...labelsOf(argument), choice: "kept", base });
  });
  const added = kept
    .filter((/** @type {any} */ { source }) => !source)
    .map((/** @type {any} */ argument) => newRow(labelsOf(argument)));
  return { skip, frame, rows: [...rows, ...added], confidence };
}

/** @param {any} row @returns {Row} */
function keyed(row) {
  lastKey += 1;
  return { ...row, key: lastKey };
}

/** @param {(number | null)[]} units @param {StoredRecord[]} sources @returns {Row} */
function openRow(units, sources) {
  const first = units.findIndex((unit) => unit !== null);
  const argument = sources[first].arguments[/** @type {number} */ (units[first])];
  return keyed({ ...labelsOf(argument), units, choice: "", base: null });
}

/** @param {Labels} labels @returns {Row} */
function newRow(labels) {
  return keyed({ ...labels, units: [], choice: "kept", base: null });
}

/** @param {Labels} argument @returns {Labels} */
function labelsOf({ head, element, role }) {
  return { head, element, role };
}

/** @param {Merge} state */
export function draftOf(state) {
  return { ...state, rows: state.rows.map(({ key: _, ...row }) => row) };
}

/**
 * @param {Merge} state
 * @param {number[]} verb
 */
export function submissionOf({ skip, frame, rows, confidence }, verb) {
  if (skip) return { skip, verb, frame: "", arguments: [], confidence: null };
  const kept = rows.filter(({ choice }) => choice === "kept");
  const list = kept.map((row) => ({
    ...labelsOf(row),
    source: row.base === null ? null : { submission: row.base, unit: row.units[row.base] },
  }));
  return { skip, verb, frame, arguments: list, confidence };
}

// --- sources

/** @param {Row} row @param {number} source @param {StoredRecord[]} sources @returns {Labels | null} */
export function argumentOf(row, source, sources) {
  const unit = row.units[source];
  return unit === null || unit === undefined ? null : sources[source].arguments[unit];
}

/**
 * Return true if all sources have the same argument in this row.
 *
 * @param {Row} row
 * @param {StoredRecord[]} sources
 */
export function isAgreed(row, sources) {
  const found = sources.map((_, at) => argumentOf(row, at, sources));
  const [first] = found;
  return first !== null && found.every((other) => other !== null && isSame(first, other));
}

/** @param {Labels} a @param {Labels} b */
function isSame(a, b) {
  return a.head.join() === b.head.join() && a.element === b.element && a.role === b.role;
}

/** @param {StoredRecord[]} sources */
export function agreedFrame(sources) {
  const [first] = sources;
  return first?.frame && sources.every(({ frame }) => frame === first.frame) ? first.frame : "";
}

// --- moves

/** @param {Merge} state @param {number} key @param {Partial<Row>} change */
export function changeRow(state, key, change) {
  return { ...state, rows: state.rows.map((row) => (row.key === key ? { ...row, ...change } : row)) };
}

/** @param {Merge} state @param {number} key @param {number} source @param {StoredRecord[]} sources */
export function keep(state, key, source, sources) {
  const row = state.rows.find((candidate) => candidate.key === key);
  const argument = row && argumentOf(row, source, sources);
  return argument ? changeRow(state, key, { ...labelsOf(argument), choice: "kept", base: source }) : state;
}

/**
 * Keep the frame and the arguments that all sources have, where nothing is decided.
 *
 * @param {Merge} state
 * @param {StoredRecord[]} sources
 */
export function keepAgreed(state, sources) {
  const frame = state.frame || agreedFrame(sources);
  const open = state.rows.filter((row) => !row.choice && isAgreed(row, sources));
  if (frame === state.frame && open.length === 0) return state;
  return open.reduce((merge, { key }) => keep(merge, key, 0, sources), { ...state, frame });
}

/** @param {Merge} state @param {number[]} head */
export function addRow(state, head) {
  return { ...state, rows: [...state.rows, newRow({ head, element: "", role: "" })] };
}

/** @param {Merge} state @param {number} key */
export function removeRow(state, key) {
  return { ...state, rows: state.rows.filter((row) => row.key !== key) };
}

// --- problems

/**
 * Explain why the words can't be the head of the row, or return "".
 *
 * @param {Merge} state
 * @param {number[]} head
 * @param {number | null} key
 * @param {{tokens: string[], verb: number[]}} item
 */
export function refusal(state, head, key, { tokens, verb }) {
  const inVerb = head.find((at) => verb.includes(at));
  if (inVerb !== undefined) return `“${textOf([inVerb], tokens)}” belongs to the verb.`;
  const others = state.rows.filter((row) => row.key !== key && row.choice === "kept");
  const other = others.find((row) => row.head.some((at) => head.includes(at)));
  return other ? t`A word already belongs to “${textOf(other.head, tokens)}”.` : "";
}

/**
 * Return what prevents submission.
 *
 * @param {Merge} state
 * @param {string[]} tokens
 * @param {Frame | null} frame  the chosen frame, if it is loaded
 * @returns {CaseProblem[]}
 */
export function problemsOf(state, tokens, frame) {
  if (state.skip) return [];
  const problems = state.frame ? [] : [{ place: "frame", message: t`Choose a frame, or skip the record.` }];
  for (const row of state.rows) {
    const message = rowProblem(row, state, tokens, frame);
    if (message) problems.push({ place: `row-${row.key}`, message });
  }
  if (state.confidence === null) problems.push({ place: "confidence", message: t`Rate your confidence from 1 to 5.` });
  return problems;
}

/** @param {Row} row @param {Merge} state @param {string[]} tokens @param {Frame | null} frame */
function rowProblem(row, state, tokens, frame) {
  const name = `“${textOf(row.head, tokens)}”`;
  if (!row.choice) return t`Decide about ${name}.`;
  if (row.choice === "dropped") return "";
  if (!row.element && !row.role) return t`Choose an element or a role for ${name}.`;
  if (isLost(row.element, frame)) return t`${frame?.name} has no element ${row.element}. Change ${name}.`;
  const others = state.rows.filter((other) => other.choice === "kept" && other.key < row.key);
  if (others.some(({ head }) => head.some((at) => row.head.includes(at)))) {
    return t`${name} shares a word with another argument.`;
  }
  return others.some((other) => haveSameCore(row, other, frame)) ? t`${row.element} is used twice.` : "";
}

/** @param {Row} row @param {Row} other @param {Frame | null} frame */
function haveSameCore(row, other, frame) {
  const core = frame?.elements.find((candidate) => candidate.name === row.element && isCore(candidate));
  return core !== undefined && other.element === row.element;
}

/**
 * Explain at a kept argument that another one has its core element, or return "".
 *
 * @param {Merge} state
 * @param {Row} row
 * @param {string[]} tokens
 * @param {Frame | null} frame  the chosen frame, if it is loaded
 */
export function repetition(state, row, tokens, frame) {
  if (row.choice !== "kept") return "";
  const other = state.rows.find(
    (candidate) => candidate.key !== row.key && candidate.choice === "kept" && haveSameCore(row, candidate, frame),
  );
  if (!other) return "";
  return t`${row.element} is also the element of “${textOf(other.head, tokens)}”. Change or drop one of them.`;
}
