// The trainer's page of one worker: keys, snippets, and the time that feedback takes.

import { isTyping } from "./html.js";
import { ignoresKey } from "./shortcuts.js";
import { ActiveTime } from "./work/timing.js";

const form = /** @type {HTMLFormElement | null} */ (document.querySelector("[data-feedback]"));
const items = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("[data-item]")]);
const differences = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("[data-difference]")]);
let difference = -1;
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
  const item = items[Math.min(Math.max(from + step, 0), items.length - 1)];
  if (!item) return;
  open(item);
  item.focus();
}

/** @param {HTMLElement} target */
function open(target) {
  const fold = target.closest("[data-item]")?.querySelector("[data-fold]");
  if (fold instanceof HTMLDetailsElement) fold.open = true;
}

// Go on from the row with the focus, or from the item that was looked at last.
/** @param {1 | -1} step */
function goToDifference(step) {
  if (differences.length === 0) return;
  const focused = differences.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  const from = focused >= 0 ? focused : difference;
  difference = Math.min(Math.max(from + step, 0), differences.length - 1);
  const row = differences[difference];
  open(row);
  row.focus();
  row.scrollIntoView({ block: "center" });
  showDifference();
}

function showDifference() {
  const place = find("[data-differences]");
  if (place) place.textContent = `${Math.max(difference, 0) + 1}/${differences.length}`;
}

function goToVerdict() {
  find("[data-verdict]")?.focus();
}

function currentNote() {
  const item = items.find((candidate) => candidate.contains(document.activeElement)) ?? items[0];
  return item?.querySelector("textarea");
}

/**
 * Insert the snippet with this number into the note of the item with the focus.
 * @param {number} number
 */
function insertSnippet(number) {
  const item = items.find((candidate) => candidate.contains(document.activeElement)) ?? items[0];
  const button = /** @type {HTMLElement | undefined} */ (item?.querySelectorAll("[data-own-snippet]")[number - 1]);
  if (!button) return;
  open(item);
  insert(button, item);
}

/** @type {Record<string, () => void>} */
const KEYS = {
  j: () => goToItem(1),
  k: () => goToItem(-1),
  e: () => currentNote()?.focus(),
  d: () => goToDifference(1),
  D: () => goToDifference(-1),
  v: goToVerdict,
  o: () => find("[data-overall]")?.focus(),
  n: () => find('[data-key="n"]')?.click(),
  p: () => find('[data-key="p"]')?.click(),
};

document.addEventListener("keydown", (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  const FIELDS = "input:not([type=checkbox]), textarea, select";
  if (event.key === "Escape" && isTyping(event, FIELDS)) {
    /** @type {HTMLElement | null} */ (target.closest("[data-item], [data-feedback]"))?.focus({ preventScroll: true });
    return;
  }
  if (!target.closest("[data-feedback]") || ignoresKey(event, FIELDS)) return;
  if (/^[1-9]$/.test(event.key)) {
    event.preventDefault();
    insertSnippet(Number(event.key));
  }
  if (!(event.key in KEYS)) return;
  event.preventDefault();
  KEYS[event.key]();
});

form?.addEventListener("input", () => {
  dirty = true;
});

form?.addEventListener("click", (event) => {
  const target = /** @type {Element} */ (event.target);
  const button = /** @type {HTMLElement | null} */ (target.closest("[data-snippet]"));
  const item = button?.closest("[data-item]");
  if (button && item) insert(button, item);
});

/**
 * Add the button's text to the note of its item.
 * @param {HTMLElement} button
 * @param {Element} item
 */
function insert(button, item) {
  const note = item.querySelector("textarea");
  const text = button.dataset.snippet;
  if (!note || !text) return;
  if (!note.value.includes(text)) note.value = note.value ? `${note.value.trimEnd()}\n${text}` : text;
  dirty = true;
  note.focus();
}

form?.addEventListener("submit", () => {
  const seconds = /** @type {HTMLInputElement} */ (form.querySelector("[data-seconds]"));
  seconds.value = String(time.seconds);
  dirty = false;
});

window.addEventListener("beforeunload", (event) => {
  if (dirty) event.preventDefault();
});

const nextDifference = find("[data-next-difference]");
if (nextDifference && differences.length > 0) {
  nextDifference.hidden = false;
  nextDifference.addEventListener("click", () => goToDifference(1));
  showDifference();
}
// After a decision, the page returns to the item.
const returned = location.hash.startsWith("#item-") && find(location.hash);
if (returned) {
  open(returned);
  returned.scrollIntoView();
}

const foldAll = find("[data-fold-all]");
const folds = /** @type {HTMLDetailsElement[]} */ ([...document.querySelectorAll("[data-fold]")]);
if (foldAll && folds.length > 1) {
  foldAll.hidden = false;
  foldAll.addEventListener("click", () => {
    const isOpening = folds.some((fold) => !fold.open);
    for (const fold of folds) fold.open = isOpening;
    foldAll.textContent = isOpening ? "Fold all items" : "Open all items";
  });
}

find("[data-decide]")?.addEventListener("click", () => setTimeout(goToVerdict));

// The keys act while the focus is in the form, so it begins there.
if (document.activeElement === document.body) (returned || form)?.focus({ preventScroll: true });

document.documentElement.dataset.ready = "true";
