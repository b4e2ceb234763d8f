// A page on which the questions of a case are judged and their answers marked. Consolidators and
// validators use it with their own board, moves and texts.

/** @import { Span } from "../../spans.js" */
/** @import { ItemData, OnChange, Work } from "../../work/contract.js" */
/** @import { CaseState, Move, Problem, Role } from "./case-types.js" */

import { counted, element, quoted, ref, setText, t } from "../../html.js";
import { Sentence } from "../../sentence.js";
import { ignoresKey } from "../../shortcuts.js";
import { contains } from "../../spans.js";
import { spansText, spanText, wordsText } from "../../written-text.js";
import { find, kept, marksOf, unjudged } from "./case-state.js";
import { predicateText, sentenceTarget } from "./predicate.js";

/** @implements {Work} */
export class CasePage {
  /** @param {HTMLElement} root @param {ItemData} data @param {OnChange} onChange @param {Role} role */
  constructor(root, data, onChange, role) {
    this.root = root;
    this.onChange = onChange;
    this.role = role;
    this.item = data;
    this.locked = data.locked;
    this.state = role.resume(this.item.content);
    /** @type {string | null} */
    this.activeId = this.firstOpen();
    /** @type {Problem[]} */
    this.found = [];
    this.sentence = this.createSentence();
    this.sentence.disable(this.locked);
    this.board = role.createBoard(this.ref("board"), this);
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
      ...sentenceTarget(this.item.target),
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
    return this.role.contentOf(this.state);
  }

  problems() {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur(); // completes a finished question
    const box = this.board.unfinishedBox();
    if (box) return [{ message: t`finish or cancel the question that you are writing.`, box }];
    return this.found.map((problem) => ({ ...problem, message: this.problemText(problem) }));
  }

  /** @param {string} path @param {string} message */
  problemAt(path, message) {
    const index = Number(/^questions\[(\d+)\]/.exec(path)?.[1] ?? NaN);
    return { message, id: this.state.questions[index]?.id };
  }

  /** @param {any[]} problems @param {{isRefused: boolean}} options */
  showProblems(problems, { isRefused }) {
    const [problem] = problems;
    if (isRefused) {
      this.refuse(`Not submitted: ${problems.map(({ message }) => message).join(" ")}`);
      if (problem.id) this.board.focus(problem.id);
      return;
    }
    if (problem.box) {
      this.refuse(t`Not yet: ${problem.message}`);
      problem.box.focus();
      return;
    }
    this.goTo(problem);
    this.refuse(t`Not yet: ${problem.message}`);
  }

  isReady() {
    return this.found.length === 0 && !this.locked;
  }

  units() {
    return this.role.beginning.questions.length;
  }

  focus() {
    if (this.activeId !== null) this.board.focus(this.activeId);
  }

  // Return the id of the first question without a verdict, or of the first one.
  firstOpen() {
    return (unjudged(this.state)[0] ?? this.state.questions[0])?.id ?? null;
  }

  shown() {
    setText(ref(document, "verb"), predicateText(this.item.target, this.item.tokens));
  }

  /** @param {any} content */
  load(content) {
    this.state = this.role.resume(content);
    this.activeId = this.firstOpen();
    this.render();
  }

  snapshot() {
    return this.state;
  }

  /** @param {CaseState} state */
  restore(state) {
    const before = this.state.questions;
    this.state = state;
    const changed = state.questions.find(({ id }) => textOf(state.questions, id) !== textOf(before, id));
    this.activeId = changed?.id ?? this.activeId;
    this.render();
    if (this.ref("board").contains(document.activeElement)) this.focus();
  }

  // Versions differ mostly in the questions that are kept, and the rest is counted.
  /** @param {any} content */
  describe(content) {
    const state = this.role.resume(content);
    const judged = state.questions.length - unjudged(state).length;
    const lines = kept(state).map(({ question, answers }) => `${question} – ${spansText(this.item.tokens, answers)}`);
    if (state.isVerbal === false) lines.unshift(t`Not an action or event`);
    return [...lines, t`${counted(judged, "question")} judged`];
  }

  lock() {
    this.locked = true;
    this.sentence.disable(true);
    this.render();
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
    this.render();
    this.onChange({ label });
    this.say(t`Done: ${label}.`);
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
      t`Answers to ${this.role.text.named(question)}. Use Shift and the arrow keys to select words, Enter to add them, Esc to go back.`,
    );
  }

  /** @param {"back" | "next"} where */
  leave(where) {
    const isDone = this.role.goesOn && where === "next" && this.board.focusNextOpen(this.activeId);
    if (!isDone && this.activeId !== null) this.board.focus(this.activeId);
  }

  /** @param {Span} span */
  takeAnswer(span) {
    if (this.activeId === null) this.refuse(t`Write or choose a question first, then select its answer.`);
    else this.act({ type: "mark", id: this.activeId, span });
  }

  /** @param {number} token */
  removeAnswerAt(token) {
    const active = find(this.state, this.activeId);
    const span = active?.answers.find((answer) => contains(answer, token));
    if (active && span) this.act({ type: "unmark", id: active.id, span });
    else this.refuse(t`No answer to this question contains this word.`);
  }

  /** @param {KeyboardEvent} event */
  sentenceKey(event) {
    if (ignoresKey(event)) return;
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
    setText(this.ref("take"), t`Add ${answer}`);
    setText(this.ref("split"), t`Split before ${quoted(wordsText(this.item.tokens, [span[0]]))}`);
    setText(this.ref("cut"), t`Remove ${answer} from the answer`);
    if (pending) this.say(t`Click the last word of the answer (or the same word again).`);
  }

  // --- rendering

  render() {
    const { text, problems, show } = this.role;
    this.board.update(this.state, this.activeId, this.locked);
    if (!find(this.state, this.activeId)) this.activeId = this.state.questions[0]?.id ?? null;
    this.sentence.paint(marksOf(this.state, this.activeId, text.nameOf));
    const active = find(this.state, this.activeId);
    setText(this.ref("editing"), active ? t`Answers to ${text.named(active)}` : t`No questions yet.`);
    this.found = problems(this.state);
    this.showOpen();
    show?.(this.state);
  }

  // The status counts what is left to do, and the list shows where.
  showOpen() {
    const waiting = unjudged(this.state).length;
    const others = this.found.filter(({ kind }) => kind !== "unjudged");
    const parts = [];
    if (waiting > 0) parts.push(t`${counted(waiting, "question")} to judge`);
    if (others.length > 0) parts.push(t`${counted(others.length, "problem")} to fix`);
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
  goTo(problem) {
    if (this.role.goTo?.(problem)) return;
    const { kind, ids } = problem;
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

/**
 * Return a question as JSON, to compare it.
 *
 * @param {import("./case-types.js").CaseQuestion[]} questions
 * @param {string} id
 */
function textOf(questions, id) {
  return JSON.stringify(questions.find((question) => question.id === id));
}
