// The types of a work page. Pages do not load this file.
//
// A scheme's page module exports `mount(root, data, onChange)`. The shell calls it once per item, with
// a copy of the template's element `data-work-root` as `root`.

/**
 * Content by item id. What an item's content looks like is up to the scheme.
 *
 * @typedef {Record<string, any>} Content
 */

/**
 * A sentence of the context with its id. The other fields are those of an item.
 *
 * @typedef {{id: string, tokens: string[], text?: string, offsets?: import("../spans.js").Span[],
 *   shown?: import("../spans.js").Span[]}} ContextSentence
 */

/**
 * The sentences before and after an item's sentence. A side is cut if others are not shown. `sentences`
 * has those of both sides if answers may lie in them.
 *
 * @typedef {{before: string[], after: string[], cutBefore: boolean, cutAfter: boolean, summary: string,
 *   sentences?: ContextSentence[]}} Context
 */

/**
 * An item to annotate. `target`, `data` and `content` belong to the scheme.
 *
 * @typedef {object} Item
 * @property {number} id
 * @property {import("../written-text.js").Tokens} tokens
 * @property {string} [text]  the sentence as it was written
 * @property {import("../spans.js").Span[]} [offsets]  the range of each token in the text
 * @property {import("../spans.js").Span[]} [shown]  the ranges that show the tokens, where they differ
 * @property {Context} [context]  the neighbours of the sentence in its document
 * @property {any} target
 * @property {any} data
 * @property {any} content  the draft, if there is one
 * @property {boolean} [freeForm]  whether units outside the scheme's template can be submitted
 * @property {any} [sources]  of a case: the annotators' content
 * @property {any} [layout]  of a case: the sources aligned
 * @property {any} [asked]  of a validation
 * @property {any} [disputes]  of a revision: what the verifiers dispute
 */

/**
 * The scheme's nouns in singular and plural: the unit of annotation, and the unit of pay.
 *
 * @typedef {{item: [string, string], unit: [string, string]}} Nouns
 */

/**
 * @typedef {object} Page
 * @property {Item[]} items
 * @property {any} shared  data that all pages of the scheme share
 * @property {boolean} preview
 * @property {boolean} submitted
 * @property {number} revision  of the draft
 * @property {string} [saveId]  the id of the message that saved this revision
 * @property {string} [definition]  the digest of the definition whose form the page shows, if there is one
 * @property {number} activeSeconds
 * @property {number} moves
 * @property {Steps} steps
 * @property {Record<string, InputRecord>} [inputs]  by item id, if the page records them
 * @property {string} comment
 * @property {Pay | null} [pay]
 * @property {Nouns} nouns
 * @property {string} token
 * @property {string} assignment
 * @property {string} submitTo
 * @property {{draft: string, submit: string, check: string, lookUp: string, index?: Record<string, string>}} urls
 * @property {string} [tutorial]  the address of the tutorial, if the worker is new to the role
 * @property {string} [csrf]  on a page of the site itself
 * @property {string} [draftKey]  on a page of the site itself
 * @property {string} [series]  of practice exercises
 * @property {number} [number]  of a practice exercise
 */

/**
 * A problem that the server reports: the item, the path inside its content, and a message.
 *
 * @typedef {{item: number, path: string, message: string}} Refusal
 */

/**
 * The data of an item for its scheme. A locked item allows no changes.
 *
 * @typedef {Item & {shared: any, pay: Pay | null, locked: boolean}} ItemData
 */

/**
 * A problem that prevents submission. The scheme may add fields that locate it.
 *
 * @typedef {{message: string, [field: string]: any}} Problem
 */

/**
 * A scheme's part of a page for one item.
 *
 * Without `load`, `restore` or `lock`, the shell mounts the item again with other data. When something
 * has arrived that the problems or the status depend on, the root dispatches "work-loaded" (bubbling).
 *
 * @typedef {object} Work
 * @property {() => any} content  return the work for a draft
 * @property {() => Problem[]} problems  return what prevents submission
 * @property {() => any} [submission]  return the work for submission, where it differs
 * @property {(problem: any) => void} [focusProblem]
 * @property {(problem: any) => boolean} [isCurrent]  return false if the place of a problem is gone
 * @property {(path: string, message: string) => Problem} [problemAt]  locate a problem that the server reports
 * @property {(problems: any[], options: {isRefused: boolean}) => void} [showProblems]  replace the shell's list
 * @property {() => boolean} [isReady]  return false to mark the submit button as not available yet
 * @property {() => string} [step]  name the current step, for time and moves by step
 * @property {() => ItemStatus} [status]  for the list of items of a task with several
 * @property {() => string} [title]  identify the item in that list
 * @property {() => number} [units]  count the units that are paid
 * @property {() => void} [focus]  focus the place where the work goes on
 * @property {() => void} [shown]  called when the item becomes the current one
 * @property {(sides: {before: HTMLElement, after: HTMLElement}) => void} [showContext]  fill the sides of
 *   a context in which answers may lie
 * @property {(content: any) => void} [load]  show a version of the work
 * @property {() => any} [snapshot]  return the state for undo, where it is more than the content
 * @property {(state: any) => void} [restore]  go back to a snapshot
 * @property {(content: any) => string[]} [describe]  return lines that identify a version
 * @property {(text: string) => void} [say]  announce what happened
 * @property {() => void} [lock]  allow no more changes
 * @property {() => void} [destroy]
 */

/**
 * A change that can be undone. `label` is what was done, for the undo button. Consecutive steps with
 * the same key are a single one.
 *
 * @typedef {{label: string, mergeKey?: string | null, passing?: boolean}} Step
 */

/**
 * Report a change. A step can be undone unless it is `passing`, such as going to another part of the
 * page. A change without a step is not a move.
 *
 * @typedef {(step?: Step) => void} OnChange
 */

/** @typedef {(root: HTMLElement, data: any, onChange: OnChange) => Work} Mount */

/**
 * A move: the active second, the step, and what was done.
 *
 * @typedef {[second: number, step: string, label: string]} LoggedMove
 */

/**
 * The work as it is sent to the server. `log` ends with move number `moves`.
 *
 * @typedef {{content: Content, comment: string, active_seconds: number, moves: number, steps: Steps, log: LoggedMove[],
 *   inputs?: Record<string, InputRecord>}} WorkState
 */

/**
 * A condition on the content of a tutorial's example: the value at the path is not empty (null), or
 * equals the value. "*" in the path matches any position.
 *
 * @typedef {{path: string, value: any}} Goal
 */

/** @typedef {{steps: {title: string, text: string, goals: Goal[]}[], item: Item}} TutorialData */

/** @typedef {{revision: number, content: Content, comment?: string, moves?: number, submitted?: boolean}} Version */

/**
 * A version that the browser stored. `unanswered` has the ids of messages that may have saved it, and
 * `definition` is that of its page.
 *
 * @typedef {{revision: number, content: Content, comment: string, unanswered: string[], definition?: string}} StoredVersion
 */

/** @typedef {"new" | "started" | "done" | "skipped"} ItemStatus */

/** @typedef {"saved" | "unsaved" | "saving" | "offline" | "refused"} DraftStatus */

/**
 * "invalid" means that the page's permission is not valid any more.
 *
 * @typedef {"sending" | "refused" | "unreachable" | "invalid" | "conflict" | "leaving" | "no-answer"} SubmissionState
 */

/**
 * @typedef {object} Pay
 * @property {number} reward_cents
 * @property {number[]} unit_cents  what each further unit earns, empty without a bonus
 * @property {number} max_units  0 for no limit
 * @property {number} hold_above_units  a person checks bonuses above this number of units, 0 for none
 * @property {number} least_seconds  a person checks bonuses of faster work per item, 0 for none
 */

/** @typedef {Record<string, {seconds: number, moves: number}>} Steps */

/**
 * How the answers of an item were entered. A field has its name and the number of inserted characters by
 * kind of input, in the order of the first answers. `intervals` counts those between typed characters by
 * bucket, and `counts` has events, and the milliseconds away from the page.
 *
 * @typedef {{fields: Record<string, string | number>[], intervals: Record<number, number>, counts: Record<string, number>}} InputRecord
 */

export {};
