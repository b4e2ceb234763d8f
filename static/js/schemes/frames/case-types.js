// The types of verifications and consolidations. Pages do not load this file.

/** @typedef {{head: number[], element: string, role: string}} Labels */

/** @typedef {{skip: string, verb: number[], lemma: string, frame: string, arguments: Labels[], confidence: number | null}} StoredRecord */

/** @typedef {"" | "verified" | "disputed"} Verdict */

/**
 * The judgment of a part. `proposal` is a name, or a list of positions for words.
 *
 * @typedef {{verdict: Verdict, reason: string, proposal: string | number[]}} Judgment
 */

/** @typedef {"head" | "element" | "role"} Part */

/** @typedef {Record<Part, Judgment>} JudgedArgument */

/** @typedef {Labels & {key: number}} KeyedLabels */

/** @typedef {"skip" | "verb" | "frame"} RecordPart */

/**
 * A verification while it is being written. States never change, and each move makes a new one. Of a
 * skipped record, only `skip` is judged, which is null otherwise.
 *
 * @typedef {{skip: Judgment | null, verb: Judgment, frame: Judgment, arguments: JudgedArgument[], missing: KeyedLabels[]}} Verification
 */

/**
 * A row of a consolidation: what becomes of an argument of the sources, or an added one. `base` is the
 * source whose argument was chosen, and null for an added argument or an open decision.
 *
 * @typedef {KeyedLabels & {units: (number | null)[], choice: "" | "kept" | "dropped", base: number | null}} Row
 */

/**
 * A consolidation while it is being written.
 *
 * @typedef {{skip: string, frame: string, rows: Row[], confidence: number | null}} Merge
 */

/**
 * A problem that prevents submission. `place` is the id of the part of the page that it concerns.
 *
 * @typedef {{message: string, place: string}} CaseProblem
 */

export {};
