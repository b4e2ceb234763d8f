// Merging the annotations of several people. What they agree on is chosen already.

/** @import { Answers, Definition, Field } from "./custom-types.js" */

import { overlaps } from "../../spans.js";
import { isAnswered, PARTS, shownFields } from "./answers.js";
import { sortedParts, withSpans } from "./parts.js";

/**
 * A part of a field, which does not depend on the positions of other parts. The ends of a relation are
 * spans. `key` is the same for equal parts.
 *
 * @typedef {{key: string, value: any}} Part
 */

/**
 * A result. `settled` are the fields on which the annotators agree or the consolidator decided.
 *
 * @typedef {{answers: Answers, settled: string[]}} Merged
 */

/** @param {any} value @returns {string} */
function keyOf(value) {
  if (Array.isArray(value)) return `[${value.map(keyOf).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const names = Object.keys(value).sort();
  const parts = names.map((name) => `${name}:${keyOf(value[name])}`);
  return `{${parts.join(",")}}`;
}

/**
 * Return a span without its attributes, which relations don't depend on.
 *
 * @param {any} span
 */
function bare({ start, end, label }) {
  return { start, end, label };
}

/** @param {Field} field */
export function hasParts({ type }) {
  return PARTS.includes(type);
}

/**
 * Return the parts of a field, or its single value.
 *
 * @param {Field} field
 * @param {Answers} answers
 * @returns {Part[]}
 */
export function partsOf(field, answers) {
  const value = answers[field.key];
  if (!isAnswered(field, value)) return [];
  if (!hasParts(field)) return [{ key: keyOf(value), value }];
  const spans = field.type === "relations" ? (answers[field.spans ?? ""] ?? []) : [];
  return value.map((/** @type {any} */ part) => {
    const ends = () => ({ label: part.label, from: bare(spans[part.from]), to: bare(spans[part.to]) });
    const whole = field.type === "relations" ? ends() : part;
    return { key: keyOf(whole), value: whole };
  });
}

/**
 * Return the answers with these parts of a field. Relations whose spans are not there are left out.
 *
 * @param {Definition} definition
 * @param {Answers} answers
 * @param {Field} field
 * @param {Part[]} parts
 * @returns {Answers}
 */
export function withParts(definition, answers, field, parts) {
  if (field.type === "spans") {
    const places = new Map(partsOf(field, answers).map(({ key }, at) => [key, at]));
    const entries = parts.map(({ key, value }) => ({ span: value, before: places.get(key) ?? null }));
    return cleaned(withSpans(definition, answers, field, entries), field);
  }
  const values = field.type === "relations" ? joined(field, answers, parts) : parts.map(({ value }) => value);
  return cleaned({ ...answers, [field.key]: hasParts(field) ? sortedParts(field, values) : values[0] }, field);
}

/** @param {Field} field @param {Answers} answers @param {Part[]} parts */
function joined({ spans: key = "" }, answers, parts) {
  const places = new Map(
    (answers[key] ?? []).map((/** @type {any} */ span, /** @type {number} */ at) => [keyOf(bare(span)), at]),
  );
  return parts.flatMap(({ value: { label, from, to } }) => {
    const [start, end] = [places.get(keyOf(from)), places.get(keyOf(to))];
    return start === undefined || end === undefined ? [] : [{ label, from: start, to: end }];
  });
}

/** @param {Answers} answers @param {Field} field */
function cleaned(answers, field) {
  if (!isAnswered(field, answers[field.key])) delete answers[field.key];
  return answers;
}

/**
 * Return the parts with another one, which replaces those that exclude it.
 *
 * @param {Field} field
 * @param {Part[]} parts
 * @param {Part} part
 */
export function partsWith(field, parts, part) {
  return [...parts.filter((other) => other.key !== part.key && !excludes(field, other.value, part.value)), part];
}

/** @param {Field} field @param {any} a @param {any} b */
function excludes(field, a, b) {
  if (field.type === "questions") return a.question === b.question;
  if (field.type !== "spans") return !hasParts(field);
  const isSame = a.start === b.start && a.end === b.end && a.label === b.label;
  return isSame || (!field.overlap && overlaps([a.start, a.end], [b.start, b.end]));
}

/**
 * Return the sources whose form shows a field.
 *
 * @param {Definition} definition
 * @param {Answers[]} sources
 * @param {Field} field
 */
function askedSources(definition, sources, field) {
  return sources.filter((answers) => shownFields(definition, answers).includes(field));
}

/**
 * Return the parts of a field on which all agree who were asked, and whether that is everything.
 *
 * @param {Definition} definition
 * @param {Answers[]} sources
 * @param {Field} field
 */
export function agreement(definition, sources, field) {
  const asked = askedSources(definition, sources, field).map((answers) => partsOf(field, answers));
  const [first = [], ...others] = asked;
  const agreed = first.filter(({ key }) => others.every((parts) => parts.some((part) => part.key === key)));
  return { agreed, isWhole: asked.every((parts) => parts.length === agreed.length), count: asked.length };
}

/**
 * Return the result with what all agree on.
 *
 * @param {Definition} definition
 * @param {Answers[]} sources
 * @returns {Merged}
 */
export function begin(definition, sources) {
  /** @type {Answers} */
  let answers = {};
  const settled = [];
  for (const field of definition.fields) {
    const { agreed, isWhole } = agreement(definition, sources, field);
    answers = withParts(definition, answers, field, agreed);
    if (isWhole) settled.push(field.key);
  }
  return { answers, settled };
}
