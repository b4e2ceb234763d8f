// The types of cases. Pages do not load this file.

/** @import { Span } from "../../spans.js" */
/** @import { Board } from "./case-card.js" */

/** @typedef {"keep" | "invalid" | "redundant"} Verdict */

/**
 * @typedef {object} CaseQuestion
 * @property {string} id
 * @property {string} question
 * @property {Span[]} answers
 * @property {string[]} [contextAnswers]  the texts of its answers in the context, which no move changes
 * @property {{submission: number, question: number} | null} source  null for a new question
 * @property {Verdict | null} verdict  null while it is open
 * @property {string | null} sameAs  the id of the kept question that a redundant one repeats
 * @property {boolean} [implied]  whether the sentence only implies the answers, if that is known or asked
 * @property {number | null} [picked]  the rank of the suggestion that a new text is, null if it was typed
 */

/**
 * A state is never changed: each move returns a new one. `isVerbal` is whether a noun describes an
 * event, null if undecided. Verbs don't have it.
 *
 * @typedef {{size: number, made: number, questions: CaseQuestion[], isVerbal?: boolean | null,
 *   asksImplied?: boolean}} CaseState
 */

/**
 * @typedef {object} Source
 * @property {{question: string, answers: Span[], implied?: boolean, context_answers?: {text: string}[]}[]} questions
 * @property {string} no_question
 * @property {boolean} [is_verbal]
 */

/**
 * @typedef {object} ContentQuestion
 * @property {string} question
 * @property {Span[]} answers
 * @property {{submission: number, question: number} | null} [source]
 * @property {string | null} verdict
 * @property {number | null} [same_as]
 * @property {boolean} [implied]
 * @property {number | null} [picked]
 */

/** @typedef {{questions?: ContentQuestion[], is_verbal?: boolean | null}} CaseContent */

/**
 * @typedef {object} Problem
 * @property {"unjudged" | "empty" | "too-long" | "no-answer" | "too-many-answers" | "same" | "conflict" |
 *   "too-many-questions" | "verbal-undecided" | "not-verbal"} kind
 * @property {string[]} ids
 * @property {number[]} tokens
 */

/**
 * The arguments of moves. A move that names something missing changes nothing.
 *
 * @typedef {object} MoveArguments
 * @property {string} [id]  the question to change
 * @property {string | null} [of]  the question that it repeats
 * @property {string | null} [to]  the question that gets an answer, null for a new one
 * @property {string[][]} [groups]  ids of questions
 * @property {string} [question]
 * @property {Span[]} [answers]
 * @property {Span} [span]
 * @property {Span} [other]
 * @property {number} [at]  a token
 * @property {boolean} [isVerbal]
 * @property {boolean} [implied]
 * @property {number | null} [picked]
 */

/** @typedef {"keep" | "invalid" | "unjudge" | "redundant" | "merge" | "settle" | "add" | "remove" | "verbal" | "implied"} VerdictMove */

/** @typedef {"rewrite" | "mark" | "unmark" | "split" | "cut" | "join" | "move"} AnswerMove */

/** @typedef {MoveArguments & {type: VerdictMove | AnswerMove}} Move */

/**
 * @typedef {object} BoardCalls
 * @property {(move: Move) => string | null} act  make a move, and return the id of its question
 * @property {(id: string) => void} activate  called when a card gets the focus
 * @property {(id: string, span: Span | null) => void} edit  edit the answers in the sentence
 */

/**
 * The texts of a role: names of questions, problems and moves.
 *
 * @typedef {object} CaseText
 * @property {(question: CaseQuestion) => string} nameOf
 * @property {(question: CaseQuestion) => string} named
 * @property {(question: CaseQuestion, state: CaseState) => string} verdictText
 */

/** @typedef {{clashes: number[], isActive: boolean}} Look */

/**
 * What is different between consolidators and validators.
 *
 * @typedef {object} Role
 * @property {CaseState} beginning
 * @property {(content: any) => CaseState} resume  return the state of a draft's content
 * @property {(state: CaseState) => any} contentOf
 * @property {(state: CaseState, move: Move) => CaseState} apply  return the same state if nothing changes
 * @property {(state: CaseState) => Problem[]} problems
 * @property {CaseText & RoleText} text
 * @property {(box: HTMLElement, calls: BoardCalls) => Board} createBoard
 * @property {string} settled  the message if nothing is left to do
 * @property {boolean} [goesOn]  whether Enter on an answer goes to the next open question
 * @property {(state: CaseState) => void} [show]  show more of a state
 * @property {(problem: Problem) => boolean} [goTo]  focus a problem outside the board, if it is one
 */

/**
 * @typedef {object} RoleText
 * @property {(state: CaseState, move: Move) => string} moveText  for the undo button
 * @property {(problem: Problem, state: CaseState, tokens: string[]) => string} problemText
 */

export {};
