// The time limit of a HIT: the time left, a warning before the end with a button for more time, and the end.

import { ref, setText, t } from "../html.js";
import { formatTime, startCountdown } from "./countdown.js";

// Seconds left at which the time is announced, besides the warning.
const ANNOUNCED = [300, 60, 20];
const OVER = t`The time for this task is over. It can't be submitted any more. What you wrote stays readable.`;

/** @typedef {{seconds: number, extensions: number, more_minutes: number}} TimeLeft */

/** @param {() => void} onOver  called every second after the end */
export function watchTime(onOver) {
  const time = ref(document, "time-left", HTMLTimeElement);
  const warning = ref(document, "time-warning");
  const form = /** @type {HTMLFormElement | null} */ (document.querySelector("[data-more-time]"));
  const warningSeconds = Number(time.dataset.warning);
  // The worker's clock may be wrong. The difference of its times is right.
  let end = Date.now() + Number(time.dataset.timeLeft) * 1000;
  let last = Infinity;
  /** @type {Element | null} What had the focus before the button for more time. */
  let before = null;

  ref(document, "until").remove(); // the text for browsers without scripts
  startCountdown(time, () => (end - Date.now()) / 1000, onSecond);

  /** @param {number} left */
  function onSecond(left) {
    const thresholds = [warningSeconds, ...ANNOUNCED.filter((seconds) => seconds < warningSeconds)];
    const hasCrossed = thresholds.some((seconds) => left <= seconds && seconds < last);
    last = left;
    warning.hidden = left === 0 || left > warningSeconds;
    setText(ref(warning, "time-clock"), `${formatTime(left)}.`);
    if (left === 0) {
      setText(ref(document, "time-over"), OVER);
      onOver();
    } else if (hasCrossed) announce(t`${spokenTime(left)} left. ${offer()}`);
  }

  function offer() {
    const button = form?.isConnected && form.querySelector("button");
    return button ? t`Button below the task: ${button.textContent}.` : ref(warning, "time-hint").textContent;
  }

  form?.addEventListener("focusin", ({ relatedTarget }) => {
    before = /** @type {Element | null} */ (relatedTarget);
  });
  form?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const headers = { Accept: "application/json" };
    const request = { method: "POST", body: new FormData(form), headers };
    const response = await fetch(form.action, request).catch(() => null);
    const answer = await response?.json().catch(() => null);
    if (response?.ok && answer) extended(answer);
    else announce(answer?.error ?? t`More time couldn't be added. Try again.`, { isShown: true });
  });

  /** @param {TimeLeft} left */
  function extended({ seconds, extensions, more_minutes: more }) {
    end = Date.now() + seconds * 1000;
    last = Infinity;
    onSecond(Math.round(seconds));
    announce(t`More time was added. ${spokenTime(seconds)} left.`);
    if (before instanceof HTMLElement) before.focus();
    const field = /** @type {HTMLInputElement} */ (form?.elements.namedItem("extensions"));
    field.value = String(extensions);
    if (more === 0) form?.remove();
  }

  /** @param {string} text */
  function announce(text, { isShown = false } = {}) {
    setText(ref(document, "time-status"), text);
    if (isShown) setText(ref(warning, "time-hint"), text);
  }
}

/** @param {number} seconds */
function spokenTime(seconds) {
  const minutes = Math.round(seconds / 60);
  if (seconds < 55) return t`${Math.round(seconds)} seconds`;
  return minutes === 1 ? "1 minute" : t`${minutes} minutes`;
}
