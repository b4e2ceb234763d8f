// Spans of tokens as half-open ranges [start, end).

/** @typedef {[number, number]} Span */

/**
 * Return the span from one token to another, in either order.
 *
 * @param {number} from
 * @param {number} to
 * @returns {Span}
 */
export function spanBetween(from, to) {
  return [Math.min(from, to), Math.max(from, to) + 1];
}

/** @param {Span} a @param {Span} b */
export function overlaps([start, end], [otherStart, otherEnd]) {
  return start < otherEnd && otherStart < end;
}

/** @param {Span} span @param {number} token */
export function contains([start, end], token) {
  return start <= token && token < end;
}

/** @param {Span} a @param {Span} b */
export function equal([start, end], [otherStart, otherEnd]) {
  return start === otherStart && end === otherEnd;
}

/** @param {Span} a @param {Span} b */
export function byPosition(a, b) {
  return a[0] - b[0] || a[1] - b[1];
}

/**
 * Return the tokens that more than one of the spans covers.
 *
 * @param {Span[]} spans
 */
export function contested(spans) {
  const tokens = new Set();
  let reach = 0;
  for (const [start, end] of [...spans].sort(byPosition)) {
    for (let token = start; token < Math.min(reach, end); token += 1) tokens.add(token);
    reach = Math.max(reach, end);
  }
  return tokens;
}
