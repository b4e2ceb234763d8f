// What comes of a case so far: the questions that stay, and what still stands in the way.

import { counted, element, setText } from "../html.js";
import { answersText } from "../spans.js";
import { conflicts, kept, problems, unjudged } from "./consolidation-state.js";
import { keyOf, problemText } from "./consolidation-words.js";

export class Outcome {
  // `goTo(problem)` is called for a problem that was clicked.
  constructor({ preview, summary, open, problemList, tokens, goTo }) {
    Object.assign(this, { preview, summary, open, problemList, tokens, goTo });
  }

  update(state) {
    this.showPreview(state);
    const found = problems(state, keyOf);
    this.showOpen(state, found);
    return found;
  }

  showPreview(state) {
    const staying = kept(state);
    const clashes = conflicts(state);
    const answers = staying.reduce((sum, each) => sum + each.answers.length, 0);
    setText(this.summary, `${counted(staying.length, "question")}, ${counted(answers, "answer")}`);
    const rows = staying.map((each) => this.row(each, clashes));
    if (rows.length === 0) rows.push(element("li", { class: "quiet" }, "No question is kept so far."));
    this.preview.replaceChildren(...rows);
  }

  row({ question, answers, ...rest }, clashes) {
    const clash = answers.some(([start, end]) => [...clashes.keys()].some((at) => start <= at && at < end));
    const said = element("span", { class: "outcome__answers" }, answersText(this.tokens, answers) || "no answer yet");
    const row = element("li", {}, element("span", { class: "outcome__question" }, question || "(no text)"), " ", said);
    row.dataset.id = rest.id;
    if (clash) row.append(" ", element("span", { class: "conflict-word" }, "words in conflict"));
    return row;
  }

  // The count is what changes with every key; the list says where.
  showOpen(state, found) {
    const waiting = unjudged(state).length;
    const others = found.length - waiting;
    const parts = [];
    if (waiting > 0) parts.push(`${counted(waiting, "question")} to judge`);
    if (others > 0) parts.push(`${counted(others, "thing")} to put right`);
    setText(this.open, parts.length > 0 ? `${parts.join(", ")}.` : "Everything is settled.");
    const wrong = found.filter((each) => each.kind !== "unjudged");
    this.problemList.hidden = wrong.length === 0;
    this.problemList.replaceChildren(...wrong.map((problem) => this.entry(problem, state)));
  }

  entry(problem, state) {
    const text = problemText(problem, state, this.tokens);
    const isConflict = problem.kind === "conflict";
    return element(
      "li",
      {},
      element(
        "button",
        { type: "button", class: isConflict ? "link conflict-word" : "link", onclick: () => this.goTo(problem) },
        text,
      ),
    );
  }
}
