// The page of a HIT with a QuestionForm: the time left, and a confirmation before the HIT is returned.

import { confirmReturn } from "./return-hit.js";
import { watchTime } from "./time-limit.js";

const form = /** @type {HTMLFormElement} */ (document.getElementById("answers"));

confirmReturn();
watchTime(() => {
  for (const button of form.querySelectorAll("button")) button.disabled = true;
});
