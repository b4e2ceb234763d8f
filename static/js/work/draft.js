// Saves unfinished work: in the browser at once, on the server within two seconds. Typing never
// waits for a save.
//
//   const draft = new Draft({page, state})
//   draft.addEventListener("status", ...)    detail: {status, message}
//   draft.addEventListener("conflict", ...)  detail: {newest}, another version of the work
//   draft.addEventListener("newer", ...)     detail: {newest}; this page is untouched and can load it
//   draft.addEventListener("submitted", ...) another tab has submitted the work
//   draft.addEventListener("expired", ...)   the time of the task is over
//   draft.addEventListener("moves", ...)     detail: {count}, the number of moves that the server has
//   draft.changed()                          after every change

/** @import { DraftStatus, Page, StoredVersion, Version, WorkState } from "./contract.js" */

import { forget, recall, remember } from "../storage.js";

const SAVE_AFTER = 800;
const SAVE_WITHIN = 2000;
const CHECK_AGAIN_AFTER = 600;
const GIVE_UP_AFTER = 15_000;
const BACK_OFF = [1000, 2000, 4000, 8000, 15_000, 30_000];
const MAX_UNANSWERED = 50;
// Browsers carry at most 64 KiB in requests that outlive their page.
const KEEPALIVE_LIMIT = 60_000;
// Invalid, not permitted, over, too large, too many
const REFUSALS = new Set([400, 403, 410, 413, 429]);

export class Draft extends EventTarget {
  /** @param {{page: Page, state: () => WorkState}} options */
  constructor({ page, state }) {
    super();
    this.page = page;
    this.state = state;
    this.revision = page.revision;
    this.key = page.draftKey ?? keyOf(window.location);
    this.version = 0;
    this.savedVersion = 0;
    /** @type {number | null} The version being sent. */
    this.inFlight = null;
    this.failures = 0;
    /** @type {number | undefined} */
    this.timer = undefined;
    /** @type {number | undefined} */
    this.storing = undefined;
    /** @type {number | null} */
    this.deadline = null;
    /** @type {string[]} Ids of messages that were sent and not yet answered, the newest last. */
    this.unanswered = [];
    this.paused = page.preview || page.submitted;
    // True once the work is submitted or its time is over.
    this.isOver = this.paused;
    this.isHeld = false;
    /** @type {DraftStatus} */
    this.status = "saved";
    this.listen();
    if (isReload()) setTimeout(() => this.checkAgain(), CHECK_AGAIN_AFTER);
  }

  listen() {
    window.addEventListener("online", () => this.retryNow());
    window.addEventListener("pagehide", () => {
      this.flush();
      if (this.storing) this.store();
    });
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden") this.retryNow();
    });
    window.addEventListener("beforeunload", (event) => {
      if (this.isUnsaved && !this.paused) event.preventDefault();
    });
  }

  get isUnsaved() {
    return this.version !== this.savedVersion;
  }

  /**
   * Return the version that this browser stored without knowing whether the server received it. Work in
   * an earlier form than the page's would be read as other answers.
   *
   * @returns {StoredVersion | null}
   */
  unsavedVersion() {
    const stored = recall(this.key);
    const { definition = "" } = this.page;
    const isReadable = stored?.unsaved && stored.content && (stored.definition ?? "") === definition;
    return isReadable ? { unanswered: [], ...stored } : null;
  }

  /**
   * Return whether no other page has saved since this version was stored.
   *
   * @param {StoredVersion} stored
   */
  isNewest({ revision, unanswered }) {
    const { revision: saved, saveId = "" } = this.page;
    return revision === saved || unanswered.includes(saveId);
  }

  /**
   * Continue with a version that the page has restored.
   *
   * @param {StoredVersion} stored
   */
  restored({ unanswered }) {
    this.unanswered = unanswered;
    this.changed();
  }

  changed() {
    if (this.page.preview) return;
    this.version += 1;
    this.storeSoon();
    if (this.paused) return;
    if (this.status !== "offline") this.report("unsaved");
    this.schedule();
  }

  // Stop saving: the work is submitted, or the worker has to choose a version first.
  pause() {
    this.paused = true;
    clearTimeout(this.timer);
  }

  // Save nothing while the same work is being submitted. A save that overtakes the submission would
  // look like the work of another tab.
  hold() {
    this.isHeld = true;
    clearTimeout(this.timer);
  }

  release() {
    this.isHeld = false;
    if (this.paused || !this.isUnsaved) return;
    this.timer = window.setTimeout(() => this.save(), SAVE_AFTER);
  }

  /**
   * Continue from a revision of the server that the worker has seen.
   *
   * @param {number} revision
   */
  resume(revision) {
    if (this.isOver) return;
    this.revision = revision;
    this.unanswered = [];
    this.paused = false;
    this.failures = 0;
    this.changed();
  }

  /**
   * Stop saving submitted work. The browser still stores it if our server does not have it.
   *
   * @param {{isSaved: boolean}} options
   */
  submitted({ isSaved }) {
    this.isOver = true;
    this.pause();
    if (!isSaved) this.store();
    this.cancelStoring();
    this.savedVersion = this.version;
    if (isSaved) forget(this.key);
  }

  // The page closes: save once more without waiting for the answer.
  flush() {
    if (this.paused || !this.isUnsaved || this.inFlight === this.version) return;
    this.inFlight = this.version;
    send(this.page, this.page.urls.draft, this.message().body).catch(() => {});
  }

  /**
   * Return a message with its id. The id is remembered, also over a reload, in case the answer is lost:
   * the server accepts work that follows this page's own.
   */
  message(state = this.state()) {
    const id = newId();
    const { page, revision, unanswered } = this;
    const { token, definition } = page;
    const body = JSON.stringify({ token, ...state, revision, save_id: id, unanswered, definition });
    this.unanswered = [...unanswered, id].slice(-MAX_UNANSWERED);
    if (this.isUnsaved) this.storeSoon();
    return { id, body };
  }

  // Store after the frame that shows the change, so that typing is not delayed.
  storeSoon() {
    this.storing ??= window.setTimeout(() => this.store(), 0);
  }

  cancelStoring() {
    clearTimeout(this.storing);
    this.storing = undefined;
  }

  store() {
    this.cancelStoring();
    const { content, comment } = this.state();
    const { revision, unanswered, isUnsaved: unsaved } = this;
    const { definition } = this.page;
    remember(this.key, { content, comment, revision, unanswered, unsaved, definition });
  }

  schedule() {
    const now = Date.now();
    if (this.isHeld || this.inFlight !== null || this.failures > 0) return;
    this.deadline ??= now + SAVE_WITHIN;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.save(), Math.min(SAVE_AFTER, Math.max(0, this.deadline - now)));
  }

  retryNow() {
    if (!this.isUnsaved) return;
    clearTimeout(this.timer);
    this.save();
  }

  async save() {
    if (this.paused || this.isHeld || this.inFlight !== null) return;
    const version = this.version;
    this.deadline = null;
    this.inFlight = version;
    if (this.failures === 0) this.report("saving");
    const { id, body } = this.message();
    const response = await send(this.page, this.page.urls.draft, body).catch(() => null);
    const answer = response ? await response.json().catch(() => null) : null;
    this.inFlight = null;
    if (this.paused) return;
    if (response?.ok && answer) this.saved(version, id, answer);
    else if (response?.status === 409 && answer) this.conflict(answer.newest);
    else if (response && REFUSALS.has(response.status)) this.refused(answer?.error);
    else this.failed();
  }

  /** @param {number} version @param {string} id @param {{revision: number, submitted: boolean, moves: number}} answer */
  saved(version, id, answer) {
    this.storedMoves(answer.moves);
    this.revision = answer.revision;
    this.savedVersion = version;
    this.failures = 0;
    // The server refuses older messages that are still on their way.
    this.unanswered = this.unanswered.slice(this.unanswered.indexOf(id) + 1);
    if (answer.submitted) {
      this.submittedElsewhere();
      return;
    }
    this.store();
    this.report(this.isUnsaved ? "unsaved" : "saved");
    if (this.isUnsaved) this.schedule();
  }

  /** @param {number} count */
  storedMoves(count) {
    this.dispatchEvent(new CustomEvent("moves", { detail: { count } }));
  }

  // The last save before a reload may have arrived after this page was rendered.
  checkAgain() {
    if (!this.paused && this.version === 0) this.save();
  }

  /**
   * Another tab has saved since. Work that is submitted, or that this page did not touch, gives way.
   *
   * @param {Version} newest
   * @param {{isTouched?: boolean}} [options]
   */
  conflict(newest, { isTouched = this.version > 0 } = {}) {
    this.storedMoves(newest.moves ?? 0);
    if (isTouched && !newest.submitted) {
      this.pause();
      this.dispatchEvent(new CustomEvent("conflict", { detail: { newest } }));
      return;
    }
    this.revision = newest.revision;
    this.unanswered = [];
    this.failures = 0;
    this.report("saved");
    this.dispatchEvent(new CustomEvent("newer", { detail: { newest } }));
    if (newest.submitted) this.submittedElsewhere();
  }

  submittedElsewhere() {
    this.isOver = true;
    this.pause();
    this.dispatchEvent(new CustomEvent("submitted"));
  }

  // The time of the task is over: what is not saved by now is not saved any more.
  expire() {
    this.isOver = true;
    this.pause();
    this.dispatchEvent(new CustomEvent("expired"));
  }

  /** @param {string} [message] */
  refused(message) {
    this.pause();
    this.report("refused", message);
  }

  failed() {
    const wait = BACK_OFF[Math.min(this.failures, BACK_OFF.length - 1)];
    this.failures += 1;
    this.report("offline");
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.save(), wait);
  }

  /** @param {DraftStatus} status */
  report(status, message = "") {
    this.status = status;
    this.dispatchEvent(new CustomEvent("status", { detail: { status, message } }));
  }
}

/**
 * Send a message of the page. The type text/plain needs no preflight request. A page in a frame is
 * authenticated by its token, a page of the site (with `csrf`) by its session.
 *
 * @param {Page} page
 * @param {string} url
 * @param {string} body
 */
export function send({ csrf }, url, body) {
  return fetch(url, {
    method: "POST",
    body,
    headers: { "Content-Type": "text/plain", ...(csrf && { "X-CSRFToken": csrf }) },
    credentials: csrf ? "same-origin" : "omit",
    keepalive: body.length < KEEPALIVE_LIMIT,
    signal: AbortSignal.timeout(GIVE_UP_AFTER),
  });
}

function isReload() {
  const [entry] = performance.getEntriesByType("navigation");
  return entry instanceof PerformanceNavigationTiming && entry.type === "reload";
}

/**
 * Name the stored draft by assignment and worker: another worker can get the same assignment.
 *
 * @param {Location} location
 */
function keyOf(location) {
  const query = new URLSearchParams(location.search);
  return ["draft", location.pathname, query.get("assignmentId"), query.get("workerId")].join(" ");
}

/** Return a random id. crypto.randomUUID needs https. */
function newId() {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(16)).join("");
}

/**
 * Return the same text for the same content: a database may return keys in another order.
 *
 * @param {unknown} content
 */
export function canonical(content) {
  return JSON.stringify(content, (_, value) =>
    value && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
