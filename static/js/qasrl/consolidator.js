// The consolidation page: several annotators' questions about one verb become one set.

import { counted, element, quoted, setText } from "../html.js";
import { spanText } from "../spans.js";
import { CasePage, place } from "./case-page.js";
import { Board } from "./consolidation-cards.js";
import { Outcome } from "./consolidation-outcome.js";
import { apply, begin, contentOf, kept, resume, sourceId } from "./consolidation-state.js";
import { letter, moveText, named, nameOf, problemText } from "./consolidation-words.js";
import { Suggester, Walker } from "./grammar.js";

const MOST_SUGGESTED = 4;

class ConsolidationPage extends CasePage {
  prepare() {
    this.walker = new Walker(this.page.shared.automaton, this.item.data.item);
    this.suggester = new Suggester(this.walker, this.item.data.ranking);
    this.groups = this.item.layout.groups.map((group) => group.rows);
  }

  begin() {
    const { sources, tokens } = this.item;
    const order = this.groups.flat().map((row) => sourceId(row.submission, row.position));
    return begin({ sources, size: tokens.length, order });
  }

  resumed(content) {
    return resume(content, this.beginning);
  }

  content() {
    return contentOf(this.state, this.item.sources);
  }

  applied(state, move) {
    return apply(state, move);
  }

  makeBoard() {
    const { sources, tokens } = this.item;
    return new Board(place("board"), {
      groups: this.groups,
      sources,
      tokens,
      walker: this.walker,
      suggest: (text) => this.suggest(text),
      calls: this.calls(),
    });
  }

  build() {
    super.build();
    this.outcome = new Outcome({
      preview: place("preview"),
      summary: place("summary"),
      open: place("open"),
      problemList: place("open-problems"),
      tokens: this.item.tokens,
      goTo: (problem) => this.goTo(problem),
    });
    place("board").classList.toggle("board--many", this.item.sources.length !== 2);
    place("settle-agreed").addEventListener("click", () => this.board.settleAgreed());
    this.showReasons();
  }

  // Two versions differ in what is kept, mostly; the rest is a count.
  describe(content) {
    const state = this.resumed(content?.[this.item.id]);
    const judged = state.questions.filter((each) => each.verdict !== null).length;
    const lines = kept(state).map((each) =>
      [each.question, ...each.answers.map((span) => spanText(this.item.tokens, span))].join(" – "),
    );
    return [...lines, `${counted(judged, "question")} judged`];
  }

  // Whole questions that are not asked yet.
  suggest(text) {
    const asked = kept(this.state).map((each) => each.question);
    return this.suggester.suggest(text, asked, MOST_SUGGESTED).map((each) => each.question);
  }

  unfinished() {
    return this.board.unfinishedBox();
  }

  // --- what one sees

  show() {
    this.problems = this.outcome.update(this.state);
    const agreed = place("settle-agreed");
    const count = this.board.agreedAndOpen();
    agreed.hidden = count === 0 || this.locked;
    setText(agreed.querySelector("span"), `Settle the ${counted(count, "role")} they agree on`);
  }

  // What an annotator wrote who found nothing to ask.
  showReasons() {
    const reasons = this.item.sources
      .map((source, position) => ({ who: letter(position), reason: source.no_question, none: source.questions.length === 0 }))
      .filter((each) => each.none)
      .map(({ who, reason }) => (reason ? `${who} asked nothing: ${quoted(reason)}` : `${who} asked nothing.`));
    const box = place("reasons");
    box.hidden = reasons.length === 0;
    box.replaceChildren(...reasons.map((text) => element("p", { dir: "auto" }, text)));
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

export const consolidationPage = new ConsolidationPage();
document.documentElement.dataset.ready = "true";
