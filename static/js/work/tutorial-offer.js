// The offer of a tutorial above a worker's first task of a role. The tutorial is loaded only if the
// worker starts it.

/** @import { Mount, Page } from "./contract.js" */
/** @import { Shell } from "./shell.js" */
/** @import { Effort } from "./timing.js" */

import { ref, setText } from "../html.js";
import { send } from "./draft.js";

/** @typedef {{page: Page, mount: Mount, shell: Shell, effort: Effort}} Task */

/** @param {Task} task */
export function offerTutorial(task) {
  const { page } = task;
  const offer = ref(document, "tutorial-offer");

  function finish() {
    offer.remove();
    post(page, { done: true });
  }

  ref(offer, "tutorial-skip").addEventListener("click", () => {
    finish();
    task.shell.focus();
  });
  ref(offer, "tutorial-start").addEventListener("click", async () => {
    const response = await post(page, {});
    const data = response?.ok ? await response.json().catch(() => null) : null;
    if (!data) {
      setText(ref(offer, "tutorial-trouble"), "The tutorial couldn't be loaded. Try again in a moment.");
      return;
    }
    offer.hidden = true;
    const { Tutorial } = await import("./tutorial.js");
    new Tutorial(task, data, finish);
  });
}

/** @param {Page} page @param {object} message */
function post(page, message) {
  return send(page, page.tutorial ?? "", JSON.stringify({ token: page.token, ...message })).catch(() => null);
}
