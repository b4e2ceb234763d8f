// The types of the grammar. Pages do not load this file.

/** @typedef {[slot: string, wordClass: string, word: string]} Step */

/** @typedef {{state: number, steps: Step[]}} Path */

/** @typedef {[wordClass: string, slot: string, state: number]} Transition */

/**
 * The automaton, the same for every item. A state has a flag whether it ends a question, and edges
 * of [class, slot, state].
 *
 * @typedef {object} Automaton
 * @property {string[]} class_names
 * @property {string[]} slots
 * @property {[number, [number, number, number][]][]} states
 * @property {Record<string, string[]>} classes
 * @property {Record<string, string>} substitutes
 */

/**
 * An item's part of the grammar. `forms` has a row for each spelling of the verb: stem, third person,
 * present participle, past, past participle. Without `pairs`, any two prepositions can follow each other.
 * `openers` begin the question words of nouns.
 *
 * @typedef {object} ItemTable
 * @property {string[][]} forms
 * @property {Record<string, string[]> | null} pairs
 * @property {string[]} prepositions
 * @property {string[]} openers
 */

/** @typedef {{text: string, ends: boolean, goesOn: boolean}} Completion */

/**
 * `start` and `end` mark the wrong word, and `nearest` are the legal words there. `substitute` is the
 * template's word for the wrong one, or "".
 *
 * @typedef {object} Check
 * @property {"complete" | "unfinished" | "wrong" | "empty"} state
 * @property {number} start
 * @property {number} end
 * @property {string[]} nearest
 * @property {string} [substitute]
 */

/** @typedef {{text: string, start: number, end: number}} Word */

export {};
