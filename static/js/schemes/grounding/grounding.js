// A grounded caption, without elements of the page.
//
// The rules are those of the parser (schemes/grounding/content.py).

/** @import { Answer, Box, Grounding, Phrase, PhraseProblem, PhraseState } from "./grounding-types.js" */

import { counted, t } from "../../html.js";
import { spanText } from "../../written-text.js";
import { hullOf, isSame } from "./geometry.js";

const COLOURS = 6;
// Characters of a phrase in the name of a move.
const LONGEST = 40;
let lastKey = 0;

/** @typedef {{tokens: string[], phrases: Phrase[]}} Facts */

/**
 * Return the state of a draft, or of a finished grounding. Equal boxes of several phrases are one box.
 *
 * @param {any} content
 * @param {Phrase[]} phrases
 * @returns {Grounding}
 */
export function resume(content, phrases) {
  const stored = new Map((content?.phrases ?? []).map((/** @type {any} */ answer) => [answer.id, answer]));
  /** @type {Record<string, Box>} */
  const boxes = {};
  const answers = phrases.map(({ id }) => {
    const { state = "", boxes: own = [] } = stored.get(id) ?? {};
    const keys = own.map((/** @type {Box} */ box) => keyOf(boxes, box));
    return { id, state, keys: [...new Set(keys)] };
  });
  const current = phrases.findIndex(({ id }) => id === content?.current);
  return { current: Math.max(0, current), boxes, phrases: /** @type {Answer[]} */ (answers) };
}

/**
 * Return the key of an equal box, or of the box as a new one.
 *
 * @param {Record<string, Box>} boxes
 * @param {Box} box
 */
function keyOf(boxes, box) {
  const equal = Object.keys(boxes).find((key) => isSame(boxes[key], box));
  if (equal) return equal;
  const key = newKey();
  boxes[key] = box;
  return key;
}

function newKey() {
  lastKey += 1;
  return `b${lastKey}`;
}

/** @param {Grounding} state */
export function draftOf(state) {
  return { ...submissionOf(state), current: state.phrases[state.current]?.id ?? "" };
}

/** @param {Grounding} state */
export function submissionOf({ boxes, phrases }) {
  return { phrases: phrases.map(({ id, state, keys }) => ({ id, state, boxes: distinct(keys, boxes) })) };
}

/** @param {string[]} keys @param {Record<string, Box>} boxes */
function distinct(keys, boxes) {
  const all = keys.map((key) => boxes[key]);
  return all
    .filter((box, at) => all.findIndex((other) => isSame(box, other)) === at)
    .sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2] || a[3] - b[3]);
}

// --- what is there

/** @param {Phrase} phrase @param {string[]} tokens */
export function textOf({ start, end }, tokens) {
  return spanText(tokens, [start, end]);
}

/** @param {string} text */
export function shortened(text) {
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1).trimEnd()} …` : text;
}

/**
 * Return the indexes of the phrases that have the box.
 *
 * @param {Grounding} state
 * @param {string} key
 */
export function ownersOf(state, key) {
  return [...state.phrases.keys()].filter((at) => state.phrases[at].keys.includes(key));
}

/**
 * Return the phrases' colours, from 1. Phrases of one chain have the same colour.
 *
 * @param {Phrase[]} phrases
 */
export function coloursOf(phrases) {
  /** @type {Map<string, number>} */
  const colours = new Map();
  return phrases.map(({ id, chain }) => {
    const name = chain ? t`chain ${chain}` : t`phrase ${id}`;
    if (!colours.has(name)) colours.set(name, (colours.size % COLOURS) + 1);
    return /** @type {number} */ (colours.get(name));
  });
}

/**
 * Return the indexes of other phrases of the same chain whose answer differs, without those that have no
 * answer. The same answer occurs once.
 *
 * @param {Grounding} state
 * @param {Phrase[]} phrases
 */
export function chainAnswers(state, phrases, at = state.current) {
  const { chain } = phrases[at];
  if (!chain) return [];
  const known = new Set([answerKey(state.phrases[at])]);
  return [...phrases.keys()].filter((other) => {
    const answer = state.phrases[other];
    const isOpen = answer.state === "" || (answer.state === "boxes" && answer.keys.length === 0);
    if (other === at || phrases[other].chain !== chain || isOpen || known.has(answerKey(answer))) return false;
    known.add(answerKey(answer));
    return true;
  });
}

/** @param {Answer} answer */
function answerKey({ state, keys }) {
  return [state, ...[...keys].sort()].join(" ");
}

/** @param {Grounding} state */
export function countBoxes(state) {
  const used = new Set(state.phrases.flatMap(({ keys }) => keys));
  return distinct([...used], state.boxes).length;
}

/**
 * Return the progress of a phrase as text, for example "2 of 3 boxes".
 *
 * @param {Answer} answer
 * @param {Phrase} phrase
 */
export function progressText({ state, keys }, { cardinality }) {
  if (state === "group") return keys.length ? t`group box` : t`no group box yet`;
  if (state === "scene") return t`nothing to box`;
  if (state === "absent") return t`not in the picture`;
  const count = keys.length;
  if (cardinality !== null && cardinality > 1) return t`${count} of ${cardinality} boxes`;
  return count === 0 ? t`to do` : counted(count, "box", "boxes");
}

/**
 * Return a warning about the number of boxes, or "". It prevents nothing.
 *
 * @param {Answer} answer
 * @param {Phrase} phrase
 */
export function countWarning({ state, keys }, { cardinality, plural }) {
  if (state !== "boxes" || keys.length === 0) return "";
  if (cardinality !== null && keys.length !== cardinality) {
    return keys.length === 1
      ? t`The phrase mentions ${cardinality}, but there is 1 box.`
      : t`The phrase mentions ${cardinality}, but there are ${keys.length} boxes.`;
  }
  if (cardinality === null && plural && keys.length === 1) {
    return t`The phrase is plural, but there is only 1 box. Can the individuals be distinguished?`;
  }
  return "";
}

/** @param {Answer} answer */
export function isAnswered({ state, keys }) {
  if (state === "boxes") return keys.length > 0;
  return state === "group" ? keys.length === 1 : state !== "";
}

/**
 * Return what prevents submission.
 *
 * @param {Grounding} state
 * @param {Facts} facts
 * @returns {PhraseProblem[]}
 */
export function problemsOf(state, { tokens, phrases }) {
  return [...phrases.keys()]
    .filter((at) => !isAnswered(state.phrases[at]))
    .map((at) => {
      const text = `“${textOf(phrases[at], tokens)}”`;
      const draws = state.phrases[at].state !== "";
      return { at, message: draws ? t`Draw a box for ${text}.` : t`Draw a box for ${text}, or choose another answer.` };
    });
}

// --- moves

/** @param {Grounding} state @param {number} at @param {Partial<Answer>} change */
function answered(state, at, change) {
  const phrases = state.phrases.map((answer, index) => (index === at ? { ...answer, ...change } : answer));
  return withoutUnused({ ...state, phrases });
}

// Boxes without a phrase vanish.
/** @param {Grounding} state @returns {Grounding} */
function withoutUnused(state) {
  const used = new Set(state.phrases.flatMap(({ keys }) => keys));
  const boxes = Object.fromEntries(Object.entries(state.boxes).filter(([key]) => used.has(key)));
  return { ...state, boxes };
}

/** @param {Grounding} state @param {number} at @returns {Grounding} */
export function goTo(state, at) {
  return { ...state, current: at };
}

/**
 * Add a box to a phrase. A group has a single box, which the new one replaces. A phrase without boxes
 * gets the state "boxes".
 *
 * @param {Grounding} state
 * @param {Box} box
 * @returns {{state: Grounding, key: string}}
 */
export function addBox(state, box, at = state.current, key = newKey()) {
  const answer = state.phrases[at];
  const isGroup = answer.state === "group";
  const next = answered({ ...state, boxes: { ...state.boxes, [key]: box } }, at, {
    state: isGroup ? "group" : "boxes",
    keys: isGroup ? [key] : [...answer.keys, key],
  });
  return { state: next, key };
}

/**
 * Change a box for all phrases that share it.
 *
 * @param {Grounding} state
 * @param {string} key
 * @param {Box} box
 * @returns {Grounding}
 */
export function changeBox(state, key, box) {
  if (!state.boxes[key] || isSame(state.boxes[key], box)) return state;
  return { ...state, boxes: { ...state.boxes, [key]: box } };
}

/**
 * Take a box from a phrase. Other phrases keep it. Without its last box, the phrase is open again.
 *
 * @param {Grounding} state
 * @param {string} key
 */
export function removeBox(state, key, at = state.current) {
  const { state: name, keys } = state.phrases[at];
  if (!keys.includes(key)) return state;
  const rest = keys.filter((other) => other !== key);
  return answered(state, at, { keys: rest, state: rest.length === 0 && name === "boxes" ? "" : name });
}

/**
 * Choose a phrase's state. Several boxes become one around them for a group, and a phrase without boxes
 * loses those that it had.
 *
 * @param {Grounding} state
 * @param {PhraseState} name
 * @returns {Grounding}
 */
export function chooseState(state, name, at = state.current) {
  const answer = state.phrases[at];
  if (answer.state === name) return state;
  if (name === "scene" || name === "absent") return answered(state, at, { state: name, keys: [] });
  if (name !== "group" || answer.keys.length < 2) return answered(state, at, { state: name });
  const key = newKey();
  const hull = hullOf(answer.keys.map((own) => state.boxes[own]));
  return answered({ ...state, boxes: { ...state.boxes, [key]: hull } }, at, { state: name, keys: [key] });
}

/**
 * Use a box of another phrase as well.
 *
 * @param {Grounding} state
 * @param {string} key
 */
export function adopt(state, key, at = state.current) {
  const { state: name, keys } = state.phrases[at];
  if (keys.includes(key) || !state.boxes[key]) return state;
  const isGroup = name === "group";
  return answered(state, at, { state: isGroup ? "group" : "boxes", keys: isGroup ? [key] : [...keys, key] });
}

/**
 * Give a phrase the answer of another one, with its boxes.
 *
 * @param {Grounding} state
 * @param {number} from
 */
export function copyAnswer(state, from, at = state.current) {
  const { state: name, keys } = state.phrases[from];
  return answered(state, at, { state: name, keys: [...keys] });
}

/**
 * Return the index of the next phrase without an answer, or -1.
 *
 * @param {Grounding} state
 */
export function nextOpen(state) {
  const count = state.phrases.length;
  const order = Array.from({ length: count }, (_, step) => (state.current + 1 + step) % count);
  return order.find((at) => !isAnswered(state.phrases[at])) ?? -1;
}
