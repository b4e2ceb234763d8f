// A page on which the questions of a case are judged and their answers marked: what consolidators and
// validators do alike. A page of one kind extends it with
//
//   prepare()            what the rest needs, before anything is built
//   begin()              the state at the beginning
//   resumed(content)     the state that a draft's content tells
//   content()            what goes to the server
//   applied(state, move) the state after a move; the very same one where nothing changes
//   makeBoard()          the questions: update(state, activeId, locked), focus(id)
//   show()               what it shows beside; sets this.problems, a list of {kind, ids, tokens}
//   describe(content)    lines that tell one version of the work from another
//   nameOf(question)  named(question)  moveText(state, move)  problemText(problem)
//
// and, where it has them, leave(where) and unfinished().

import { Draft } from "../draft.js";
import { History } from "../history.js";
import { counted, quoted, readPage, setText } from "../html.js";
import { bonusCents, cents } from "../pay.js";
import { Sentence } from "../sentence.js";
import { contains, spanText } from "../spans.js";
import { Submission } from "../submit.js";
import { ActiveTime } from "../timing.js";
import { showWorkStatus } from "../work-status.js";
import { marksOf } from "./case-marks.js";
import { find } from "./consolidation-state.js";

export const place = (name) => document.querySelector(`[data-${name}]`);

export class CasePage {
  constructor(page = readPage()) {
    this.page = page;
    this.item = page.items[0];
    this.locked = page.preview || page.submitted;
    this.time = new ActiveTime(page.activeSeconds).watch();
    this.moves = page.moves;
    this.history = new History();
    this.problems = [];
    this.prepare();
    this.beginning = this.begin();
    this.state = this.resumed(this.item.content);
    this.activeId = this.state.questions[0]?.id ?? null;
    this.build();
    this.keepWork();
    this.render();
    this.showStatus();
  }

  prepare() {}

  leave() {
    this.board.focus(this.activeId);
  }

  // What is being written and not finished, if anything: it holds up the hand-in.
  unfinished() {
    return null;
  }

  build() {
    const { tokens, target } = this.item;
    this.sentence = new Sentence(place("sentence"), {
      tokens,
      target: target.verb_idx,
      onChoose: (span) => this.takeAnswer(span),
      onRemove: (token) => this.removeAnswerAt(token),
      onLeave: (where) => this.leave(where),
      onSelect: (span, pending) => this.showSelection(span, pending),
    });
    this.sentence.disable(this.locked);
    this.board = this.makeBoard();
    setText(place("verb"), tokens[target.verb_idx]);
    this.listen();
  }

  // What the board asks of the page.
  calls() {
    return {
      act: (move) => this.act(move),
      activate: (id) => this.activate(id),
      edit: (id, span) => this.edit(id, span),
    };
  }

  listen() {
    place("undo").addEventListener("click", () => this.undo());
    place("take").addEventListener("click", () => this.sentence.takeSelection());
    place("split").addEventListener("click", () => this.split());
    place("cut").addEventListener("click", () => this.cut());
    // Before the sentence itself reads the key: it would look for a word that begins with it.
    place("sentence").addEventListener("keydown", (event) => this.sentenceKey(event), { capture: true });
    place("hand-in").addEventListener("submit", (event) => {
      event.preventDefault();
      this.handIn();
    });
    this.comment = place("comment");
    this.comment.value = this.page.comment;
    this.comment.disabled = this.locked;
    this.comment.addEventListener("input", () => this.draft.changed());
    document.addEventListener("keydown", (event) => this.shortcut(event));
    new ResizeObserver(() => this.clearFocus()).observe(place("stuck"));
  }

  // The sentence's bar grows and shrinks with what it says; what has the focus stays in view.
  clearFocus() {
    const stuck = place("stuck");
    document.documentElement.style.setProperty("--stuck", `${stuck.offsetHeight}px`);
    const focused = document.activeElement;
    if (place("board").contains(focused)) focused.scrollIntoView({ block: "nearest" });
  }

  keepWork() {
    const state = () => ({
      content: { [this.item.id]: this.content() },
      comment: this.comment.value,
      active_seconds: this.time.seconds,
      moves: this.moves,
    });
    this.draft = new Draft({ page: this.page, state });
    this.submission = new Submission({ page: this.page, draft: this.draft, state });
    this.draft.addEventListener("submitted", () => this.lock());
  }

  showStatus() {
    showWorkStatus({
      page: this.page,
      draft: this.draft,
      submission: this.submission,
      describe: (content) => this.describe(content),
      load: (content, comment) => this.load(content, comment),
      onProblems: (problems) => this.showRefused(problems),
    });
  }

  load(content, comment = null) {
    this.state = this.resumed(content[this.item.id]);
    if (comment !== null) this.comment.value = comment;
    this.render();
  }

  // --- moves

  // Gives the id of the question that the move made, or moved.
  act(move) {
    if (this.locked) return null;
    const before = this.state;
    const next = this.applied(before, move);
    if (next === before) return move.id ?? null;
    const word = this.moveText(before, move);
    this.state = next;
    this.history.push(word, before);
    this.moves += 1;
    this.draft.changed();
    this.render();
    this.say(`Done: ${word}.`);
    return next.made > before.made ? next.questions.at(-1).id : (move.id ?? null);
  }

  undo() {
    const step = this.locked ? null : this.history.pop();
    if (!step) return;
    this.state = step.before;
    this.moves += 1;
    this.draft.changed();
    this.render();
    this.say(`Taken back: ${step.word}.`);
  }

  lock() {
    this.locked = true;
    this.sentence.disable(true);
    this.render();
  }

  shortcut(event) {
    if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
    if (event.key === "Enter") this.handIn();
    else if (event.key.toLowerCase() === "z" && !event.target.matches("input, textarea")) this.undo();
    else return;
    event.preventDefault();
  }

  // --- answers, in the sentence

  activate(id) {
    if (id === this.activeId) return;
    this.activeId = id;
    this.sentence.clear();
    this.render();
  }

  // The focus goes to the sentence: with a span, to change it; without, to the question's answers.
  edit(id, span) {
    if (this.locked || id === null) return;
    this.activate(id);
    const at = span ?? find(this.state, id).answers[0] ?? [this.item.target.verb_idx, 0];
    this.sentence.focus();
    this.sentence.moveTo(span ? span[1] - 1 : at[0]);
    if (span) {
      this.sentence.anchor = span[0];
      this.sentence.select(span);
    }
    this.say(`Answers of ${this.named(find(this.state, id))}. Shift and arrows choose words, Enter marks them, Escape goes back.`);
  }

  takeAnswer(span) {
    if (this.activeId === null) {
      this.refuse("Write or choose a question first, then mark its answer.");
      return false;
    }
    this.act({ type: "mark", id: this.activeId, span });
    return true;
  }

  removeAnswerAt(token) {
    const span = find(this.state, this.activeId)?.answers.find((each) => contains(each, token));
    if (span) this.act({ type: "unmark", id: this.activeId, span });
    else this.refuse("This word is in no answer of the question.");
  }

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
    if (at !== null) this.act({ type: "split", id: this.activeId, at });
    this.sentence.clear();
  }

  cut() {
    const { cursor, selection } = this.sentence;
    const span = selection ?? (cursor === null ? null : [cursor, cursor + 1]);
    if (span) this.act({ type: "cut", id: this.activeId, span });
    this.sentence.clear();
  }

  showSelection(span, pending) {
    for (const name of ["take", "split", "cut"]) place(name).hidden = !span;
    if (!span) return;
    const words = quoted(spanText(this.item.tokens, span));
    setText(place("take"), `Take ${words}`);
    setText(place("split"), `Split before ${quoted(this.item.tokens[span[0]])}`);
    setText(place("cut"), `Cut ${words} out`);
    if (pending) this.say("Now the last word of the answer; the same word again takes it alone.");
  }

  // --- what one sees

  render() {
    this.board.update(this.state, this.activeId, this.locked);
    if (!find(this.state, this.activeId)) this.activeId = this.state.questions[0]?.id ?? null;
    this.sentence.paint(marksOf(this.state, this.activeId, (question) => this.nameOf(question)));
    const active = find(this.state, this.activeId);
    setText(place("editing"), active ? `Answers of ${this.named(active)}` : "No question yet.");
    this.show();
    this.showConflicts();
    this.showPay();
    this.showButtons();
  }

  showConflicts() {
    const found = this.problems.filter((each) => each.kind === "conflict");
    const box = place("conflicts");
    box.hidden = found.length === 0;
    setText(box, found.map((each) => this.problemText(each)).join(" "));
  }

  showPay() {
    const { pay } = this.page;
    if (!pay) return; // an expert's work on the site
    const units = this.beginning.questions.length;
    const bonus = bonusCents(pay, units);
    const total = cents(pay.reward_cents + bonus);
    const sum = `${cents(pay.reward_cents)} + ${cents(bonus)} for ${counted(units, "question")} to judge = ${total}`;
    setText(place("pay"), bonus > 0 ? sum : total);
  }

  showButtons() {
    const undo = place("undo");
    undo.hidden = this.history.word === null || this.locked;
    setText(undo, `Undo ${this.history.word ?? ""}`);
    place("submit").setAttribute("aria-disabled", String(this.problems.length > 0 || this.locked));
  }

  // For everyone where it says no; else for those who can't see what happened.
  say(text, { isRefusal = false } = {}) {
    const note = place("note");
    note.classList.toggle("sentence-note--refusal", isRefusal);
    note.classList.toggle("visually-hidden", !isRefusal);
    setText(note, text);
  }

  refuse(text) {
    this.say(text, { isRefusal: true });
  }

  // --- handing in

  goTo({ kind, ids }) {
    const id = ids.at(-1);
    if (id === undefined) return;
    if (kind === "conflict" || kind === "no-answer") this.edit(id, null);
    else this.board.focus(id);
  }

  handIn() {
    if (this.locked) return;
    document.activeElement?.blur?.(); // a finished question in its box counts
    const unfinished = this.unfinished();
    if (unfinished) {
      this.refuse("Not yet: a question is still being written.");
      return unfinished.focus();
    }
    const [first] = this.problems;
    if (!first) return this.submission.send();
    this.goTo(first);
    return this.refuse(`Not yet: ${this.problemText(first)}`);
  }

  showRefused(problems) {
    this.refuse(`Not handed in: ${problems.map(({ message }) => message).join(" ")}`);
    const index = Number(/^questions\[(\d+)\]/.exec(problems[0]?.path ?? "")?.[1] ?? NaN);
    this.board.focus(this.state.questions[index]?.id);
  }
}
