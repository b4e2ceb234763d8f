// A validation, without elements of the page.
//
// The rules are those of the parser (schemes/grounding/validating.py).

/** @import { PhraseProblem, StoredPhrase } from "./grounding-types.js" */

/**
 * The judgments of a phrase. Null is open.
 *
 * @typedef {{id: string, valid: boolean | null, missing: boolean | null, boxes: (boolean | null)[]}} Judged
 */

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
    const { valid = null, missing = null, boxes: own = [] } = stored.get(id) ?? {};
    return { id, valid, missing, boxes: boxes.map((_, at) => own[at] ?? null) };
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
    phrases: phrases.map((judged, at) => ({ ...judged, missing: hasBoxes(asked[at]) && judged.missing === true })),
  };
}

/** @param {StoredPhrase} phrase */
export function hasBoxes({ state }) {
  return state === "boxes" || state === "group";
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
    valid === null && "the answer",
    open > 0 && (open === 1 ? "1 box" : `${open} boxes`),
    missing === null && hasBoxes(asked) && "whether a box is missing",
  ].filter(Boolean);
  return `: ${parts.join(", ")}`;
}
