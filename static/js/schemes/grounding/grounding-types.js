// The types of the grounding pages. Pages do not load this file.

/**
 * Half-open, in pixels of the image: left, top, right and bottom.
 *
 * @typedef {[number, number, number, number]} Box
 */

/** @typedef {{x: number, y: number}} Point */

/** @typedef {{width: number, height: number}} Size */

/** @typedef {"nw" | "n" | "ne" | "e" | "se" | "s" | "sw" | "w"} Handle */

/** @typedef {"" | "boxes" | "group" | "scene" | "absent"} PhraseState */

/**
 * A phrase of the target.
 *
 * @typedef {{id: string, start: number, end: number, plural: boolean, cardinality: number | null, chain: string}} Phrase
 */

/** @typedef {{url: string, width: number, height: number, name: string}} Picture */

/** @typedef {{id: string, state: Exclude<PhraseState, "">, boxes: Box[]}} StoredPhrase */

/** @typedef {{phrases: StoredPhrase[]}} StoredGrounding */

/**
 * The answer to a phrase. `keys` are those of its boxes, which phrases can share.
 *
 * @typedef {{id: string, state: PhraseState, keys: string[]}} Answer
 */

/** @typedef {{current: number, boxes: Record<string, Box>, phrases: Answer[]}} Grounding */

/**
 * A box as the picture shows it. `kind` is its look, and `colour` is from 1 to 6. A box with a `label`
 * can get the focus. A locked box can't be moved.
 *
 * @typedef {{key: string, box: Box, kind: string, colour: number, tag: string, label?: string, locked?: boolean, isTagBelow?: boolean}} ShownBox
 */

/** @typedef {{at: number, message: string}} PhraseProblem */

export {};
