// Sentences as they were written. Selections and answers are ranges of tokens.

/** @import { Span } from "./spans.js" */

/**
 * Tokens that may know the text they were written in. `offsets` are their ranges of characters, and
 * `shown` are the ranges that show them. Words of one written word, such as "zum", share its range.
 *
 * @typedef {string[] & {characters?: string[], offsets?: Span[], shown?: Span[]}} Tokens
 */

/**
 * A token as pages show it. `gap` is what stands after it. `name` is its own form, if its text is only
 * part of a written word.
 *
 * @typedef {{text: string, gap: string, name: string}} ShownToken
 */

// Embeddings, overrides and isolates change the direction of all that follows.
const DIRECTION_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * Return the tokens of an item of a page, with the item's text.
 *
 * @param {{tokens: string[], text?: string, offsets?: Span[], shown?: Span[]}} item
 * @returns {Tokens}
 */
export function writtenTokens({ tokens, text, offsets, shown = offsets }) {
  if (text === undefined || !offsets) return tokens;
  // Offsets count characters, and JavaScript's strings count half of some.
  return Object.assign([...tokens], { characters: [...text], offsets, shown });
}

/** @param {Tokens} tokens @param {Span} span */
export function spanText(tokens, [start, end]) {
  const { characters, offsets } = tokens;
  if (!characters || !offsets || start < 0 || start >= end || end > tokens.length) {
    return tokens.slice(start, end).join(" ");
  }
  const written = characters.slice(offsets[start][0], offsets[end - 1][1]).join("");
  return written.replace(DIRECTION_CONTROLS, "").trim().replace(/\s+/g, " ");
}

/** @param {Tokens} tokens @param {Span[]} spans */
export function spansText(tokens, spans) {
  return spans.map((span) => spanText(tokens, span)).join(" | ");
}

/**
 * Return the text of tokens in ascending order. `gap` is between those that are not adjacent.
 *
 * @param {Tokens} tokens
 * @param {number[]} positions
 */
export function wordsText(tokens, positions, gap = " ") {
  /** @type {Span[]} */
  const spans = [];
  for (const at of positions) {
    const last = spans.at(-1);
    if (last?.[1] === at) last[1] = at + 1;
    else spans.push([at, at + 1]);
  }
  return spans.map((span) => spanText(tokens, span)).join(gap);
}

/** @param {Tokens} tokens @returns {ShownToken[]} */
export function shownTokens(tokens) {
  const { characters, offsets, shown } = tokens;
  if (!characters || !offsets || !shown) return tokens.map((token) => ({ text: token, gap: " ", name: token }));
  return shown.map(([start, end], at) => {
    const text = characters.slice(start, end).join("");
    const gap = characters.slice(end, shown[at + 1]?.[0] ?? end).join("");
    const isWhole = start === offsets[at][0] && end === offsets[at][1];
    return { text, gap: gap.replace(DIRECTION_CONTROLS, ""), name: isWhole ? text : tokens[at] };
  });
}

/** @param {string} text */
export function changesDirection(text) {
  return text.search(DIRECTION_CONTROLS) >= 0;
}
