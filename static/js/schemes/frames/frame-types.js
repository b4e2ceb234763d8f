// The types of records and of the lexicon. Pages do not load this file.

/**
 * Text with the mentions of frame elements marked: `[text, element or ""]`.
 *
 * @typedef {[text: string, mark: string][]} Runs
 */

/** @typedef {{name: string, core: string, definition: Runs}} FrameElement */

/**
 * A frame, with the roles that reference records give to its elements, the most frequent first.
 *
 * @typedef {object} Frame
 * @property {string} name
 * @property {Runs} definition
 * @property {Runs[]} examples
 * @property {FrameElement[]} elements
 * @property {string[]} units
 * @property {Record<string, string[]>} [element_roles]
 */

/**
 * How often a frame was chosen for a lemma, and frequent words of the arguments in these records.
 *
 * @typedef {{frame: string, lemma: string, count: number, words?: string[]}} Precedent
 */

/** @typedef {"read" | "frame" | "arguments" | "rate"} StepName */

/**
 * An argument. Without `isOwnRole`, its role is the suggested one. `origin` is its position in the
 * record that verifiers disputed.
 *
 * @typedef {object} Argument
 * @property {number} key
 * @property {number[]} head
 * @property {string} element
 * @property {string} role
 * @property {boolean} isOwnRole
 * @property {number | null} origin
 */

/**
 * A record while it is being written. States never change, and each move makes a new one.
 *
 * @typedef {object} RecordState
 * @property {StepName} step
 * @property {boolean} understood
 * @property {string} skip  the key of the reason, or ""
 * @property {number[]} verb
 * @property {string} frame
 * @property {Argument[]} arguments
 * @property {boolean} mentionsNone  whether the sentence is said to mention no argument
 * @property {number | null} confidence
 */

/**
 * What is known about the item besides its record.
 *
 * @typedef {object} ItemFacts
 * @property {string[]} tokens
 * @property {{verb: number[], lemma: string}} target
 * @property {string[]} lemmas
 * @property {Record<string, string>} roleHints  a role by token
 * @property {{name: string, definition: string}[]} roles
 * @property {Record<string, string[]>} elementRoles
 * @property {string[]} [verbRoles]  of VerbNet's classes of the verb
 * @property {string[]} [nouns]  that may belong to a light verb
 * @property {Record<string, Record<string, string[]>>} [chosenRoles]  of others, by frame and element
 */

/** @typedef {{reason: string, proposal: any}} Dispute */

/**
 * What verifiers dispute in an earlier record.
 *
 * @typedef {object} Disputes
 * @property {Dispute[]} [skip]
 * @property {Dispute[]} [verb]
 * @property {Dispute[]} [frame]
 * @property {(Dispute & {argument: number, part: "head" | "element" | "role"})[]} [arguments]
 * @property {{head: number[], element: string, role: string}[]} [missing]
 */

/**
 * A problem that prevents submission. `key` names the argument, and `isBare` says that there are none.
 *
 * @typedef {{message: string, step: StepName, key?: number, isBare?: boolean}} Problem
 */

export {};
