// Submits finished work: first to our server, then the same content as a form to the marketplace.
// Either copy restores the other. On the site itself, our server answers with the `next` address.
//
//   const submission = new Submission({page, draft, state})
//   submission.addEventListener("state", ...)   detail: {state, message, problems}
//   submission.send()                 also to try again
//   submission.sendToMarketplace()    after "unreachable", if the worker chooses to

/** @import { Page, Refusal, SubmissionState, Version, WorkState } from "./contract.js" */
/** @import { Draft } from "./draft.js" */

import { element } from "../html.js";
import { canonical, send } from "./draft.js";

const WAITS = [0, 1000, 3000];
const FRAME_LEAVES_WITHIN = 20_000;

export class Submission extends EventTarget {
  /** @param {{page: Page, draft: Draft, state: () => WorkState}} options */
  constructor({ page, draft, state }) {
    super();
    this.page = page;
    this.draft = draft;
    this.state = state;
    this.busy = false;
  }

  async send() {
    if (this.busy || this.page.preview) return;
    this.busy = true;
    this.report("sending");
    this.draft.hold();
    const response = await this.reach();
    const answer = response ? await response.json().catch(() => null) : null;
    if (response?.ok && answer?.next) return this.goTo(answer.next);
    if (response?.ok && answer?.fields) return this.postToMarketplace(answer.fields, { isSaved: true });
    this.busy = false;
    if (response?.status === 409 && answer?.newest) this.conflict(answer.newest);
    else this.refused(response, answer);
    this.draft.release();
  }

  /** @param {Response | null} response @param {any} answer */
  refused(response, answer) {
    if (response?.status === 422) return this.report("refused", answer.error, answer.problems);
    if (response && [400, 403, 410, 413, 429].includes(response.status)) return this.report("invalid", answer?.error);
    return this.report("unreachable");
  }

  // Try a few times. Submitting is idempotent.
  async reach() {
    let response = null;
    for (const wait of WAITS) {
      await new Promise((resolve) => setTimeout(resolve, wait));
      const { body } = this.draft.message(this.state());
      response = await send(this.page, this.page.urls.submit, body).catch(() => null);
      if (response && response.status < 500) return response;
    }
    return response;
  }

  /** @param {Version} newest */
  conflict(newest) {
    this.report("conflict");
    this.draft.conflict(newest, { isTouched: true });
  }

  /** @param {string} next */
  goTo(next) {
    this.draft.submitted({ isSaved: true });
    this.report("leaving");
    window.location.assign(next);
  }

  sendToMarketplace() {
    if (this.busy) return;
    this.busy = true;
    const { definition } = this.page;
    const content = canonical(this.state().content);
    this.postToMarketplace({ content, ...(definition && { definition }) }, { isSaved: false });
  }

  /** @param {Record<string, string>} fields @param {{isSaved: boolean}} options */
  postToMarketplace(fields, { isSaved }) {
    this.draft.submitted({ isSaved });
    this.report("leaving");
    const inputs = Object.entries({ assignmentId: this.page.assignment, ...fields }).map(([name, value]) =>
      element("input", { type: "hidden", name, value }),
    );
    const form = element("form", { method: "post", action: this.page.submitTo, hidden: true }, ...inputs);
    document.body.append(form);
    form.submit();
    // If the page is still open, the marketplace did not answer. Sending again is safe.
    setTimeout(() => {
      this.busy = false;
      this.report("no-answer");
      form.remove();
    }, FRAME_LEAVES_WITHIN);
  }

  /** @param {SubmissionState} state @param {string} [message] @param {Refusal[]} [problems] */
  report(state, message = "", problems = []) {
    this.dispatchEvent(new CustomEvent("state", { detail: { state, message, problems } }));
  }
}
