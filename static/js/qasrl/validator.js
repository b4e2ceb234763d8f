// The validation page: another's questions about one verb are judged and answered.

import { counted, element, setText } from "../html.js";
import { answersText } from "../spans.js";
import { CasePage, place } from "./case-page.js";
import { kept, unjudged } from "./consolidation-state.js";
import { ValidationBoard } from "./validation-cards.js";
import { apply, begin, contentOf, problems, resume } from "./validation-state.js";
import { moveText, named, nameOf, problemText } from "./validation-words.js";

class ValidationPage extends CasePage {
  begin() {
    return begin({ asked: this.item.asked.questions, size: this.item.tokens.length });
  }

  resumed(content) {
    return resume(content, this.beginning);
  }

  content() {
    return contentOf(this.state);
  }

  applied(state, move) {
    return apply(state, move);
  }

  makeBoard() {
    const { tokens } = this.item;
    return new ValidationBoard(place("board"), { state: this.beginning, tokens, calls: this.calls() });
  }

  // From an answer that is marked, on to the next question.
  leave(where) {
    if (where !== "next" || !this.board.focusNextOpen(this.activeId)) this.board.focus(this.activeId);
  }

  describe(content) {
    const state = this.resumed(content?.[this.item.id]);
    const lines = kept(state).map((each) => `${each.question} – ${answersText(this.item.tokens, each.answers)}`);
    return [...lines, `${counted(state.questions.length - unjudged(state).length, "question")} judged`];
  }

  show() {
    this.problems = problems(this.state);
    const waiting = unjudged(this.state).length;
    const wrong = this.problems.filter((each) => each.kind !== "unjudged");
    const parts = [];
    if (waiting > 0) parts.push(`${counted(waiting, "question")} to judge`);
    if (wrong.length > 0) parts.push(`${counted(wrong.length, "thing")} to put right`);
    setText(place("open"), parts.length > 0 ? `${parts.join(", ")}.` : "Everything is judged.");
    const list = place("open-problems");
    list.hidden = wrong.length === 0;
    list.replaceChildren(...wrong.map((problem) => element("li", {}, this.wayTo(problem))));
  }

  wayTo(problem) {
    const look = problem.kind === "conflict" ? "link conflict-word" : "link";
    const press = () => this.goTo(problem);
    return element("button", { type: "button", class: look, onclick: press }, this.problemText(problem));
  }

  nameOf(question) {
    return nameOf(question);
  }

  named(question) {
    return named(question);
  }

  moveText(state, move) {
    return moveText(state, move);
  }

  problemText(problem) {
    return problemText(problem, this.state, this.item.tokens);
  }
}

export const validationPage = new ValidationPage();
document.documentElement.dataset.ready = "true";
