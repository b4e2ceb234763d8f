// Announcements to screen readers through the page's live region, `data-announcement`.

import { ref, setText } from "./html.js";

// A pause in typing or moving, after which its result is announced.
const SETTLED_AFTER = 500;

/** @type {number | undefined} */
let waiting;

/** @param {string} text */
export function announce(text) {
  dropWaiting();
  setText(ref(document, "announcement"), text);
}

/**
 * Announce what changes at every key once the keys pause. Only the last text is announced.
 *
 * @param {() => string} text  called then
 * @param {(text: string) => void} say
 */
export function announceSettled(text, say = announce) {
  dropWaiting();
  waiting = window.setTimeout(() => say(text()), SETTLED_AFTER);
}

// Announce nothing that waits for a pause: something else has happened since.
export function dropWaiting() {
  clearTimeout(waiting);
}
