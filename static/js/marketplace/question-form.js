// The page of a HIT with a QuestionForm: the time left.

import { watchTime } from "./time-limit.js";

const form = /** @type {HTMLFormElement} */ (document.getElementById("answers"));

watchTime(() => {
  for (const button of form.querySelectorAll("button")) button.disabled = true;
});
