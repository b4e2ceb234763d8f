// Keeps the focused element clear of what sticks to the top or bottom of the window.

/**
 * Scroll no focused element under the sticky one, and bring back one that it has grown over. Call this
 * after each change of the sticky element's size.
 *
 * @param {HTMLElement} sticky
 * @param {"Top" | "Bottom"} side
 */
export function keepClearOf(sticky, side) {
  if (!sticky.isConnected) return;
  const isSticky = getComputedStyle(sticky).position === "sticky";
  document.documentElement.style[`scrollPadding${side}`] = isSticky ? `${sticky.offsetHeight + 8}px` : "";
  const focused = document.activeElement;
  if (isSticky && focused && !sticky.contains(focused) && overlap(focused, sticky)) {
    focused.scrollIntoView({ block: "nearest" });
  }
}

/** @param {Element} one @param {Element} other */
function overlap(one, other) {
  if (one.contains(other)) return false;
  const [first, second] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
  return first.top < second.bottom && second.top < first.bottom;
}
