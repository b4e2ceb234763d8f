// Buttons that a letter presses: `<button data-shortcut="c">`.

import { isTyping } from "./html.js";

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (isTyping(event, "input, textarea, select")) return;
  const key = event.key.toLowerCase();
  const buttons = /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("button[data-shortcut]"));
  const button = [...buttons].find((candidate) => candidate.dataset.shortcut === key);
  if (!button) return;
  event.preventDefault();
  button.click();
});
