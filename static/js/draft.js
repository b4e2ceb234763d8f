// Keeps unfinished work: in the browser at once, on the server within two seconds, whatever the
// line does. Typing never waits for it.
//
//   const draft = new Draft({page, state: () => ({content, comment, active_seconds, moves})})
//   draft.addEventListener("status", ...)    detail: saved | unsaved | saving | offline | refused
//   draft.addEventListener("conflict", ...)  detail: {newest: {revision, content, comment}}
//   draft.addEventListener("newer", ...)     detail: as conflict; this page is untouched: just load it
//   draft.addEventListener("submitted", ...) another tab has handed the work in
//   draft.changed()                          after every change
//
// `page` is the data of annotation/domain/open_page.py; `content` maps item ids to their content. A
// page of the site says itself under which name (`draftKey`) a browser keeps its work.

import { forget, recall, remember } from "./remembered.js";

const SAVE_AFTER = 800;
const SAVE_WITHIN = 2000;
const LOOK_AGAIN_AFTER = 600;
const GIVE_UP_AFTER = 15_000;
const BACK_OFF = [1000, 2000, 4000, 8000, 15_000, 30_000];
// Browsers carry at most 64 KiB in requests that outlive their page.
const KEEPALIVE_LIMIT = 60_000;

export class Draft extends EventTarget {
  constructor({ page, state }) {
    super();
    this.page = page;
    this.state = state;
    this.revision = page.revision;
    this.key = page.draftKey ?? keyOf(window.location);
    this.version = 0;
    this.savedVersion = 0;
    this.inFlight = null; // the version being sent
    this.failures = 0;
    this.timer = null;
    this.keeping = null;
    this.deadline = null;
    this.unanswered = [];
    this.paused = page.preview || page.submitted;
    this.status = "saved";
    this.listen();
    if (isReload()) setTimeout(() => this.lookAgain(), LOOK_AGAIN_AFTER);
  }

  listen() {
    window.addEventListener("online", () => this.retryNow());
    window.addEventListener("pagehide", () => {
      if (this.keeping) this.keepInBrowser();
      this.flush();
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

  // Work that this browser kept and the server never got: {content, comment, revision} or null.
  kept() {
    const kept = recall(this.key);
    return kept && kept.unsaved && kept.content ? kept : null;
  }

  changed() {
    if (this.page.preview) return;
    this.version += 1;
    this.keepInBrowserSoon();
    if (this.paused) return;
    if (this.status !== "offline") this.report("unsaved");
    this.schedule();
  }

  // No more saves: the work is handed over, or a person has to choose first.
  pause() {
    this.paused = true;
    clearTimeout(this.timer);
  }

  // Go on from the server's `revision`, which the person has seen.
  resume(revision) {
    this.revision = revision;
    this.paused = false;
    this.failures = 0;
    this.changed();
  }

  // The work goes to the marketplace. What our server has not got, this browser goes on keeping.
  handedOver({ isOurs }) {
    this.pause();
    if (!isOurs) this.keepInBrowser();
    clearTimeout(this.keeping);
    this.keeping = null;
    this.savedVersion = this.version;
    if (isOurs) forget(this.key);
  }

  // The page goes away: one last save, without waiting for its answer.
  flush() {
    if (this.paused || !this.isUnsaved || this.inFlight === this.version) return;
    // A save under way most likely arrives; this one comes after it.
    const revision = this.revision + (this.inFlight === null ? 0 : 1);
    this.inFlight = this.version;
    send(this.page, this.page.urls.draft, this.message(revision)).catch(() => {});
  }

  // Remembered, for an answer may get lost on its way back.
  message(revision) {
    const state = this.state();
    this.unanswered.push(canonical(state.content));
    return JSON.stringify({ token: this.page.token, ...state, revision });
  }

  // After the frame that shows the change: writing it down must not hold up typing.
  keepInBrowserSoon() {
    this.keeping ??= setTimeout(() => this.keepInBrowser(), 0);
  }

  keepInBrowser() {
    clearTimeout(this.keeping);
    this.keeping = null;
    const { content, comment } = this.state();
    remember(this.key, { content, comment, revision: this.revision, unsaved: this.isUnsaved });
  }

  schedule() {
    const now = Date.now();
    if (this.inFlight !== null || this.failures > 0) return;
    this.deadline ??= now + SAVE_WITHIN;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.save(), Math.min(SAVE_AFTER, Math.max(0, this.deadline - now)));
  }

  retryNow() {
    if (this.paused || !this.isUnsaved || this.inFlight !== null) return;
    clearTimeout(this.timer);
    this.save();
  }

  async save() {
    if (this.paused || this.inFlight !== null) return;
    const version = this.version;
    this.deadline = null;
    this.inFlight = version;
    if (this.failures === 0) this.report("saving");
    const response = await send(this.page, this.page.urls.draft, this.message(this.revision)).catch(() => null);
    const answer = response ? await response.json().catch(() => null) : null;
    this.inFlight = null;
    if (this.paused) return;
    if (response?.ok && answer) this.saved(version, answer);
    else if (response?.status === 409 && answer) this.conflict(answer.newest);
    else if (response?.status === 403) this.refused(answer);
    else this.failed();
  }

  saved(version, answer) {
    this.revision = answer.revision;
    this.savedVersion = version;
    this.failures = 0;
    this.unanswered = [];
    if (answer.submitted) {
      this.pause();
      this.dispatchEvent(new CustomEvent("submitted"));
      return;
    }
    this.keepInBrowser();
    this.report(this.isUnsaved ? "unsaved" : "saved");
    if (this.isUnsaved) this.schedule();
  }

  // The last save of the page that was reloaded may have arrived after this page was written.
  lookAgain() {
    if (!this.paused && this.version === 0) this.save();
  }

  conflict(newest) {
    const isUntouched = this.version === 0;
    // Not another tab's work but ours: it arrived and the answer got lost on the way.
    const isOurs = this.unanswered.includes(canonical(newest.content));
    if (isUntouched || isOurs) {
      this.revision = newest.revision;
      this.unanswered = [];
      this.failures = 0;
      if (isOurs) this.save();
      else this.takeNewer(newest);
      return;
    }
    this.pause();
    this.dispatchEvent(new CustomEvent("conflict", { detail: { newest } }));
  }

  takeNewer(newest) {
    this.report("saved");
    this.dispatchEvent(new CustomEvent("newer", { detail: { newest } }));
  }

  refused(answer) {
    this.pause();
    this.report("refused", answer?.error);
  }

  failed() {
    const wait = BACK_OFF[Math.min(this.failures, BACK_OFF.length - 1)];
    this.failures += 1;
    this.report("offline");
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.save(), wait);
  }

  report(status, message = "") {
    this.status = status;
    this.dispatchEvent(new CustomEvent("status", { detail: { status, message } }));
  }
}

// text/plain needs no preflight; the server reads JSON all the same. A page in a frame is known by
// its token alone, one on the site (it has `csrf`) by its session.
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
  return performance.getEntriesByType("navigation")[0]?.type === "reload";
}

// An assignment's id may come back with another worker, so both name what is kept.
function keyOf(location) {
  const query = new URLSearchParams(location.search);
  return ["draft", location.pathname, query.get("assignmentId"), query.get("workerId")].join(" ");
}

// The same text for the same content: a database may give keys back in another order.
export function canonical(value) {
  return JSON.stringify(value, (_, each) =>
    each && typeof each === "object" && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}
