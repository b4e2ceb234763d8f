// A visible countdown. Screen readers do not read it out, because <time> is not a live region.

import { t } from "../html.js";

const twoDigits = new Intl.NumberFormat("en", { minimumIntegerDigits: 2 });

/**
 * Show the time left in an element, and call `onSecond` with the seconds left.
 *
 * @param {HTMLElement} clock
 * @param {() => number} secondsLeft
 * @param {(seconds: number) => void} [onSecond]
 */
export function startCountdown(clock, secondsLeft, onSecond) {
  const update = () => {
    const left = Math.max(0, Math.round(secondsLeft()));
    clock.textContent = formatTime(left);
    onSecond?.(left);
  };
  update();
  setInterval(update, 1000);
}

/** @param {number} seconds */
export function formatTime(seconds) {
  const hours = Math.floor(seconds / 3600);
  const minutes = twoDigits.format(Math.floor((seconds % 3600) / 60));
  const clock = (hours ? hours + ":" : "") + minutes + ":" + twoDigits.format(seconds % 60);
  return t`${clock} left`;
}
