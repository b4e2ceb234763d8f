// Buttons that a letter presses while the focus is in their area: `<section data-shortcuts>` with
// `<button data-shortcut="c">`.

import { ignoresKey } from "./shortcuts.js";

document.addEventListener("keydown", (event) => {
  const area = event.target instanceof Element && event.target.closest("[data-shortcuts]");
  if (!area || ignoresKey(event)) return;
  const key = event.key.toLowerCase();
  const buttons = /** @type {NodeListOf<HTMLButtonElement>} */ (area.querySelectorAll("button[data-shortcut]"));
  const button = [...buttons].find((candidate) => candidate.dataset.shortcut === key);
  if (!button) return;
  event.preventDefault();
  button.click();
});
