// The trainer's page of one worker: keys, snippets, and the time that it takes.
import { ActiveTime } from "./timing.js";

const form = document.querySelector("[data-feedback]");
const items = [...document.querySelectorAll("[data-item]")];
const time = new ActiveTime().watch();

function goToItem(step) {
  const at = items.findIndex((item) => item.contains(document.activeElement));
  const from = at === -1 && step < 0 ? items.length : at;
  items[Math.min(Math.max(from + step, 0), items.length - 1)]?.focus();
}

function currentNote() {
  const item = items.find((one) => one.contains(document.activeElement)) ?? items[0];
  return item?.querySelector("textarea");
}

const KEYS = {
  j: () => goToItem(1),
  k: () => goToItem(-1),
  e: () => currentNote()?.focus(),
  o: () => document.querySelector("[data-overall]")?.focus(),
  n: () => document.querySelector('[data-key="n"]')?.click(),
  p: () => document.querySelector('[data-key="p"]')?.click(),
};

document.addEventListener("keydown", (event) => {
  const isField = event.target.matches("input:not([type=checkbox]), textarea, select");
  if (event.key === "Escape" && isField) {
    const item = event.target.closest("[data-item]");
    if (item) item.focus();
    else event.target.blur();
    return;
  }
  if (isField || event.ctrlKey || event.metaKey || event.altKey || !(event.key in KEYS)) return;
  event.preventDefault();
  KEYS[event.key]();
});

let dirty = false;
form?.addEventListener("input", () => {
  dirty = true;
});

form?.addEventListener("click", (event) => {
  const button = event.target.closest("[data-snippet]");
  if (!button) return;
  const note = button.closest("[data-item]").querySelector("textarea");
  const text = button.dataset.snippet;
  if (!note.value.includes(text)) note.value = note.value ? `${note.value.trimEnd()}\n${text}` : text;
  dirty = true;
  note.focus();
});

form?.addEventListener("submit", () => {
  form.querySelector("[data-seconds]").value = time.seconds;
  dirty = false;
});

window.addEventListener("beforeunload", (event) => {
  if (dirty) event.preventDefault();
});

document.documentElement.dataset.ready = "true";
