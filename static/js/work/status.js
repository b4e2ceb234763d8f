// Shows whether the work is saved, in conflict with another tab, or submitted, in the status line
// and the banner of templates/annotation/work.html.

/** @import { Content, DraftStatus, Page, Refusal, SubmissionState, Version } from "./contract.js" */
/** @import { Draft } from "./draft.js" */
/** @import { Submission } from "./submit.js" */

import { element, ref, setText, t } from "../html.js";

/** @typedef {[label: string, onclick: () => void, look?: string]} Action */

/** @type {Record<DraftStatus, string>} */
const STATUS = {
  saved: t`Saved`,
  unsaved: t`Saving …`,
  saving: t`Saving …`,
  offline: t`You're offline. Your work stays on this page and is saved when you're back online.`,
  refused: t`Not saved`,
};

const DESTINATIONS = {
  marketplace: {
    reopen: t`Open the task again.`,
    leaving: t`Submitted. Loading the next page …`,
    done: t`You submitted this task. If the marketplace still shows it as open, submit it again. It is counted and paid only once.`,
  },
  site: {
    reopen: t`Your work is stored in this browser. Open the page again.`,
    leaving: t`Submitted. Opening the next page …`,
    done: t`You submitted this task.`,
  },
};

/** @type {Record<Exclude<SubmissionState, "leaving">, string>} */
const SUBMISSION = {
  sending: t`Submitting …`,
  refused: t`Not submitted`,
  invalid: t`Not submitted`,
  conflict: t`Not submitted`,
  unreachable: t`Not submitted yet`,
  "no-answer": t`The marketplace isn't responding`,
};

/**
 * @param {object} options
 * @param {Page} options.page
 * @param {Draft} options.draft
 * @param {Submission} options.submission
 * @param {(content: Content) => string[]} options.describe  lines that identify a version
 * @param {(content: Content, comment?: string) => void} options.load
 * @param {(refusals: Refusal[]) => void} options.onRefused
 */
export function showWorkStatus({ page, draft, submission, describe, load, onRefused }) {
  const status = ref(document, "status");
  const isOnSite = Boolean(page.csrf);
  const texts = isOnSite ? DESTINATIONS.site : DESTINATIONS.marketplace;

  if (page.preview) {
    setText(status, "");
    showBanner("info", [t`This is a preview. Accept the task to start working on it.`]);
    return;
  }
  setText(status, page.revision > 0 ? STATUS.saved : "");
  if (page.submitted) showSubmitted();

  on(draft, "status", (/** @type {{status: DraftStatus, message: string}} */ detail) => {
    // Announce only what needs attention, not "Saved" every two seconds.
    const isTrouble = detail.status === "offline" || detail.status === "refused";
    status.setAttribute("aria-live", isTrouble ? "polite" : "off");
    setText(status, STATUS[detail.status]);
    status.dataset.status = detail.status;
    if (detail.status === "refused") {
      showBanner("error", [detail.message || t`This page can no longer save your work.`, texts.reopen]);
    }
  });
  draft.addEventListener("submitted", showSubmitted);
  draft.addEventListener("expired", () => {
    setText(status, t`The time is over`);
    showBanner("error", [
      t`The time for this task is over. Your work stays readable here, but isn't saved or submitted.`,
    ]);
  });
  on(draft, "newer", ({ newest }) => load(newest.content, newest.comment));
  on(draft, "conflict", ({ newest }) => chooseVersion(newest));
  on(submission, "state", showSubmission);

  /** @param {{state: SubmissionState, message: string, problems: Refusal[]}} detail */
  function showSubmission({ state, message, problems }) {
    document.body.classList.toggle("is-submitting", state === "sending" || state === "leaving");
    setText(status, { ...SUBMISSION, leaving: texts.leaving }[state]);
    if (state === "refused") onRefused(problems);
    else if (state === "invalid") offerRetry([message || t`The server no longer accepts submissions from this page.`]);
    else if (state === "unreachable") offerRetry([t`Can't reach the server. Your work is still on this page.`]);
    else if (state === "no-answer") offerRetry([t`The marketplace isn't responding. You can safely submit again.`]);
  }

  /** @param {string[]} lines */
  function offerRetry(lines) {
    if (isOnSite) {
      showBanner("warning", lines, [[t`Try again`, () => submission.send(), "primary"]]);
      return;
    }
    showBanner(
      "warning",
      [
        ...lines,
        t`You can also submit directly to the marketplace. We receive your work from there, and the pay is the same.`,
      ],
      [
        [t`Try again`, () => submission.send(), "primary"],
        [t`Submit to the marketplace`, () => submission.sendToMarketplace()],
      ],
    );
  }

  function showSubmitted() {
    draft.pause();
    document.body.classList.add("is-submitted");
    setText(status, t`Submitted`);
    showBanner("success", [texts.done], isOnSite ? [] : [[t`Submit again`, () => submission.send()]]);
  }

  /**
   * Let the worker choose between the server's version and this browser's. Nothing is merged.
   *
   * @param {Version} newest
   * @param {{mine?: Version | null, hereTitle?: string}} [options]
   */
  function chooseVersion(newest, { mine = null, hereTitle = t`On this page` } = {}) {
    const choose = (/** @type {Version | null} */ chosen) => () => {
      if (chosen) load(chosen.content, chosen.comment);
      draft.resume(newest.revision);
      ref(document, "banner").hidden = true;
    };
    showBanner(
      "warning",
      [t`This task was changed in another tab. Which version do you want to keep?`],
      [],
      element(
        "div",
        { class: "versions" },
        version(hereTitle, (mine ?? draft.state()).content, t`Keep this version`, choose(mine)),
        version(t`Saved from another tab`, newest.content, t`Use this version`, choose(newest)),
      ),
    );
  }

  /** @param {string} title @param {Content} content @param {string} action @param {() => void} onclick */
  function version(title, content, action, onclick) {
    const lines = describe(content);
    const list = element("ul", {}, ...lines.map((line) => element("li", { dir: "auto" }, line)));
    return element(
      "section",
      { class: "version" },
      element("h2", {}, title),
      lines.length > 0 ? list : element("p", { class: "quiet" }, "Empty."),
      element("button", { type: "button", onclick }, action),
    );
  }

  restoreUnsaved();

  function restoreUnsaved() {
    const unsaved = page.submitted ? null : draft.unsavedVersion();
    if (!unsaved) return;
    if (draft.isNewest(unsaved)) {
      load(unsaved.content, unsaved.comment);
      draft.restored(unsaved);
      setText(status, t`Restored from this browser`);
      return;
    }
    draft.pause();
    const content = Object.fromEntries(page.items.map((item) => [item.id, item.content]));
    const newest = { revision: page.revision, content, comment: page.comment };
    chooseVersion(newest, { mine: unsaved, hereTitle: t`Stored in this browser` });
  }
}

/** @param {EventTarget} target @param {string} type @param {(detail: any) => void} listener */
function on(target, type, listener) {
  target.addEventListener(type, (event) => listener(/** @type {CustomEvent} */ (event).detail));
}

/**
 * @param {"info" | "success" | "warning" | "error"} kind
 * @param {string[]} lines
 * @param {Action[]} actions
 * @param {Node | string} more
 */
function showBanner(kind, lines, actions = [], more = "") {
  const buttons = actions.map(([label, onclick, look = ""]) =>
    element("button", { type: "button", class: look, onclick }, label),
  );
  const banner = ref(document, "banner");
  banner.className = `banner message message--${kind}`;
  banner.replaceChildren(
    ...lines.map((line) => element("p", {}, line)),
    more,
    buttons.length > 0 ? element("p", { class: "banner__actions" }, ...buttons) : "",
  );
  banner.hidden = false;
}
