// A task: work that is saved as a draft, submitted and paid. The page names the scheme's module.

/** @import { Content, Mount, Page } from "./contract.js" */

import { ref, setText, t } from "../html.js";
import { singleKeys } from "../shortcuts.js";
import { Draft, send } from "./draft.js";
import { isLocked, moduleAddress, readPage, showGuidelines } from "./page.js";
import { density, Shell } from "./shell.js";
import { showWorkStatus } from "./status.js";
import { Submission } from "./submit.js";
import { Effort, recordInputs } from "./timing.js";

// What the marketplace remembers for frames without storage
const SETTINGS = Object.entries({ hasSingleKeys: singleKeys, isCompact: density });

/** @typedef {{page: Page, mount: Mount, shell: Shell, effort: Effort}} Task */

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
  const state = (content) => ({ content, comment: comment.value, ...effort.state(), inputs: page.inputs });
  if (page.inputs) recordInputs(page.inputs, () => shell.current.data.id);
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

/**
 * Learn from the marketplace's page around the frame (static/js/marketplace-work.js) when the time is over,
 * and have it remember the settings. Other marketplaces ignore the messages.
 *
 * @param {Page} page
 * @param {() => void} onTimeOver
 */
function listenToMarketplace({ assignment, submitTo }, onTimeOver) {
  if (!submitTo || window.parent === window) return;
  const { origin } = new URL(submitTo);
  /** @param {object} message */
  const tell = (message) => window.parent.postMessage({ ...message, assignment }, origin);

  window.addEventListener("message", ({ data, source }) => {
    if (source !== window.parent || data?.type !== "marketplace" || data.assignment !== assignment) return;
    if (data.isTimeOver) onTimeOver();
    for (const [name, setting] of SETTINGS) setting.show(data.settings?.[name] ?? setting.isOn);
  });
  tell({ type: "marketplace:recall" });
  for (const [, setting] of SETTINGS) {
    setting.store = () => {
      const settings = Object.fromEntries(SETTINGS.map(([name, { isOn }]) => [name, isOn]));
      tell({ type: "marketplace:remember", settings });
    };
  }
}

/**
 * Offer the tutorial of a worker's first task of a role. It is loaded only if the worker starts it.
 *
 * @param {Task} task
 */
function offerTutorial(task) {
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
      setText(ref(offer, "tutorial-trouble"), t`The tutorial couldn't be loaded. Try again in a moment.`);
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

showGuidelines();
const { mount } = await import(moduleAddress());
openTask(mount);
