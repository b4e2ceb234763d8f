// A validation, without elements of the page.
//
// The rules are those of the parser (schemes/grounding/validating.py).

/** @import { Box, PhraseProblem, StoredPhrase } from "./grounding-types.js" */

import { t } from "../../html.js";
import { iouOf } from "./geometry.js";

/**
 * The judgments of a phrase. Null is open. `drawn` are missing boxes.
 *
 * @typedef {{id: string, valid: boolean | null, missing: boolean | null, boxes: (boolean | null)[], drawn: Box[]}} Judged
 */

/** @typedef {{maxBoxes: number, maxItemBoxes: number, agreedIou: number}} Limits */

/** @typedef {{current: number, phrases: Judged[]}} Validation */

/**
 * Return the state of a draft or of a finished validation.
 *
 * @param {any} content
 * @param {StoredPhrase[]} asked
 * @returns {Validation}
 */
export function resume(content, asked) {
  const stored = new Map((content?.phrases ?? []).map((/** @type {any} */ judged) => [judged.id, judged]));
  const phrases = asked.map(({ id, boxes }) => {
    const { valid = null, missing = null, boxes: own = [], drawn = [] } = stored.get(id) ?? {};
    return { id, valid, missing, boxes: boxes.map((_, at) => own[at] ?? null), drawn };
  });
  const current = asked.findIndex(({ id }) => id === content?.current);
  return { current: Math.max(0, current), phrases };
}

/** @param {Validation} state */
export function draftOf({ current, phrases }) {
  return { phrases, current: phrases[current]?.id ?? "" };
}

/**
 * Return the judgments. A box can be missing only from a phrase with boxes.
 *
 * @param {Validation} state
 * @param {StoredPhrase[]} asked
 */
export function submissionOf({ phrases }, asked) {
  return {
    phrases: phrases.map(({ drawn, ...judged }, at) => {
      const missing = hasBoxes(asked[at]) && judged.missing === true;
      return { ...judged, missing, ...(drawn.length > 0 && { drawn }) };
    }),
  };
}

/** @param {StoredPhrase} phrase */
export function hasBoxes({ state }) {
  return state === "boxes" || state === "group";
}

// Another box can be added only to a phrase with a box for each individual.
/** @param {StoredPhrase} phrase */
export function canDraw({ state }) {
  return state === "boxes";
}

/** @param {Judged} judged @param {StoredPhrase} asked */
export function isJudged({ valid, missing, boxes }, asked) {
  return valid !== null && !boxes.includes(null) && (missing !== null || !hasBoxes(asked));
}

/** @param {Judged} judged */
export function countDisputes({ valid, missing, boxes }) {
  return Number(valid === false) + Number(missing === true) + boxes.filter((verdict) => verdict === false).length;
}

// --- moves

/** @param {Validation} state @param {Partial<Judged>} change @returns {Validation} */
export function judge(state, change, at = state.current) {
  const phrases = state.phrases.map((judged, index) => (index === at ? { ...judged, ...change } : judged));
  return { ...state, phrases };
}

/** @param {Validation} state @param {number} box @param {boolean} verdict */
export function judgeBox(state, box, verdict, at = state.current) {
  const boxes = state.phrases[at].boxes.map((own, index) => (index === box ? verdict : own));
  return judge(state, { boxes }, at);
}

/**
 * Judge whether a box is missing. If none is, drawn boxes are removed.
 *
 * @param {Validation} state
 * @param {boolean} missing
 */
export function judgeMissing(state, missing, at = state.current) {
  return judge(state, missing ? { missing } : { missing, drawn: [] }, at);
}

/**
 * Return why a box can't be drawn, or "". `except` is the index of the drawn box that it replaces.
 *
 * @param {Validation} state
 * @param {StoredPhrase[]} asked
 * @param {Box} box
 * @param {Limits} limits
 */
export function drawingProblem(state, asked, box, { maxBoxes, maxItemBoxes, agreedIou }, except = -1) {
  const { boxes } = asked[state.current];
  const drawn = state.phrases[state.current].drawn.filter((_, at) => at !== except);
  const others = [...boxes, ...drawn];
  if (others.some((other) => iouOf(other, box) >= agreedIou)) return t`This box is already there.`;
  if (others.length >= maxBoxes) return t`A phrase can have at most ${maxBoxes} boxes.`;
  const total = asked.reduce((sum, { boxes: own }, at) => sum + own.length + state.phrases[at].drawn.length, 0);
  return except < 0 && total >= maxItemBoxes ? t`A caption can have at most ${maxItemBoxes} boxes.` : "";
}

/**
 * Add a missing box, which says that a box is missing.
 *
 * @param {Validation} state
 * @param {Box} box
 */
export function drawBox(state, box, at = state.current) {
  return judge(state, { missing: true, drawn: [...state.phrases[at].drawn, box] }, at);
}

/** @param {Validation} state @param {number} index @param {Box} box */
export function changeDrawn(state, index, box, at = state.current) {
  return judge(state, { drawn: state.phrases[at].drawn.map((own, place) => (place === index ? box : own)) }, at);
}

/** @param {Validation} state @param {number} index */
export function removeDrawn(state, index, at = state.current) {
  return judge(state, { drawn: state.phrases[at].drawn.filter((_, own) => own !== index) }, at);
}

/**
 * Accept all that is open in a phrase.
 *
 * @param {Validation} state
 */
export function acceptRest(state, at = state.current) {
  const { valid, missing, boxes } = state.phrases[at];
  return judge(state, { valid: valid ?? true, missing: missing ?? false, boxes: boxes.map((own) => own ?? true) }, at);
}

/**
 * Return the index of the next phrase to judge, or -1.
 *
 * @param {Validation} state
 * @param {StoredPhrase[]} asked
 */
export function nextOpen(state, asked) {
  const count = state.phrases.length;
  const order = Array.from({ length: count }, (_, step) => (state.current + 1 + step) % count);
  return order.find((at) => !isJudged(state.phrases[at], asked[at])) ?? -1;
}

/**
 * Return what prevents submission.
 *
 * @param {Validation} state
 * @param {StoredPhrase[]} asked
 * @param {string[]} texts  of the phrases
 * @returns {PhraseProblem[]}
 */
export function problemsOf(state, asked, texts) {
  return [...asked.keys()]
    .filter((at) => !isJudged(state.phrases[at], asked[at]))
    .map((at) => ({ at, message: `Judge “${texts[at]}”${openParts(state.phrases[at], asked[at])}.` }));
}

/** @param {Judged} judged @param {StoredPhrase} asked */
function openParts({ valid, missing, boxes }, asked) {
  const open = boxes.filter((verdict) => verdict === null).length;
  const parts = [
    valid === null && t`the answer`,
    open > 0 && (open === 1 ? t`1 box` : t`${open} boxes`),
    missing === null && hasBoxes(asked) && t`whether a box is missing`,
  ].filter(Boolean);
  return `: ${parts.join(", ")}`;
}
