// A task: work that is saved as a draft, submitted and paid.

/** @import { Content } from "./page.js" */
/** @import { Mount, Work } from "./shell.js" */

import { ref } from "../html.js";
import { Draft } from "./draft.js";
import { isLocked, readPage } from "./page.js";
import { openShell } from "./shell.js";
import { showWorkStatus } from "./status.js";
import { Submission } from "./submit.js";
import { ActiveTime } from "./timing.js";

/**
 * Open the page's task with a scheme's `mount`.
 *
 * @template {Work} T
 * @param {Mount<T>} mount
 */
export function openTask(mount) {
  const page = readPage();
  const time = new ActiveTime(page.activeSeconds).watch();
  const comment = ref(document, "comment", HTMLTextAreaElement);
  comment.value = page.comment;
  comment.disabled = isLocked(page);

  const shell = openShell(mount, page, {
    changed: () => draft.changed(),
    submit: () => submission.send(),
  });
  const { work } = shell;
  /** @param {Content} content */
  const state = (content) => ({
    content,
    comment: comment.value,
    active_seconds: time.seconds,
    moves: shell.moves(),
  });
  const draft = new Draft({ page, state: () => state(work.content()) });
  const submission = new Submission({ page, draft, state: () => state(work.submission?.() ?? work.content()) });

  comment.addEventListener("input", () => draft.changed());
  draft.addEventListener("submitted", () => {
    comment.disabled = true;
    shell.lock();
  });
  showWorkStatus({
    page,
    draft,
    submission,
    describe: (content) => work.describe(content),
    load(content, text) {
      shell.load(content);
      if (typeof text === "string") comment.value = text;
    },
    onRefused: (refusals) => work.showRefusals(refusals),
  });
  document.documentElement.dataset.ready = "true";
  return work;
}
