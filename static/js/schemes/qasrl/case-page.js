// A page on which the questions of a case are judged and their answers marked. Consolidators and
// validators use it with their own board, moves and texts.

/** @import { Span } from "../../spans.js" */
/** @import { Content, Page } from "../../work/page.js" */
/** @import { PayTerms } from "../../work/pay.js" */
/** @import { OnChange, Refusal, Work } from "../../work/shell.js" */
/** @import { Board, BoardCalls, CaseText } from "./case-card.js" */
/** @import { CaseState, Move, Problem } from "./case-state.js" */

import { counted, element, quoted, ref, setText } from "../../html.js";
import { Sentence } from "../../sentence.js";
import { answersText, contains, spanText } from "../../spans.js";
import { isLocked } from "../../work/page.js";
import { bonusCents } from "../../work/pay.js";
import { find, kept, marksOf, unjudged } from "./case-state.js";

/**
 * What is different between consolidators and validators.
 *
 * @typedef {object} Role
 * @property {CaseState} beginning
 * @property {(content: any) => CaseState} resume  return the state of a draft's content
 * @property {(state: CaseState) => any} contentOf
 * @property {(state: CaseState, move: Move) => CaseState} apply  return the same state if nothing changes
 * @property {(state: CaseState) => Problem[]} problems
 * @property {CaseText & RoleText} text
 * @property {(box: HTMLElement, calls: BoardCalls) => Board} createBoard
 * @property {string} settled  the message if nothing is left to do
 * @property {boolean} [goesOn]  whether Enter on an answer goes to the next open question
 * @property {(state: CaseState) => void} [show]  show more of a state
 */

/**
 * @typedef {object} RoleText
 * @property {(state: CaseState, move: Move) => string} moveText  for the undo button
 * @property {(problem: Problem, state: CaseState, tokens: string[]) => string} problemText
 */

/** @implements {Work} */
export class CasePage {
  /** @param {HTMLElement} root @param {Page} page @param {OnChange} onChange @param {Role} role */
  constructor(root, page, onChange, role) {
    this.root = root;
    this.onChange = onChange;
    this.role = role;
    this.item = page.items[0];
    this.locked = isLocked(page);
    this.state = role.resume(this.item.content);
    /** @type {string | null} */
    this.activeId = this.state.questions[0]?.id ?? null;
    /** @type {Problem[]} */
    this.found = [];
    this.sentence = this.createSentence();
    this.sentence.disable(this.locked);
    this.board = role.createBoard(this.ref("board"), this);
    setText(this.ref("verb"), this.item.tokens[this.item.target.verb_idx]);
    this.listen();
    this.render();
  }

  /** @param {string} name */
  ref(name) {
    return ref(this.root, name);
  }

  createSentence() {
    const box = this.ref("sentence");
    // Before the sentence handles the key as the beginning of a word.
    box.addEventListener("keydown", (event) => this.sentenceKey(event), { capture: true });
    return new Sentence(box, {
      tokens: this.item.tokens,
      target: this.item.target.verb_idx,
      onChoose: (span) => this.takeAnswer(span),
      onRemove: (token) => this.removeAnswerAt(token),
      onLeave: (where) => this.leave(where),
      onSelect: (span, pending) => this.showSelection(span, pending),
    });
  }

  listen() {
    this.ref("take").addEventListener("click", () => this.sentence.takeSelection());
    this.ref("split").addEventListener("click", () => this.split());
    this.ref("cut").addEventListener("click", () => this.cut());
    new ResizeObserver(() => this.keepFocusInView()).observe(this.ref("stuck"));
  }

  // The sentence's bar changes its height, and the focused element must stay in view.
  keepFocusInView() {
    document.documentElement.style.setProperty("--stuck", `${this.ref("stuck").offsetHeight}px`);
    const focused = document.activeElement;
    if (this.ref("board").contains(focused)) focused?.scrollIntoView({ block: "nearest" });
  }

  // --- the contract of a work page

  content() {
    return { [this.item.id]: this.role.contentOf(this.state) };
  }

  /** @returns {(Problem | HTMLElement)[]} */
  problems() {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur(); // completes a finished question
    const unfinished = this.board.unfinishedBox();
    return unfinished ? [unfinished] : this.found;
  }

  /** @param {(Problem | HTMLElement)[]} problems */
  showProblems([problem]) {
    if (problem instanceof HTMLElement) {
      this.refuse("Not yet: a question is still being written.");
      problem.focus();
      return;
    }
    this.goTo(problem);
    this.refuse(`Not yet: ${this.problemText(problem)}`);
  }

  /** @param {Refusal[]} refusals */
  showRefusals(refusals) {
    this.refuse(`Not submitted: ${refusals.map(({ message }) => message).join(" ")}`);
    const index = Number(/^questions\[(\d+)\]/.exec(refusals[0]?.path ?? "")?.[1] ?? NaN);
    const question = this.state.questions[index];
    if (question) this.board.focus(question.id);
  }

  /** @param {Content} content */
  load(content) {
    this.restore(this.role.resume(content[this.item.id]));
  }

  /** @param {CaseState} state */
  restore(state) {
    this.state = state;
    this.render();
  }

  // Versions differ mostly in the questions that are kept, and the rest is counted.
  /** @param {Content} content */
  describe(content) {
    const state = this.role.resume(content?.[this.item.id]);
    const judged = state.questions.length - unjudged(state).length;
    const lines = kept(state).map(({ question, answers }) => `${question} – ${answersText(this.item.tokens, answers)}`);
    return [...lines, `${counted(judged, "question")} judged`];
  }

  lock() {
    this.locked = true;
    this.sentence.disable(true);
    this.render();
  }

  /** @param {PayTerms} pay */
  earned(pay) {
    const units = this.role.beginning.questions.length;
    return { bonus: bonusCents(pay, units), label: `for ${counted(units, "question")} to judge` };
  }

  // --- moves

  /**
   * Make a move. Return the id of the question that it created or changed.
   *
   * @param {Move} move
   */
  act(move) {
    if (this.locked) return null;
    const before = this.state;
    const next = this.role.apply(before, move);
    if (next === before) return move.id ?? null;
    const label = this.role.text.moveText(before, move);
    this.state = next;
    this.onChange({ label, before });
    this.render();
    this.say(`Done: ${label}.`);
    return next.made > before.made ? (next.questions.at(-1)?.id ?? null) : (move.id ?? null);
  }

  // --- answers, in the sentence

  /** @param {string} id */
  activate(id) {
    if (id === this.activeId) return;
    this.activeId = id;
    this.sentence.clear();
    this.render();
  }

  /**
   * Move the focus to the sentence: to change a span, or without one to mark the question's answers.
   *
   * @param {string} id
   * @param {Span | null} span
   */
  edit(id, span) {
    const question = find(this.state, id);
    if (this.locked || !question) return;
    this.activate(id);
    const [first] = question.answers[0] ?? [this.item.target.verb_idx];
    this.sentence.focus();
    this.sentence.moveTo(span ? span[1] - 1 : first);
    if (span) {
      this.sentence.anchor = span[0];
      this.sentence.select(span);
    }
    this.say(
      `Answers of ${this.role.text.named(question)}. Shift and arrows choose words, Enter marks them, Escape goes back.`,
    );
  }

  /** @param {"back" | "next"} where */
  leave(where) {
    const isDone = this.role.goesOn && where === "next" && this.board.focusNextOpen(this.activeId);
    if (!isDone && this.activeId !== null) this.board.focus(this.activeId);
  }

  /** @param {Span} span */
  takeAnswer(span) {
    if (this.activeId === null) this.refuse("Write or choose a question first, then mark its answer.");
    else this.act({ type: "mark", id: this.activeId, span });
  }

  /** @param {number} token */
  removeAnswerAt(token) {
    const active = find(this.state, this.activeId);
    const span = active?.answers.find((answer) => contains(answer, token));
    if (active && span) this.act({ type: "unmark", id: active.id, span });
    else this.refuse("This word is in no answer of the question.");
  }

  /** @param {KeyboardEvent} event */
  sentenceKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/") this.split();
    else if (event.key === "-") this.cut();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  split() {
    const at = this.sentence.selection?.[0] ?? this.sentence.cursor;
    if (at !== null && this.activeId !== null) this.act({ type: "split", id: this.activeId, at });
    this.sentence.clear();
  }

  cut() {
    const { cursor, selection } = this.sentence;
    /** @type {Span | null} */
    const span = selection ?? (cursor === null ? null : [cursor, cursor + 1]);
    if (span && this.activeId !== null) this.act({ type: "cut", id: this.activeId, span });
    this.sentence.clear();
  }

  /** @param {Span | null} span @param {boolean} pending */
  showSelection(span, pending) {
    for (const name of ["take", "split", "cut"]) this.ref(name).hidden = !span;
    if (!span) return;
    const answer = quoted(spanText(this.item.tokens, span));
    setText(this.ref("take"), `Take ${answer}`);
    setText(this.ref("split"), `Split before ${quoted(this.item.tokens[span[0]])}`);
    setText(this.ref("cut"), `Cut ${answer} out`);
    if (pending) this.say("Now the last word of the answer; the same word again takes it alone.");
  }

  // --- rendering

  render() {
    const { text, problems, show } = this.role;
    this.board.update(this.state, this.activeId, this.locked);
    if (!find(this.state, this.activeId)) this.activeId = this.state.questions[0]?.id ?? null;
    this.sentence.paint(marksOf(this.state, this.activeId, text.nameOf));
    const active = find(this.state, this.activeId);
    setText(this.ref("editing"), active ? `Answers of ${text.named(active)}` : "No question yet.");
    this.found = problems(this.state);
    this.showOpen();
    show?.(this.state);
    this.ref("submit").setAttribute("aria-disabled", String(this.found.length > 0 || this.locked));
  }

  // The status counts what is left to do, and the list shows where.
  showOpen() {
    const waiting = unjudged(this.state).length;
    const others = this.found.filter(({ kind }) => kind !== "unjudged");
    const parts = [];
    if (waiting > 0) parts.push(`${counted(waiting, "question")} to judge`);
    if (others.length > 0) parts.push(`${counted(others.length, "thing")} to put right`);
    setText(this.ref("open"), parts.length > 0 ? `${parts.join(", ")}.` : this.role.settled);
    const list = this.ref("open-problems");
    list.hidden = others.length === 0;
    list.replaceChildren(...others.map((problem) => this.problemEntry(problem)));
    const conflicts = others.filter(({ kind }) => kind === "conflict");
    this.ref("conflicts").hidden = conflicts.length === 0;
    setText(this.ref("conflicts"), conflicts.map((problem) => this.problemText(problem)).join(" "));
  }

  /** @param {Problem} problem */
  problemEntry(problem) {
    const look = problem.kind === "conflict" ? "link conflict-word" : "link";
    const onclick = () => this.goTo(problem);
    return element("li", {}, element("button", { type: "button", class: look, onclick }, this.problemText(problem)));
  }

  /** @param {Problem} problem */
  problemText(problem) {
    return this.role.text.problemText(problem, this.state, this.item.tokens);
  }

  /** @param {Problem} problem */
  goTo({ kind, ids }) {
    const id = ids.at(-1);
    if (id === undefined) return;
    if (kind === "conflict" || kind === "no-answer") this.edit(id, null);
    else this.board.focus(id);
  }

  // A refusal is shown. Other messages are for screen readers, because the page shows the change.
  /** @param {string} text */
  say(text, { isRefusal = false } = {}) {
    const note = this.ref("note");
    note.classList.toggle("sentence-note--refusal", isRefusal);
    note.classList.toggle("visually-hidden", !isRefusal);
    setText(note, text);
  }

  /** @param {string} text */
  refuse(text) {
    this.say(text, { isRefusal: true });
  }
}
