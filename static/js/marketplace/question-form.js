// The page of a HIT with a QuestionForm: the time left, and a confirmation before the HIT is returned.

import { startCountdown } from "./countdown.js";
import { confirmReturn } from "./return-hit.js";

const clock = /** @type {HTMLTimeElement} */ (document.querySelector("time[data-deadline]"));
const deadline = new Date(clock.dateTime).getTime();

confirmReturn();
clock.previousSibling?.remove(); // the text for browsers without scripts
startCountdown(clock, () => (deadline - Date.now()) / 1000);
