// The exercises: the page of the generator, and a comparison with the expert's answers.

import { element } from "../../html.js";

export { mount } from "./generator.js";

/** @typedef {{questions: string[], answer: string}} Side */

/** @typedef {{state: string, label: string, yours: Side | null, expert: Side | null, explanation: string}} Row */

/** @typedef {{rows: Row[], found: number, expected: number, extra: number}} Comparison */

/** @param {Comparison} comparison */
export function compare({ rows, found, expected, extra }) {
  const more = extra > 0 ? ` ${extra} of your answers the expert does not have.` : "";
  return { summary: `You found ${found} of ${expected} answers.${more}`, rows: rows.map(createRow) };
}

/** @param {Row} row */
function createRow({ state, label, yours, expert, explanation }) {
  return element(
    "li",
    { class: `comparison__row answer-row--${state} answer-row` },
    element("span", { class: `answer-state answer-state--${state}` }, label),
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
