// The parts of fields with several: spans, relations, questions and boxes, in the order of the content.

/** @import { Answers, Definition, Field, Question, Span } from "./custom-types.js" */

import { t } from "../../html.js";
import { overlaps } from "../../spans.js";

/** @param {any} a @param {any} b */
function compare(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** @param {any[]} a @param {any[]} b */
function compareAll(a, b) {
  for (const [at, value] of a.entries()) {
    const order = compare(value, b[at]);
    if (order !== 0) return order;
  }
  return 0;
}

/** @type {Record<string, (part: any) => any[]>} */
const ORDERS = {
  spans: ({ start, end, label }) => [start, end, label],
  relations: ({ from, to, label }) => [from, to, label],
  boxes: ({ box, label }) => [...box, label],
};

/**
 * Return the parts of a field in the order of the content.
 *
 * @param {Field} field
 * @param {any} parts
 */
export function sortedParts({ type }, parts) {
  const keys = ORDERS[type];
  return Array.isArray(parts) && type in ORDERS ? [...parts].sort((a, b) => compareAll(keys(a), keys(b))) : parts;
}

/**
 * Return the answers with other spans. `entries` are the new spans with their position before, or null.
 * Relations follow their spans, and those of a removed span are removed.
 *
 * @param {Definition} definition
 * @param {Answers} answers
 * @param {Field} field
 * @param {{span: Span, before: number | null}[]} entries
 * @returns {Answers}
 */
export function withSpans({ fields }, answers, field, entries) {
  const keys = ORDERS.spans;
  const sorted = [...entries].sort((a, b) => compareAll(keys(a.span), keys(b.span)));
  const places = new Map(sorted.map(({ before }, at) => [before, at]));
  const changed = { ...answers, [field.key]: sorted.map(({ span }) => span) };
  for (const other of fields) {
    if (other.type !== "relations" || other.spans !== field.key || !answers[other.key]) continue;
    const moved = answers[other.key].flatMap((/** @type {any} */ { label, from, to }) => {
      const [start, end] = [places.get(from), places.get(to)];
      return start === undefined || end === undefined ? [] : [{ label, from: start, to: end }];
    });
    changed[other.key] = sortedParts(other, moved);
  }
  return changed;
}

/** @param {Span[]} spans */
export function entriesOf(spans) {
  return spans.map((span, before) => ({ span, before: /** @type {number | null} */ (before) }));
}

/**
 * Return why a span can't be added, or "".
 *
 * @param {Field} field
 * @param {Span[]} spans  the other spans
 * @param {Span} span
 */
export function spanRefusal({ overlap }, spans, { start, end, label }) {
  if (spans.some((other) => other.start === start && other.end === end && other.label === label)) {
    return t`This span is already marked.`;
  }
  const isOver = !overlap && spans.some((other) => overlaps([other.start, other.end], [start, end]));
  return isOver ? t`Spans of this field can't overlap. Remove the other span first.` : "";
}

/**
 * Return questions as the content has them.
 *
 * @param {Question[]} questions
 */
export function textsOfQuestions(questions) {
  return questions.map(({ question, answers }) => ({
    question: question.trim().replace(/\s+/g, " ").normalize("NFC"),
    answers: [...answers].sort(compareAll),
  }));
}
