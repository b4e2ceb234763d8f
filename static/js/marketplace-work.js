// The page around a task: continues when the frame reports a submission, or replaces the task when
// its page refuses the worker. The server checks reports, so a false message gains nothing. The frame
// gets a message when the time is over, and a page without storage can have its settings remembered here.

import { watchTime } from "./marketplace/time-limit.js";
import { recall, remember } from "./storage.js";

const frame = /** @type {HTMLIFrameElement} */ (document.getElementById("task"));
const form = /** @type {HTMLFormElement} */ (document.getElementById("go-on"));
const replace = /** @type {HTMLFormElement} */ (document.getElementById("replace"));
const SETTINGS = "settings of task pages";
const MAX_SETTINGS_LENGTH = 1000;
// Pages of other origins have storage of their own. Here, they could recognize each other's workers.
const canRemember = !frame.sandbox.contains("allow-same-origin");

// The button is for browsers without scripts.
for (const button of form.querySelectorAll("button")) button.hidden = true;

window.addEventListener("message", ({ data, source }) => {
  if (source !== frame.contentWindow || data?.assignment !== form.dataset.assignment) return;
  if (data.type === "marketplace:submitted") form.requestSubmit();
  else if (data.type === "marketplace:not-for-you") replace.submit();
  else if (data.type === "marketplace:recall" && canRemember) tell({ settings: recall(SETTINGS) });
  else if (data.type === "marketplace:remember" && canRemember) rememberSettings(data.settings);
});

/** @param {object} message  for the page in the frame. Its origin is opaque, so that it can't be named. */
function tell(message) {
  frame.contentWindow?.postMessage({ ...message, type: "marketplace", assignment: form.dataset.assignment }, "*");
}

/** @param {unknown} settings */
function rememberSettings(settings) {
  if ((JSON.stringify(settings) ?? "").length <= MAX_SETTINGS_LENGTH) remember(SETTINGS, settings);
}

// The page in the frame puts its focus into its first field.
if (document.activeElement === document.body) frame.focus();

watchTime(() => tell({ isTimeOver: true }));
