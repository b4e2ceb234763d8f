// The practice page: the workbench, and a comparison with the expert's answers.

import { element, ref, setText } from "../../html.js";
import { recall, remember } from "../../storage.js";
import { showGuidelines } from "../../work/guidelines.js";
import { readPage } from "../../work/page.js";
import { openShell } from "../../work/shell.js";
import { Workbench } from "./workbench.js";

const DONE = "practice done";

/** @typedef {{questions: string[], answer: string}} Side */

/** @typedef {{state: string, yours: Side | null, expert: Side | null, explanation: string}} Row */

/** @typedef {{rows: Row[], found: number, expected: number, extra: number}} Comparison */

const page = readPage();
const status = ref(document, "status");
const button = ref(document, "submit", HTMLButtonElement);

async function compare() {
  button.disabled = true;
  setText(status, "Comparing …");
  const response = await fetch(page.urls.check, {
    method: "POST",
    body: JSON.stringify({ content: work.submission()[page.items[0].id] }),
    headers: { "Content-Type": "text/plain" },
    credentials: "omit",
  }).catch(() => null);
  const answer = response ? await response.json().catch(() => null) : null;
  button.disabled = false;
  setText(status, "");
  if (response?.ok && answer) showComparison(answer);
  else if (response?.status === 422) work.showRefusals(answer.problems);
  else setText(status, "The comparison could not be loaded. Try again in a moment.");
}

/** @param {Comparison} comparison */
function showComparison({ rows, found, expected, extra }) {
  const more = extra > 0 ? ` ${extra} of your answers the expert does not have.` : "";
  setText(ref(document, "summary"), `You found ${found} of ${expected} answers.${more}`);
  ref(document, "rows").replaceChildren(...rows.map(createRow));
  const comparison = ref(document, "comparison");
  comparison.hidden = false;
  comparison.focus({ preventScroll: true });
  comparison.scrollIntoView({ block: "start" });
  remember(DONE, [...new Set([...(recall(DONE) ?? []), page.number])]);
  showDone();
}

function showDone() {
  for (const number of recall(DONE) ?? []) {
    document.querySelector(`[data-lesson="${Number(number)}"]`)?.setAttribute("data-done", "");
  }
}

/** @param {Row} row */
function createRow({ state, yours, expert, explanation }) {
  return element(
    "li",
    { class: `comparison__row answer-row--${state} answer-row` },
    element("span", { class: `answer-state answer-state--${state}` }, state.replace("-", " ")),
    createSide("You", yours, state),
    createSide("Expert", expert, state),
    element("p", { class: "comparison__why" }, explanation),
  );
}

/** @param {string} who @param {Side | null} side @param {string} state */
function createSide(who, side, state) {
  const name = element("span", { class: "comparison__who" }, who);
  if (!side) return element("div", {}, name, element("span", { class: "quiet" }, "nothing"));
  const questions = side.questions.map((text) => element("bdi", { class: "comparison__question" }, text));
  const answer = element("bdi", { class: `answer answer--${state}` }, side.answer);
  return element("div", {}, name, ...questions, answer);
}

showGuidelines();
const { work } = openShell((root, data, onChange) => new Workbench(root, data, onChange), page, {
  changed() {},
  submit: compare,
});
showDone();
document.documentElement.dataset.ready = "true";
