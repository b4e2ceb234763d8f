// Boxes as plain values. Coordinates are whole pixels of the image.

/** @import { Box, Handle, Point, Size } from "./grounding-types.js" */

import { t } from "../../html.js";

/** @param {number} value @param {number} low @param {number} high */
export function clamp(value, low, high) {
  return Math.min(Math.max(value, low), high);
}

/**
 * Return the box between two corners in any order, inside the image.
 *
 * @param {Point} a
 * @param {Point} b
 * @param {Size} image
 * @returns {Box}
 */
export function boxBetween(a, b, { width, height }) {
  const xs = [a.x, b.x].map((x) => clamp(Math.round(x), 0, width)).sort((first, second) => first - second);
  const ys = [a.y, b.y].map((y) => clamp(Math.round(y), 0, height)).sort((first, second) => first - second);
  return [xs[0], ys[0], xs[1], ys[1]];
}

/**
 * Move a box without changing its size. It stays inside the image.
 *
 * @param {Box} box
 * @param {Point} by
 * @param {Size} image
 * @returns {Box}
 */
export function moved([x1, y1, x2, y2], by, { width, height }) {
  const dx = clamp(Math.round(by.x), -x1, width - x2);
  const dy = clamp(Math.round(by.y), -y1, height - y2);
  return [x1 + dx, y1 + dy, x2 + dx, y2 + dy];
}

/**
 * Move the sides of a box that a handle holds. They stay inside the image and `least` pixels apart.
 *
 * @param {Box} box
 * @param {Handle} handle
 * @param {Point} by
 * @param {Size} image
 * @param {number} least
 * @returns {Box}
 */
export function resized([x1, y1, x2, y2], handle, by, { width, height }, least) {
  const [dx, dy] = [Math.round(by.x), Math.round(by.y)];
  return [
    handle.includes("w") ? clamp(x1 + dx, 0, Math.max(0, x2 - least)) : x1,
    handle.includes("n") ? clamp(y1 + dy, 0, Math.max(0, y2 - least)) : y1,
    handle.includes("e") ? clamp(x2 + dx, Math.min(width, x1 + least), width) : x2,
    handle.includes("s") ? clamp(y2 + dy, Math.min(height, y1 + least), height) : y2,
  ];
}

/**
 * Return true if both sides have the smallest length. A side of the whole image is long enough.
 *
 * @param {Box} box
 * @param {number} least
 * @param {Size} image
 */
export function isLargeEnough([x1, y1, x2, y2], least, { width, height }) {
  return x2 - x1 >= Math.min(least, width) && y2 - y1 >= Math.min(least, height);
}

/** @param {Box} a @param {Box} b */
export function isSame(a, b) {
  return a.every((value, at) => value === b[at]);
}

/** @param {Box} box @param {Point} point */
export function contains([x1, y1, x2, y2], { x, y }) {
  return x >= x1 && x < x2 && y >= y1 && y < y2;
}

/** @param {Box} box */
export function areaOf([x1, y1, x2, y2]) {
  return (x2 - x1) * (y2 - y1);
}

/** @param {Box} a @param {Box} b */
export function iouOf(a, b) {
  const width = Math.min(a[2], b[2]) - Math.max(a[0], b[0]);
  const height = Math.min(a[3], b[3]) - Math.max(a[1], b[1]);
  const common = Math.max(0, width) * Math.max(0, height);
  return common / (areaOf(a) + areaOf(b) - common);
}

/**
 * Return the entries whose box contains the point, the smallest first.
 *
 * @template {{box: Box}} T
 * @param {T[]} entries
 * @param {Point} point
 */
export function hitTest(entries, point) {
  return entries.filter(({ box }) => contains(box, point)).sort((a, b) => areaOf(a.box) - areaOf(b.box));
}

/** @param {Box[]} boxes @returns {Box} */
export function hullOf(boxes) {
  return [
    Math.min(...boxes.map(([x1]) => x1)),
    Math.min(...boxes.map(([, y1]) => y1)),
    Math.max(...boxes.map(([, , x2]) => x2)),
    Math.max(...boxes.map(([, , , y2]) => y2)),
  ];
}

/**
 * Return the mean of boxes, rounded to pixels.
 *
 * @param {Box[]} boxes
 * @returns {Box}
 */
export function meanOf(boxes) {
  const mean = (/** @type {number} */ at) => Math.round(boxes.reduce((sum, box) => sum + box[at], 0) / boxes.length);
  return [mean(0), mean(1), mean(2), mean(3)];
}

/** @param {Box} box */
export function boxText([x1, y1, x2, y2]) {
  return t`left ${x1}, top ${y1}, ${x2 - x1} by ${y2 - y1} pixels`;
}
