// The practice page: the workbench, and a comparison of one's answers with the expert's.

import { showGuidelines } from "../guidelines.js";
import { element, readPage, setText } from "../html.js";
import { recall, remember } from "../remembered.js";
import { place, Workbench } from "./workbench.js";

const DONE = "practice done";
const STATES = {
  found: "found",
  "span-differs": "span differs",
  "other-question": "other question",
  missed: "missed",
  extra: "extra",
  redundant: "redundant",
};

class PracticePage extends Workbench {
  constructor(page) {
    super(page);
    this.showItem(0);
    this.showDone();
  }

  async send() {
    const [item] = this.items;
    const button = place("submit");
    button.disabled = true;
    setText(place("status"), "Comparing …");
    const response = await fetch(this.page.urls.check, {
      method: "POST",
      body: JSON.stringify({ content: item.annotation.handedIn() }),
      headers: { "Content-Type": "text/plain" },
      credentials: "omit",
    }).catch(() => null);
    const answer = response ? await response.json().catch(() => null) : null;
    button.disabled = false;
    setText(place("status"), "");
    if (response?.ok && answer) this.showComparison(answer);
    else if (response?.status === 422) this.showRefused(answer.problems);
    else setText(place("status"), "The comparison could not be fetched. Try again in a moment.");
  }

  showComparison({ rows, found, expected, extra }) {
    const more = extra > 0 ? ` ${extra} of your answers the expert does not have.` : "";
    setText(place("summary"), `You found ${found} of ${expected} answers.${more}`);
    place("rows").replaceChildren(...rows.map(rowOf));
    const comparison = place("comparison");
    comparison.hidden = false;
    comparison.focus({ preventScroll: true });
    comparison.scrollIntoView({ block: "start" });
    remember(DONE, [...new Set([...(recall(DONE) ?? []), this.page.number])]);
    this.showDone();
  }

  showDone() {
    for (const number of recall(DONE) ?? []) {
      document.querySelector(`[data-lesson="${Number(number)}"]`)?.setAttribute("data-done", "");
    }
  }
}

function rowOf({ state, yours, expert, explanation }) {
  return element(
    "li",
    { class: `comparison__row answer-row--${state} answer-row` },
    element("span", { class: `answer-state answer-state--${state}` }, STATES[state]),
    side("You", yours, state),
    side("Expert", expert, state),
    element("p", { class: "comparison__why" }, explanation),
  );
}

function side(who, given, state) {
  const name = element("span", { class: "comparison__who" }, who);
  if (!given) return element("div", {}, name, element("span", { class: "quiet" }, "nothing"));
  const questions = given.questions.map((text) =>
    element("bdi", { class: "comparison__question" }, text),
  );
  const answer = element("bdi", { class: `answer answer--${state}` }, given.answer);
  return element("div", {}, name, ...questions, answer);
}

showGuidelines();
document.documentElement.dataset.ready = "true";
new PracticePage(readPage());
