// The editor of a resource that is written as text: line numbers, mistakes, and a preview of a worker's
// page. Unsaved text stays in the browser until it is saved.

import { counted, element, ref, setText } from "./html.js";
import { forget, recall, remember } from "./storage.js";

// A pause in typing after which the text is checked.
const PAUSE = 600;

/** @typedef {{line: number | null, path: string, message: string}} Mistake */

const form = ref(document, "editor", HTMLFormElement);
const box = /** @type {HTMLTextAreaElement} */ (form.elements.namedItem("text"));
const token = /** @type {HTMLInputElement} */ (form.elements.namedItem("csrfmiddlewaretoken")).value;
const lines = ref(form, "lines");
const frame = ref(form, "frame", HTMLIFrameElement);
const saved = ref(form, "saved").textContent ?? "";
const reset = ref(form, "reset");
const restore = ref(form, "restore");
const draftKey = `text ${form.dataset.draft}`;
let isSaving = false;
/** @type {number | undefined} */
let timer;
/** @type {AbortController | undefined} */
let running;
/** @type {Set<number>} */
let wrong = new Set();

function showLines() {
  const count = box.value.split("\n").length;
  const numbers = Array.from({ length: count }, (_, at) =>
    wrong.has(at + 1) ? element("b", {}, String(at + 1)) : String(at + 1),
  );
  lines.replaceChildren(...numbers.flatMap((number) => [number, "\n"]));
  lines.scrollTop = box.scrollTop;
}

/** @param {number} line */
function goToLine(line) {
  const rows = box.value.split("\n");
  const start = rows.slice(0, line - 1).reduce((sum, row) => sum + row.length + 1, 0);
  box.focus();
  box.setSelectionRange(start, start + (rows[line - 1]?.length ?? 0));
  const height = Number.parseFloat(getComputedStyle(box).lineHeight);
  box.scrollTop = Math.max(0, (line - 1) * height - box.clientHeight / 3);
}

/** @param {Mistake[]} mistakes */
function showMistakes(mistakes) {
  wrong = new Set(mistakes.flatMap(({ line }) => (line === null ? [] : [line])));
  ref(form, "mistakes-box").hidden = mistakes.length === 0;
  ref(form, "mistakes").replaceChildren(
    ...mistakes.map(({ line, path, message }) => {
      const attributes = { type: "button", class: "link", "data-line": line };
      const link = line === null ? [] : [element("button", attributes, `Line ${line}`), ": "];
      return element("li", {}, ...link, ...(path ? [element("code", {}, path), " "] : []), message);
    }),
  );
  box.setAttribute("aria-invalid", String(mistakes.length > 0));
  showLines();
}

// Check the text, and show the page that it declares.
async function check() {
  running?.abort();
  running = new AbortController();
  const { signal } = running;
  setText(ref(form, "state"), "Checking …");
  const body = new FormData();
  body.set("text", box.value);
  const options = { method: "POST", body, headers: { "X-CSRFToken": token }, signal };
  const response = await fetch(form.dataset.preview ?? "", options).catch(() => null);
  const answer = response?.ok ? await response.json().catch(() => null) : null;
  if (signal.aborted) return;
  if (!answer) {
    setText(ref(form, "state"), "The text couldn't be checked. It is checked again when you change it.");
    return;
  }
  showMistakes(answer.mistakes);
  const count = answer.mistakes.length;
  frame.classList.toggle("is-outdated", count > 0);
  if (count > 0) setText(ref(form, "state"), `${counted(count, "mistake")}. The preview shows the text before.`);
  else {
    setText(ref(form, "state"), "No mistakes.");
    frame.srcdoc = answer.html;
  }
}

function changed() {
  const isDirty = box.value !== saved;
  reset.hidden = !isDirty;
  restore.hidden = true;
  if (isDirty) remember(draftKey, box.value);
  else forget(draftKey);
  showLines();
  clearTimeout(timer);
  timer = window.setTimeout(check, PAUSE);
}

/**
 * Type a text in the place of the selection.
 *
 * @param {string} text
 */
function insert(text) {
  // The only way that keeps the undo history of a text field.
  if (!document.execCommand("insertText", false, text)) {
    box.setRangeText(text, box.selectionStart, box.selectionEnd, "end");
    changed();
  }
}

// A new line begins below the line before, or below the text of an item of a list.
function breakLine() {
  const line = box.value.slice(0, box.selectionStart).split("\n").at(-1) ?? "";
  const [, blanks, dash] = /^( *)(- +)?/.exec(line) ?? ["", "", ""];
  insert(`\n${blanks}${" ".repeat(dash?.length ?? 0)}`);
}

/**
 * Replace the text so that the browser can undo it.
 *
 * @param {string} text
 */
function replace(text) {
  box.focus();
  box.select();
  insert(text);
  box.setSelectionRange(0, 0);
  box.scrollTop = 0;
  changed();
}

box.addEventListener("input", changed);
box.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  event.preventDefault();
  breakLine();
});
box.addEventListener("scroll", () => {
  lines.scrollTop = box.scrollTop;
});
box.setAttribute("aria-describedby", "source-help");
reset.addEventListener("click", () => replace(saved));
restore.addEventListener("click", () => replace(recall(draftKey) ?? saved));
form.addEventListener("click", ({ target }) => {
  if (target instanceof HTMLElement && target.dataset.line) goToLine(Number(target.dataset.line));
});
form.addEventListener("submit", () => {
  isSaving = true;
});
window.addEventListener("beforeunload", (event) => {
  if (!isSaving && box.value !== saved) event.preventDefault();
});

const stored = recall(draftKey);
restore.hidden = !stored || stored === box.value;
reset.hidden = box.value === saved;
showLines();
check();
