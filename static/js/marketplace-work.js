// The page around a task: continues when the frame reports a submission, or replaces the task when
// its page refuses the worker. The server checks reports, so a false message gains nothing.

import { startCountdown } from "./marketplace/countdown.js";
import { confirmReturn } from "./marketplace/return-hit.js";

const frame = /** @type {HTMLIFrameElement} */ (document.getElementById("task"));
const form = /** @type {HTMLFormElement} */ (document.getElementById("go-on"));
const replace = /** @type {HTMLFormElement} */ (document.getElementById("replace"));
const clock = /** @type {HTMLTimeElement} */ (document.querySelector("time[data-deadline]"));
const deadline = new Date(clock.dateTime).getTime();

// The button is for browsers without scripts.
for (const button of form.querySelectorAll("button")) button.hidden = true;

window.addEventListener("message", ({ data, source }) => {
  if (source !== frame.contentWindow || data?.assignment !== form.dataset.assignment) return;
  if (data.type === "marketplace:submitted") form.requestSubmit();
  else if (data.type === "marketplace:not-for-you") replace.submit();
});

confirmReturn();

// The page in the frame puts its focus into its first field.
if (document.activeElement === document.body) frame.focus();

clock.previousSibling?.remove(); // the text for browsers without scripts
startCountdown(clock, () => (deadline - Date.now()) / 1000);
