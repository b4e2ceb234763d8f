// The trainer's page of one worker: keys, snippets, and the time that feedback takes.

import { isTyping } from "./html.js";
import { ActiveTime } from "./work/timing.js";

const form = /** @type {HTMLFormElement | null} */ (document.querySelector("[data-feedback]"));
const items = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("[data-item]")]);
const time = new ActiveTime().watch();
let dirty = false;

/** @param {string} selector */
function find(selector) {
  return /** @type {HTMLElement | null} */ (document.querySelector(selector));
}

/** @param {1 | -1} step */
function goToItem(step) {
  const at = items.findIndex((item) => item.contains(document.activeElement));
  const from = at === -1 && step < 0 ? items.length : at;
  items[Math.min(Math.max(from + step, 0), items.length - 1)]?.focus();
}

function currentNote() {
  const item = items.find((candidate) => candidate.contains(document.activeElement)) ?? items[0];
  return item?.querySelector("textarea");
}

/** @type {Record<string, () => void>} */
const KEYS = {
  j: () => goToItem(1),
  k: () => goToItem(-1),
  e: () => currentNote()?.focus(),
  o: () => find("[data-overall]")?.focus(),
  n: () => find('[data-key="n"]')?.click(),
  p: () => find('[data-key="p"]')?.click(),
};

document.addEventListener("keydown", (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  const isField = isTyping(event, "input:not([type=checkbox]), textarea, select");
  if (event.key === "Escape" && isField) {
    const item = /** @type {HTMLElement | null} */ (target.closest("[data-item]"));
    if (item) item.focus();
    else target.blur();
    return;
  }
  if (isField || event.ctrlKey || event.metaKey || event.altKey || !(event.key in KEYS)) return;
  event.preventDefault();
  KEYS[event.key]();
});

form?.addEventListener("input", () => {
  dirty = true;
});

form?.addEventListener("click", (event) => {
  const target = /** @type {Element} */ (event.target);
  const button = /** @type {HTMLElement | null} */ (target.closest("[data-snippet]"));
  const note = button?.closest("[data-item]")?.querySelector("textarea");
  const text = button?.dataset.snippet;
  if (!note || !text) return;
  if (!note.value.includes(text)) note.value = note.value ? `${note.value.trimEnd()}\n${text}` : text;
  dirty = true;
  note.focus();
});

form?.addEventListener("submit", () => {
  const seconds = /** @type {HTMLInputElement} */ (form.querySelector("[data-seconds]"));
  seconds.value = String(time.seconds);
  dirty = false;
});

window.addEventListener("beforeunload", (event) => {
  if (dirty) event.preventDefault();
});

document.documentElement.dataset.ready = "true";
