// The choices of a consolidator, without elements of the page.
//
// A row has a box of each annotator who drew it. A box of the result belongs to the row if it equals one
// of the row's boxes, or if it was taken from there and changed. Its key begins with the row's name then.

/** @import { Answer, Box, Grounding, Phrase, StoredGrounding, StoredPhrase } from "./grounding-types.js" */

import { isSame, meanOf } from "./geometry.js";
import { addBox, adopt, chooseState, isAnswered, removeBox, resume as resumeGrounding } from "./grounding.js";

const LETTERS = "ABCDEFGHI";

/** @typedef {{name: string, boxes: (Box | null)[], iou: number | null}} Row */

/**
 * What to keep of a row: the box of a source by its position, all, their mean or none.
 *
 * @typedef {number | "all" | "mean" | "none"} Choice
 */

/** @param {number} source */
export function letterOf(source) {
  return LETTERS[source] ?? String(source + 1);
}

/**
 * Return the rows of each phrase, with boxes instead of indexes.
 *
 * @param {{phrases: {id: string, rows: {boxes: (number | null)[], iou: number | null}[]}[]}} layout
 * @param {StoredGrounding[]} sources
 * @returns {Row[][]}
 */
export function rowsOf(layout, sources) {
  return layout.phrases.map(({ id, rows }, at) =>
    rows.map(({ boxes, iou }, index) => ({
      name: `p${at}r${index}`,
      boxes: sources.map((source, position) => {
        const unit = boxes[position];
        return unit === null || unit === undefined ? null : (answerOf(source, id)?.boxes[unit] ?? null);
      }),
      iou,
    })),
  );
}

/** @param {StoredGrounding} source @param {string} id @returns {StoredPhrase | null} */
export function answerOf(source, id) {
  return source.phrases.find((phrase) => phrase.id === id) ?? null;
}

/**
 * Return true if the sources gave the same answer, with boxes that agree at least as much as required.
 *
 * @param {StoredGrounding[]} sources
 * @param {string} id
 * @param {Row[]} rows
 * @param {number} least  IoU
 */
export function isAgreed(sources, id, rows, least) {
  const answers = sources.map((source) => answerOf(source, id));
  const [first] = answers;
  if (!first || answers.some((answer) => answer?.state !== first.state)) return false;
  return rows.every(({ iou }) => iou !== null && iou >= least);
}

/**
 * Return the state of a draft, or of a new merge in which the phrases that the sources agree on are done.
 *
 * @param {any} content
 * @param {{phrases: Phrase[], sources: StoredGrounding[], rows: Row[][], least: number}} facts
 * @returns {Grounding}
 */
export function resume(content, { phrases, sources, rows, least }) {
  if (content) return resumeGrounding(content, phrases);
  const agreed = phrases.map(({ id }, at) => isAgreed(sources, id, rows[at], least));
  const proposed = phrases.filter((_, at) => agreed[at]).map(({ id }) => answerOf(sources[0], id));
  const state = resumeGrounding({ phrases: proposed }, phrases);
  return { ...state, current: Math.max(0, agreed.indexOf(false)) };
}

/**
 * Return the boxes that a row offers, with keys for the result.
 *
 * @param {Row} row
 * @returns {{key: string, box: Box}[]}
 */
function kinds(row) {
  const own = row.boxes.flatMap((box, source) => (box ? [{ key: `${row.name}-${source}`, box }] : []));
  const mean = own.length > 1 ? [{ key: `${row.name}-mean`, box: meanOf(own.map(({ box }) => box)) }] : [];
  return [...own, ...mean];
}

/** @param {Row} row */
export function meanBox(row) {
  return kinds(row).find(({ key }) => key.endsWith("-mean"))?.box ?? null;
}

/**
 * Return the keys of a phrase's boxes that belong to a row.
 *
 * @param {Grounding} state
 * @param {number} at
 * @param {Row} row
 */
function keysOfRow(state, at, row) {
  const offered = kinds(row);
  return state.phrases[at].keys.filter(
    (key) => key.startsWith(`${row.name}-`) || offered.some(({ box }) => isSame(box, state.boxes[key])),
  );
}

/**
 * Return what the result has of a row, or null if it has a changed box.
 *
 * @param {Grounding} state
 * @param {number} at
 * @param {Row} row
 * @returns {Choice | null}
 */
export function choiceOf(state, at, row) {
  const keys = keysOfRow(state, at, row);
  if (keys.length === 0) return "none";
  const matches = keys.map((key) => kinds(row).find(({ box }) => isSame(box, state.boxes[key])));
  if (matches.includes(undefined)) return null;
  if (keys.length > 1) return "all";
  const kind = matches[0]?.key.slice(row.name.length + 1);
  return kind === "mean" ? "mean" : Number(kind);
}

/**
 * Keep what is chosen of a row, in place of what the result had of it.
 *
 * @param {Grounding} state
 * @param {number} at
 * @param {Row} row
 * @param {Choice} choice
 * @returns {Grounding}
 */
export function choose(state, at, row, choice) {
  const wanted = kinds(row).filter(({ key }) => {
    const kind = key.slice(row.name.length + 1);
    return choice === "all" ? kind !== "mean" : kind === String(choice);
  });
  const without = keysOfRow(state, at, row).reduce((next, key) => removeBox(next, key, at), state);
  const { state: name } = without.phrases[at];
  const isOpen = wanted.length > 0 && name !== "boxes" && name !== "group";
  const ready = isOpen ? chooseState(without, "boxes", at) : without;
  return wanted.reduce((next, { key, box }) => withBox(next, box, at, key), ready);
}

// A box that another phrase has is shared.
/** @param {Grounding} state @param {Box} box @param {number} at @param {string} key */
function withBox(state, box, at, key) {
  const equal = Object.keys(state.boxes).find((other) => isSame(state.boxes[other], box));
  return equal ? adopt(state, equal, at) : addBox(state, box, at, key).state;
}

/**
 * Take the whole answer of a source.
 *
 * @param {Grounding} state
 * @param {number} at
 * @param {number} source
 * @param {{sources: StoredGrounding[], rows: Row[][]}} facts
 */
export function takeSource(state, at, source, { sources, rows }) {
  const answer = answerOf(sources[source], state.phrases[at].id);
  if (!answer) return state;
  const cleared = chooseState(chooseState(state, "scene", at), answer.state, at);
  const kept = rows[at].filter(({ boxes }) => boxes[source]);
  return kept.reduce((next, row) => choose(next, at, row, source), cleared);
}

/**
 * Take all boxes of all sources, as individuals.
 *
 * @param {Grounding} state
 * @param {number} at
 * @param {Row[][]} rows
 */
export function takeAll(state, at, rows) {
  const cleared = chooseState(chooseState(state, "scene", at), "boxes", at);
  return rows[at].reduce((next, row) => choose(next, at, row, "all"), cleared);
}

/**
 * Take the mean of each pair, and boxes without a partner as they are.
 *
 * @param {Grounding} state
 * @param {number} at
 * @param {Row[][]} rows
 */
export function takeMeans(state, at, rows) {
  const cleared = chooseState(chooseState(state, "scene", at), "boxes", at);
  return rows[at].reduce((next, row) => choose(next, at, row, meanBox(row) ? "mean" : "all"), cleared);
}

/**
 * Return the source that the answer equals, or null.
 *
 * @param {Answer} answer
 * @param {Record<string, Box>} boxes
 * @param {StoredGrounding[]} sources
 */
export function sourceOf(answer, boxes, sources) {
  if (!isAnswered(answer)) return null;
  const at = sources.findIndex((source) => {
    const own = answerOf(source, answer.id);
    if (!own || own.state !== answer.state || own.boxes.length !== answer.keys.length) return false;
    return answer.keys.every((key) => own.boxes.some((box) => isSame(box, boxes[key])));
  });
  return at < 0 ? null : at;
}
