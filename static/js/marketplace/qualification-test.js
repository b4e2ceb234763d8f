// The page of a qualification test: the time left, a few announcements of it, and the end.

import { t } from "../html.js";
import { startCountdown } from "./countdown.js";

// Seconds left at which the time is announced.
const ANNOUNCED = new Map([
  [600, t`10 minutes left.`],
  [300, t`5 minutes left.`],
  [60, t`1 minute left.`],
  [15, t`15 seconds left.`],
]);

const clock = /** @type {HTMLTimeElement} */ (document.querySelector("time[data-seconds-left]"));
const announcement = /** @type {HTMLElement} */ (document.getElementById("time-announcement"));
const form = /** @type {HTMLFormElement} */ (document.getElementById("answers"));
// The server's time counts. The clock of the worker's computer may be wrong.
const end = performance.now() + Number(clock.dataset.secondsLeft) * 1000;
let isLeaving = false;

form.addEventListener("submit", () => {
  isLeaving = true;
});

startCountdown(
  clock,
  () => (end - performance.now()) / 1000,
  (left) => {
    const text = ANNOUNCED.get(left);
    if (text) announcement.textContent = text;
    if (left > 0 || isLeaving) return;
    isLeaving = true;
    // The server shows that the time has expired.
    setTimeout(() => location.replace(location.href), 1000);
  },
);
