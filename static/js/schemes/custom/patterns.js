// Patterns of text fields. The server's engine takes linear time, and the browser's tries one way after
// another, which can take forever. So only patterns without groups run here, on texts for which the number
// of ways is small. The server checks all others when the work is submitted.

// About a millisecond.
const MAX_WAYS = 100_000;
// A character or a class, which both engines read in the same way, and how often it may be repeated.
const ESCAPED = String.raw`\\[dwsDWS\\^$.|?*+()[\]{}/]`;
const CLASS = String.raw`\[\^?(?:[^\\[\]]|${ESCAPED}|\\-)+\]`;
const REPEATED = String.raw`(?<sign>[?*+])|\{(?<least>\d+)(?<range>,(?<most>\d*))?\}`;
const PART = new RegExp(String.raw`(?:[^\\^$.|?*+()[\]{}]|\.|${ESCAPED}|${CLASS})(?:${REPEATED})?`, "uy");

/** @type {Map<string, RegExp | null>} */
const compiled = new Map();

/**
 * Return true if the whole text matches the pattern, and null if only the server can tell.
 *
 * @param {string} pattern
 * @param {string} text
 */
export function matches(pattern, text) {
  if (ways(pattern, text.length) > MAX_WAYS) return null;
  if (!compiled.has(pattern)) compiled.set(pattern, compile(pattern));
  return compiled.get(pattern)?.test(text) ?? null;
}

/** @param {string} pattern */
function compile(pattern) {
  try {
    return new RegExp(`^(?:${pattern})$`, "u");
  } catch {
    return null;
  }
}

/**
 * Return at most how many ways there are to match a text, which is infinite for a pattern with groups.
 *
 * @param {string} pattern
 * @param {number} length
 */
function ways(pattern, length) {
  let count = 1;
  PART.lastIndex = 0;
  while (PART.lastIndex < pattern.length) {
    const groups = PART.exec(pattern)?.groups;
    if (!groups) return Number.POSITIVE_INFINITY;
    const { sign, least, range, most } = groups;
    if (sign === "?") count *= 2;
    else if (sign || (range && !most)) count *= length + 1;
    else if (most) count *= Math.max(1, Math.min(length, Number(most)) - Number(least) + 1);
  }
  return count;
}
