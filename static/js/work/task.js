// A task: work that is saved as a draft, submitted and paid. The page names the scheme's module.

/** @import { Content, Mount } from "./contract.js" */

import { ref } from "../html.js";
import { Draft } from "./draft.js";
import { showGuidelines } from "./guidelines.js";
import { listenToMarketplace } from "./marketplace.js";
import { isLocked, moduleAddress, readPage } from "./page.js";
import { Shell } from "./shell.js";
import { showWorkStatus } from "./status.js";
import { Submission } from "./submit.js";
import { Effort } from "./timing.js";
import { offerTutorial } from "./tutorial-offer.js";

/** @param {Mount} mount */
function openTask(mount) {
  const page = readPage();
  const comment = ref(document, "comment", HTMLTextAreaElement);
  comment.value = page.comment;
  comment.disabled = isLocked(page);

  const shell = new Shell(mount, page, {
    changed: () => draft.changed(),
    moved: (label) => effort.countMove(label),
    submit: () => submission.send(),
  });
  const effort = new Effort({ ...page, step: () => shell.step() }).watch();
  /** @param {Content} content */
  const state = (content) => ({ content, comment: comment.value, ...effort.state() });
  const draft = new Draft({ page, state: () => state(shell.content()) });
  const submission = new Submission({ page, draft, state: () => state(shell.submission()) });

  draft.addEventListener("moves", (event) => effort.stored(/** @type {CustomEvent} */ (event).detail.count));
  comment.addEventListener("input", () => draft.changed());
  draft.addEventListener("submitted", () => {
    comment.disabled = true;
    shell.lock();
  });
  showWorkStatus({
    page,
    draft,
    submission,
    describe: (content) => shell.describe(content),
    load(content, text) {
      shell.load(content);
      if (typeof text === "string") comment.value = text;
    },
    onRefused: (refusals) => shell.showRefusals(refusals),
  });
  listenToMarketplace(page, () => {
    if (draft.isOver || submission.busy) return;
    draft.expire();
    comment.disabled = true;
    shell.lock();
  });
  shell.start();
  if (page.tutorial) offerTutorial({ page, mount, shell, effort });
  document.documentElement.dataset.ready = "true";
}

showGuidelines();
const { mount } = await import(moduleAddress());
openTask(mount);
