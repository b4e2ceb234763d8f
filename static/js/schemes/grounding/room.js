// The room of the picture in the window, so that it needs no scrolling while boxes are drawn.

import { ref } from "../../html.js";

// The share of the free height that is enough for a picture below the top of the page.
const ENOUGH = 0.65;
// What stays free above and below the picture.
const MARGIN = 24;
// The share of the picture that must be visible for it to stay where it is.
const VISIBLE = 0.5;

/**
 * Return the free height between what sticks to the window, or below the top of the page if that is nearly
 * as much. The tools, the note, and the next button of a page with one column are visible below it.
 *
 * @param {HTMLElement} root
 */
export function roomOf(root) {
  const stage = ref(root, "stage");
  const note = /** @type {HTMLElement} */ (ref(root, "note").parentElement).getBoundingClientRect();
  const next = ref(root, "next-phrase").getBoundingClientRect();
  const isBelow = next.left < note.right && next.top >= note.bottom;
  const { top, bottom } = stage.getBoundingClientRect();
  const taken = (isBelow ? next.bottom : note.bottom) - bottom + heightOf("bar") + MARGIN;
  const free = window.innerHeight - taken - ref(root, "hero").offsetHeight;
  const atTop = window.innerHeight - taken - (top + window.scrollY);
  return atTop >= free * ENOUGH ? Math.min(atTop, free) : free;
}

/** @param {string} name */
function heightOf(name) {
  return /** @type {HTMLElement | null} */ (document.querySelector(`[data-${name}]`))?.offsetHeight ?? 0;
}

/**
 * Scroll to the picture if too little of it is visible. Otherwise, it must not move.
 *
 * @param {HTMLElement} stage
 */
export function bringIntoView(stage) {
  const { top, bottom, height } = stage.getBoundingClientRect();
  const { scrollPaddingTop, scrollPaddingBottom } = document.documentElement.style;
  const first = Math.max(top, Number.parseFloat(scrollPaddingTop) || 0);
  const last = Math.min(bottom, window.innerHeight - (Number.parseFloat(scrollPaddingBottom) || 0));
  if (last - first < height * VISIBLE) stage.scrollIntoView({ block: "nearest" });
}
