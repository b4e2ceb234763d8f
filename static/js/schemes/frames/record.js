// The record of a verb, without elements of the page.
//
// The rules are those of the parser (schemes/frames/content.py).

/** @import { Argument, Disputes, Frame, ItemFacts, Precedent, Problem, RecordState, StepName } from "./frame-types.js" */

import { t } from "../../html.js";
import { wordsText } from "../../written-text.js";
import { likelyRoles } from "./roles.js";

/** @type {StepName[]} */
export const STEPS = ["read", "frame", "arguments", "rate"];
export const CONFIDENCES = [1, 2, 3, 4, 5];
const CORE = ["Core", "Core-Unexpressed"];
const MAX_ARGUMENTS = 60;
const MAX_HEAD_LENGTH = 20;
let lastKey = 0;

/** @param {{core: string}} element */
export function isCore({ core }) {
  return CORE.includes(core);
}

// --- content

/**
 * Return the state of a stored record or draft. Only drafts of this page have a step. Other content
 * is an earlier record that is revised.
 *
 * @param {any} content
 * @param {ItemFacts} facts
 * @param {Disputes} [disputes]
 * @returns {RecordState}
 */
export function resume(content, facts, disputes = {}) {
  const isDraft = STEPS.includes(content?.step);
  const stored = /** @type {any[]} */ (content?.arguments ?? []);
  return {
    step: isDraft ? content.step : firstStep(content, disputes),
    understood: content?.understood ?? Boolean(content?.frame),
    skip: content?.skip ?? "",
    verb: content?.verb?.length ? content.verb : facts.target.verb,
    frame: content?.frame ?? "",
    arguments: stored.map((argument, at) =>
      resumeArgument({ ...argument, origin: isDraft ? (argument.origin ?? null) : at }, content, facts),
    ),
    mentionsNone: content?.mentionsNone ?? (Boolean(content?.frame) && !isDraft && stored.length === 0),
    confidence: content?.confidence ?? null,
  };
}

/** @param {any} content @param {Disputes} disputes @returns {StepName} */
function firstStep(content, disputes) {
  if (!content?.frame) return "read";
  if (disputes.verb?.length || disputes.frame?.length) return "frame";
  return disputes.arguments?.length || disputes.missing?.length ? "arguments" : "rate";
}

// Earlier drafts do not say whether a role was chosen.
/** @param {any} stored @param {any} content @param {ItemFacts} facts @returns {Argument} */
function resumeArgument(stored, content, facts) {
  lastKey += 1;
  const { head = [], element = "", role = "", origin } = stored;
  const others = content.arguments.filter((/** @type {any} */ other) => other.head !== head);
  const held = others.map((/** @type {any} */ other) => other.role ?? "");
  const { suggested } = likelyRoles({ head, element, frame: content.frame ?? "", held }, facts);
  return { key: lastKey, head, element, role, isOwnRole: stored.isOwnRole ?? role !== suggested, origin };
}

/** @param {RecordState} state */
export function draftOf(state) {
  return { ...state, arguments: state.arguments.map(({ key: _, ...argument }) => argument) };
}

/** @param {RecordState} state */
export function submissionOf({ understood, skip, verb, frame, arguments: list, confidence }) {
  if (skip) return { understood, skip, verb, frame: "", arguments: [], confidence: null };
  const parts = list.map(({ head, element, role }) => ({ head, element, role }));
  return { understood, skip, verb, frame, arguments: parts, confidence };
}

// --- words

/** @param {number[]} positions @param {string[]} tokens */
export function textOf(positions, tokens) {
  return wordsText(tokens, positions, " … ");
}

/**
 * Return the lemma of the verb with its particles, separated by blanks.
 *
 * @param {number[]} verb
 * @param {ItemFacts} facts
 */
export function lemmaOf(verb, { target, lemmas }) {
  if (same(verb, target.verb)) return target.lemma.replaceAll("_", " ");
  const head = headLemma({ target });
  return verb.map((at) => (at === target.verb[0] ? head : lemmas[at])).join(" ");
}

/** @param {Pick<ItemFacts, "target">} facts */
export function headLemma({ target }) {
  return target.lemma.split("_")[0];
}

/**
 * Add up the counts of the same frame and lemma. Return the most frequent first.
 *
 * @param {Precedent[]} precedents
 */
export function combined(precedents) {
  /** @type {Map<string, Precedent>} */
  const sums = new Map();
  for (const { frame, lemma, count, words = [] } of precedents) {
    const key = `${frame} ${lemma}`;
    const known = sums.get(key);
    const all = [...new Set([...(known?.words ?? []), ...words])];
    sums.set(key, { frame, lemma, count: count + (known?.count ?? 0), words: all });
  }
  return [...sums.values()].sort((a, b) => b.count - a.count);
}

// --- roles

/**
 * Return the likely roles of an argument, and the suggested one or "".
 *
 * @param {Pick<Argument, "key" | "head" | "element">} argument
 * @param {RecordState} state
 * @param {ItemFacts} facts
 */
export function rolesFor({ key, head, element }, state, facts) {
  const held = state.arguments.filter((other) => other.key !== key).map(({ role }) => role);
  return likelyRoles({ head, element, frame: state.frame, held }, facts);
}

// --- moves

/**
 * Add a word to the verb or take it out. The verb itself stays.
 *
 * @param {RecordState} state
 * @param {number} token
 * @param {ItemFacts} facts
 */
export function toggleVerb(state, token, { target }) {
  if (token === target.verb[0]) return state;
  return { ...state, verb: toggled(state.verb, token) };
}

/** @param {RecordState} state @param {number[]} head @param {ItemFacts} facts */
export function addArgument(state, head, facts) {
  lastKey += 1;
  const { suggested } = rolesFor({ key: lastKey, head, element: "" }, state, facts);
  const argument = { key: lastKey, head, element: "", role: suggested, isOwnRole: false, origin: null };
  return { ...state, arguments: [...state.arguments, argument] };
}

/**
 * Change an argument. A suggested role follows its head and its element.
 *
 * @param {RecordState} state
 * @param {number} key
 * @param {Partial<Argument>} change
 * @param {ItemFacts} facts
 */
export function changeArgument(state, key, change, facts) {
  return {
    ...state,
    arguments: state.arguments.map((argument) => {
      if (argument.key !== key) return argument;
      const changed = { ...argument, ...change };
      return changed.isOwnRole ? changed : { ...changed, role: rolesFor(changed, state, facts).suggested };
    }),
  };
}

/** @param {RecordState} state @param {number} key */
export function removeArgument(state, key) {
  return { ...state, arguments: state.arguments.filter((argument) => argument.key !== key) };
}

/** @param {number[]} positions @param {number} token */
export function toggled(positions, token) {
  const others = positions.filter((at) => at !== token);
  return others.length < positions.length ? others : [...positions, token].sort((a, b) => a - b);
}

/** @param {RecordState} state @param {number | null} key */
export function find(state, key) {
  return state.arguments.find((argument) => argument.key === key);
}

/** @param {RecordState} state @param {number} token */
export function argumentAt(state, token) {
  return state.arguments.find(({ head }) => head.includes(token));
}

/**
 * Explain why the words can't be a head of the argument, or of a new one, or return "".
 *
 * @param {RecordState} state
 * @param {number[]} head
 * @param {number | null} key
 * @param {ItemFacts} facts
 */
export function refusal(state, head, key, { tokens }) {
  const inVerb = head.find((at) => state.verb.includes(at));
  if (inVerb !== undefined) return `“${textOf([inVerb], tokens)}” belongs to the verb.`;
  for (const at of head) {
    const other = argumentAt(state, at);
    if (other && other.key !== key)
      return t`“${textOf([at], tokens)}” already belongs to “${textOf(other.head, tokens)}”.`;
  }
  if (head.length > MAX_HEAD_LENGTH) return t`A head has at most ${MAX_HEAD_LENGTH} words.`;
  if (key === null && state.arguments.length >= MAX_ARGUMENTS)
    return t`A record has at most ${MAX_ARGUMENTS} arguments.`;
  return "";
}

/**
 * Return the argument that prevents this one from having a core element, if there is one.
 *
 * @param {RecordState} state
 * @param {{name: string, core: string}} element
 * @param {number} key
 */
export function holderOf(state, element, key) {
  if (!isCore(element)) return undefined;
  return state.arguments.find((argument) => argument.key !== key && argument.element === element.name);
}

/**
 * Return true if the chosen frame has no such element. Before its elements are loaded, each is fine.
 *
 * @param {string} element
 * @param {Frame | null} frame
 */
export function isLost(element, frame) {
  return element !== "" && frame !== null && !frame.elements.some(({ name }) => name === element);
}

// --- problems and status

/**
 * Return what prevents submission.
 *
 * @param {RecordState} state
 * @param {ItemFacts} facts
 * @param {{frame: Frame | null, isUnknown: boolean}} lexicon  the chosen frame if it is loaded, and
 *   whether the lexicon has no such frame
 * @returns {Problem[]}
 */
export function problemsOf(state, facts, lexicon) {
  if (state.skip) return [];
  /** @type {Problem[]} */
  const problems = [];
  if (!state.understood) {
    problems.push({ step: "read", message: t`Confirm that you understand the sentence, or skip the record.` });
  }
  if (!state.frame) problems.push({ step: "frame", message: t`Choose a frame, or skip the record.` });
  else if (lexicon.isUnknown) {
    problems.push({ step: "frame", message: t`The lexicon has no frame ${state.frame}. Choose another frame.` });
  }
  for (const argument of state.arguments) {
    const message = argumentProblem(argument, state, facts, lexicon.frame);
    if (message) problems.push({ step: "arguments", key: argument.key, message });
  }
  if (state.arguments.length === 0 && !state.mentionsNone) {
    const message = t`Mark the arguments of the verb, or confirm that the sentence mentions none.`;
    problems.push({ step: "arguments", message, isBare: true });
  }
  if (state.confidence === null) problems.push({ step: "rate", message: t`Rate your confidence from 1 to 5.` });
  return problems;
}

/**
 * Return the problem of an argument, or "".
 *
 * @param {Argument} argument
 * @param {RecordState} state
 * @param {ItemFacts} facts
 * @param {Frame | null} frame
 */
export function argumentProblem({ key, head, element, role }, state, { tokens, roles }, frame) {
  const name = `“${textOf(head, tokens)}”`;
  if (!element && !role) return t`Choose an element or a role for ${name}.`;
  if (state.arguments.some((other) => other.key < key && same(other.head, head))) return t`${name} is marked twice.`;
  if (frame && isLost(element, frame)) {
    return t`${frame.name} has no element ${element}. Choose another element for ${name}.`;
  }
  const known = frame?.elements.find((candidate) => candidate.name === element);
  if (known && holderOf(state, known, key)) return t`${element} is used twice, once for ${name}.`;
  if (role && roles.length > 0 && !roles.some((known) => known.name === role)) {
    return t`${role} is not a role of this project. Choose another role for ${name}.`;
  }
  return "";
}

/**
 * Return the steps that are finished.
 *
 * @param {Problem[]} problems
 */
export function finishedSteps(problems) {
  return STEPS.filter((step) => !problems.some((problem) => problem.step === step));
}

/**
 * @param {RecordState} state
 * @param {Problem[]} problems
 * @param {ItemFacts} facts
 */
export function statusOf(state, problems, { target }) {
  if (state.skip) return "skipped";
  if (problems.length === 0) return "done";
  const isTouched = state.understood || state.frame || state.arguments.length > 0 || state.confidence !== null;
  return isTouched || !same(state.verb, target.verb) ? "started" : "new";
}

/** @param {number[]} a @param {number[]} b */
function same(a, b) {
  return a.length === b.length && a.every((at, order) => at === b[order]);
}
