// Hands finished work in: to our server first, then, the same content in a real form, to the
// marketplace. Either copy restores the other. On the site itself our server's answer is all, and
// says where to go `next`.
//
//   const submission = new Submission({page, draft, state})
//   submission.addEventListener("state", ...)   detail: {state, message, problems}
//     sending | refused (problems) | unreachable | invalid (the page's permission) | handing-over
//   submission.send()                 also after "unreachable", to try again
//   submission.sendToMarketplace()    after "unreachable", when the person says so

import { canonical, send } from "./draft.js";

const WAITS = [0, 1000, 3000];
const FRAME_MOVES_WITHIN = 20_000;

export class Submission extends EventTarget {
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
    const response = await this.reach();
    const answer = response ? await response.json().catch(() => null) : null;
    if (response?.ok && answer?.next) return this.goOn(answer.next);
    if (response?.ok && answer?.fields) return this.handOver(answer.fields, { isOurs: true });
    this.busy = false;
    if (response?.status === 422) return this.report("refused", answer.error, answer.problems);
    if (response?.status === 403) return this.report("invalid", answer?.error);
    return this.report("unreachable");
  }

  // A few tries: sending twice is the same as sending once.
  async reach() {
    let response = null;
    for (const wait of WAITS) {
      await new Promise((resolve) => setTimeout(resolve, wait));
      const body = { token: this.page.token, revision: this.draft.revision, ...this.state() };
      response = await send(this.page, this.page.urls.submit, JSON.stringify(body)).catch(() => null);
      if (response && response.status < 500) return response;
    }
    return response;
  }

  goOn(next) {
    this.draft.handedOver({ isOurs: true });
    this.report("handing-over");
    window.location.assign(next);
  }

  sendToMarketplace() {
    if (this.busy) return;
    this.busy = true;
    this.handOver({ content: canonical(this.state().content) }, { isOurs: false });
  }

  handOver(fields, { isOurs }) {
    this.draft.handedOver({ isOurs });
    this.report("handing-over");
    const form = document.createElement("form");
    form.method = "post";
    form.action = this.page.submitTo;
    form.hidden = true;
    for (const [name, value] of Object.entries({ assignmentId: this.page.assignment, ...fields })) {
      const input = document.createElement("input");
      input.type = "hidden";
      input.name = name;
      input.value = value;
      form.append(input);
    }
    document.body.append(form);
    form.submit();
    // Still here after a while: the marketplace does not answer. Sending again does no harm.
    setTimeout(() => {
      this.busy = false;
      this.report("no-answer");
      form.remove();
    }, FRAME_MOVES_WITHIN);
  }

  report(state, message = "", problems = []) {
    this.dispatchEvent(new CustomEvent("state", { detail: { state, message, problems } }));
  }
}
