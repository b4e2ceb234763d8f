// The types of a definition and of its answers. Pages do not load this file.

/** @import { Span as Range } from "../../spans.js" */

/**
 * An option of a choice, or a group of options. Labels of spans and boxes have no `options`, and those of
 * relations name the labels that they join.
 *
 * @typedef {{key: string, label: string, help?: string, key_hint?: string, options?: Option[], from?: string[],
 *   to?: string[]}} Option
 */

/** @typedef {{field: string, is?: (string | number)[], answered?: boolean}} Condition */

/**
 * A field of the form. What else it has depends on its type.
 *
 * @typedef {object} Field
 * @property {"choice" | "choices" | "rating" | "text" | "number" | "pairwise" | "spans" | "relations" | "questions"
 *   | "boxes"} type
 * @property {string} key
 * @property {string} label
 * @property {string} [help]
 * @property {boolean} [required]
 * @property {Condition | null} [show_if]
 * @property {Option[]} [options]
 * @property {Option[]} [labels]
 * @property {number | null} [min]
 * @property {number | null} [max]
 * @property {string[]} [ends]
 * @property {number} [lines]
 * @property {number} [max_length]
 * @property {string} [pattern]
 * @property {boolean} [integer]
 * @property {string[]} [between]
 * @property {boolean} [tie]
 * @property {string} [text]
 * @property {boolean} [overlap]
 * @property {Field[]} [attributes]
 * @property {string} [spans]
 * @property {"free" | string[]} [question]
 * @property {{min: number, max: number, allow_none: boolean}} [answers]
 */

/**
 * A definition. `hasPicture` is false on the page of an item without a picture.
 *
 * @typedef {{title: string, item: {one: string, many: string}, instructions: string, image: string, skip: boolean,
 *   unit: string, fields: Field[], hasPicture?: boolean}} Definition
 */

/**
 * A text of an item, with its tokens in the sentence.
 *
 * @typedef {{key: string, label: string, language: string, dir: string, start: number, end: number}} Text
 */

/** @typedef {{start: number, end: number, label: string, attributes?: Answers}} Span */

/** @typedef {{label: string, from: number, to: number}} Relation */

/**
 * A question with the spans that answer it. `none` marks in a draft that the text has no answer.
 *
 * @typedef {{question: string, answers: Range[], none?: boolean}} Question
 */

/** @typedef {{label: string, box: [number, number, number, number]}} LabelledBox */

/** @typedef {Record<string, any>} Answers  by field */

/**
 * The work on an item. `skipped` is the reason to skip it, or null.
 *
 * @typedef {{answers: Answers, skipped: string | null}} State
 */

/**
 * A problem at a path of the content, such as "answers.entities.0.label".
 *
 * @typedef {{path: string, message: string}} Problem
 */

export {};
