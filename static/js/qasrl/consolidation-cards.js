// The questions on the consolidation page: one card each, in groups as the server aligned them.
//
//   const board = new Board(box, {groups, sources, tokens, walker, suggest, calls})
//   board.update(state)          after every move
//   calls.act(move)              a move is wanted
//   calls.activate(id)           the focus went to a card
//   calls.edit(id, span | null)  the answers are to be edited in the sentence
//
// Keys count only while the focus is on a card: k i r m g, e w, arrows; n anywhere on the board.

import { element, setText } from "../html.js";
import { equal, spanText } from "../spans.js";
import { conflicts, find, INVALID, KEEP, kept, REDUNDANT, sourceId } from "./consolidation-state.js";
import { cleaned, letter, named, nameOf, standing, verdictText } from "./consolidation-words.js";
import { QuestionBox } from "./question-box.js";

const TYPING = "input, select, textarea";
const UNFINISHED =
  "This is no finished question of the template: choose how it goes on, keep it from the list of corrections, or press Esc to give it up.";

export class Board {
  constructor(box, { groups, sources, tokens, walker, suggest, calls }) {
    Object.assign(this, { box, sources, tokens, walker, suggest, calls });
    this.cards = new Map();
    this.groups = groups.map((rows, position) => this.buildGroup(rows, position));
    this.own = this.buildOwn();
    box.replaceChildren(...this.groups.map((group) => group.element), this.own.element);
    box.addEventListener("keydown", (event) => this.keyDown(event));
  }

  buildGroup(rows, position) {
    const ids = rows.map((row) => sourceId(row.submission, row.position));
    const { isAgreed, isOneRole, text } = standing(rows, this.sources.length);
    const heading = element("h3", { class: "group__title", id: `group-${position}` }, `Role ${position + 1}`);
    const said = element("p", { class: "group__standing" }, text);
    const settle = element(
      "button",
      { type: "button", class: "group__settle", onclick: () => this.settle(ids) },
      ids.length > 1 ? `Keep ${this.nameOfId(ids[0])}, the rest repeats it ` : "Keep ",
      element("kbd", {}, "g"),
    );
    const cards = element("div", { class: "group__cards" }, ...ids.map((id) => this.card(id).element));
    const whole = element(
      "div",
      { class: isAgreed ? "group group--agreed" : "group", role: "group", "aria-labelledby": `group-${position}` },
      element("div", { class: "group__head" }, heading, said, settle),
      cards,
    );
    return { ids, isAgreed, isOneRole, element: whole, settle };
  }

  buildOwn() {
    const cards = element("div", { class: "group__cards" });
    const add = element(
      "button",
      { type: "button", class: "own__add", onclick: () => this.openNew() },
      "Write a missing question ",
      element("kbd", {}, "n"),
    );
    const host = element("div", { class: "own__box" });
    const whole = element(
      "div",
      { class: "group group--own", role: "group", "aria-labelledby": "group-own" },
      element("div", { class: "group__head" }, element("h3", { class: "group__title", id: "group-own" }, "Missing questions")),
      cards,
      host,
      add,
    );
    return { element: whole, cards, host, add };
  }

  card(id) {
    if (!this.cards.has(id)) this.cards.set(id, new Card(id, this));
    return this.cards.get(id);
  }

  nameOfId(id) {
    const [submission, question] = id.split(".").map(Number);
    return `${letter(submission)}${question + 1}`;
  }

  // --- what one sees

  update(state, activeId, locked) {
    this.state = state;
    this.locked = locked;
    this.updateOwn(state);
    const clashes = conflicts(state);
    for (const question of state.questions) {
      this.card(question.id).update(question, state, { clashes, isActive: question.id === activeId });
    }
    for (const group of this.groups) {
      const open = group.ids.some((id) => find(state, id).verdict === null);
      group.element.classList.toggle("group--settled", !open);
      group.settle.hidden = !open || !group.isOneRole;
    }
    if (locked) this.disable();
  }

  disable() {
    for (const control of this.box.querySelectorAll("button, select, input")) control.disabled = true;
  }

  updateOwn(state) {
    const ids = state.questions.filter((each) => !each.source).map((each) => each.id);
    for (const [id, card] of this.cards) {
      if (id.startsWith("new.") && !ids.includes(id)) {
        if (card.element.contains(document.activeElement)) this.own.add.focus();
        card.element.remove();
        this.cards.delete(id);
      }
    }
    for (const id of ids) {
      if (!this.cards.has(id)) this.own.cards.append(this.card(id).element);
    }
  }

  // --- moves that concern more than one card

  groupOf(id) {
    return this.groups.find((group) => group.ids.includes(id));
  }

  // The whole group with its first question kept; then on to what is not settled yet.
  settle(ids) {
    this.calls.act({ type: "settle", groups: [ids] });
    this.focusNextOpen(ids.at(-1));
  }

  settleAgreed() {
    const groups = this.groups.filter((group) => group.isAgreed && this.isOpen(group));
    this.calls.act({ type: "settle", groups: groups.map((group) => group.ids) });
    this.focusNextOpen(null);
  }

  agreedAndOpen() {
    return this.groups.filter((group) => group.isAgreed && this.isOpen(group)).length;
  }

  isOpen(group) {
    return group.ids.every((id) => find(this.state, id).verdict === null);
  }

  // What a question most likely repeats: a kept one of its group, another one there, one with the
  // same words in its answers, any kept one.
  likelyTwin(id) {
    const others = (this.groupOf(id)?.ids ?? []).filter((each) => each !== id).map((each) => find(this.state, each));
    const all = kept(this.state).filter((each) => each.id !== id);
    const answers = find(this.state, id).answers;
    const shares = (each) => each.answers.some(([start, end]) => answers.some(([s, e]) => start < e && s < end));
    const twin = others.find((each) => each.verdict === KEEP) ?? others.find((each) => each.verdict !== INVALID) ?? all.find(shares) ?? all[0];
    return twin?.id ?? null;
  }

  openNew() {
    if (this.locked) return;
    if (this.own.host.firstChild) return this.own.host.querySelector("input").focus();
    return askForQuestion(this.own.host, {
      id: "new-question",
      label: "The missing question",
      walker: this.walker,
      suggest: this.suggest,
      onDone: (text, byKey) => {
        const id = this.calls.act({ type: "add", question: text });
        if (byKey) this.calls.edit(id, null);
      },
      onClose: (byKey) => byKey && this.own.add.focus(),
    });
  }

  // The box of a question that is being written and not finished, if there is one.
  unfinishedBox() {
    return this.box.querySelector(".card__box input, .own__box input");
  }

  // --- focus and keys

  order() {
    return [...this.box.querySelectorAll(".card")].map((each) => each.dataset.id);
  }

  focus(id) {
    this.cards.get(id)?.element.focus();
  }

  focusNextOpen(after) {
    const ids = this.order();
    const from = ids.indexOf(after) + 1;
    const open = [...ids.slice(from), ...ids.slice(0, from)].find((id) => find(this.state, id).verdict === null);
    if (open !== undefined) this.focus(open);
  }

  keyDown(event) {
    if (this.locked || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches(TYPING)) return;
    const done = this.keyed(event.key, event.target.closest(".card")?.dataset.id, event);
    if (done) event.preventDefault();
  }

  keyed(key, id, event) {
    if (key === "n") this.openNew();
    else if (key === "G") this.settleAgreed();
    else if (id === undefined) return false;
    else if (key === "ArrowDown" || key === "ArrowUp") this.step(id, key === "ArrowDown" ? 1 : -1);
    else if (key === "g" && this.groupOf(id)?.isOneRole) this.settle(this.groupOf(id).ids);
    else return this.cards.get(id).keyed(key, event);
    return true;
  }

  step(id, by) {
    const ids = this.order();
    const next = ids[ids.indexOf(id) + by];
    if (next !== undefined) this.focus(next);
  }
}

class Card {
  constructor(id, board) {
    this.id = id;
    this.board = board;
    this.chosen = null; // the answer whose tools are shown
    this.shown = new Map(); // part of the card -> what it shows
    this.key = id.replace(".", "-");
    this.build();
  }

  act(move) {
    return this.board.calls.act({ id: this.id, ...move });
  }

  build() {
    this.name = element("span", { class: "card__name" });
    this.text = element("span", { class: "card__text" });
    this.verdict = element("span", { class: "card__verdict" });
    this.note = element("p", { class: "card__note", hidden: true });
    this.host = element("div", { class: "card__box" });
    this.answers = element("ul", { class: "card__answers", "aria-label": "Answers" });
    this.tools = element("div", { class: "card__tools", hidden: true });
    this.buildVerdicts();
    this.buildRepeats();
    this.element = element(
      "article",
      { class: "card", id: `card-${this.key}`, tabindex: "0", "data-id": this.id, "aria-labelledby": `title-${this.key}` },
      element("h4", { class: "card__title", id: `title-${this.key}` }, this.name, " ", this.verdict, " ", this.text),
      this.host,
      this.note,
      this.answers,
      this.tools,
      this.verdicts,
      this.repeats,
    );
    this.element.addEventListener("focusin", () => this.board.calls.activate(this.id));
  }

  buildVerdicts() {
    const button = (text, key, press, look) =>
      element("button", { type: "button", class: look, onclick: press }, `${text} `, element("kbd", {}, key));
    this.keep = button("Keep", "k", () => this.judge(KEEP), "card__verdict-button");
    this.invalid = button("Invalid", "i", () => this.judge(INVALID), "card__verdict-button");
    this.redundant = button("Redundant", "r", () => this.judge(REDUNDANT), "card__verdict-button");
    this.edit = button("Answers", "e", () => this.board.calls.edit(this.id, null), "tool quiet");
    this.rewrite = button("Rewrite", "w", () => this.rewriteText(), "tool quiet");
    this.merge = button("Merge", "m", () => this.mergeAway(), "tool quiet");
    this.remove = button("Delete", "d", () => this.act({ type: "remove" }), "tool quiet");
    const judging = [this.keep, this.invalid, this.redundant];
    this.verdicts = element(
      "div",
      { class: "card__actions" },
      element("div", { class: "card__verdicts", role: "group", "aria-label": "Verdict" }, ...judging),
      element("div", { class: "card__more" }, this.edit, this.rewrite, this.merge, this.remove),
    );
  }

  buildRepeats() {
    this.select = element("select", { id: `repeats-${this.key}`, onchange: () => this.act({ type: "redundant", of: this.select.value }) });
    this.repeats = element(
      "p",
      { class: "card__repeats", hidden: true },
      element("label", { for: `repeats-${this.key}` }, "Repeats"),
      this.select,
    );
  }

  // --- what one sees

  update(question, state, { clashes, isActive }) {
    this.question = question;
    this.state = state;
    setText(this.name, nameOf(question));
    setText(this.text, question.question || "(no text)");
    setText(this.verdict, verdictText(question, state));
    this.element.dataset.verdict = question.verdict ?? "open";
    this.element.classList.toggle("card--active", isActive);
    if (question.source) this.element.dataset.source = question.source.submission;
    this.updateButtons(question);
    this.updateRepeats(question, state);
    this.updateNote(question);
    this.updateAnswers(question, clashes);
  }

  updateButtons({ verdict, source }) {
    const pressed = (button, on) => button.setAttribute("aria-pressed", String(on));
    pressed(this.keep, verdict === KEEP);
    pressed(this.invalid, verdict === INVALID);
    pressed(this.redundant, verdict === REDUNDANT);
    this.verdicts.firstChild.hidden = source === null;
    this.merge.hidden = source === null;
    this.remove.hidden = source !== null;
  }

  updateRepeats({ verdict, sameAs }, state) {
    this.repeats.hidden = verdict !== REDUNDANT;
    if (verdict !== REDUNDANT) return;
    const choices = kept(state).map((each) => [each.id, named(each)]);
    if (this.isShown("repeats", choices, sameAs)) return;
    const option = ([value, text]) => element("option", { value, selected: value === sameAs }, text);
    this.select.replaceChildren(...choices.map(option));
  }

  // What is under the pointer stays the same element as long as it says the same: a press that
  // moves the focus here must still end as a click.
  isShown(part, ...values) {
    const told = JSON.stringify(values);
    const isShown = this.shown.get(part) === told;
    this.shown.set(part, told);
    return isShown;
  }

  updateNote({ verdict, question }) {
    const isOutside = verdict === KEEP && question !== "" && !this.board.walker.read(question);
    this.note.hidden = !isOutside;
    setText(this.note, isOutside ? "Outside the template: keep it only if it reads well." : "");
  }

  updateAnswers({ answers, verdict }, clashes) {
    if (!answers.some((each) => this.chosen && equal(each, this.chosen))) this.chosen = null;
    const hadFocus = this.tools.contains(document.activeElement);
    this.updateChips(answers, verdict === KEEP ? [...clashes.keys()] : []);
    this.updateTools(answers);
    if (hadFocus && this.tools.hidden) this.focusChip(0);
  }

  updateChips(answers, clashing) {
    const states = answers.map(([start, end]) => clashing.some((token) => start <= token && token < end));
    if (this.isShown("chips", answers, states, this.chosen)) return;
    const focused = [...this.answers.querySelectorAll(".chip")].indexOf(document.activeElement);
    const chips = answers.map((span, position) => this.chip(span, states[position]));
    this.answers.replaceChildren(...chips);
    if (answers.length === 0) this.answers.append(element("li", { class: "card__none" }, "no answer"));
    if (focused >= 0) this.focusChip(focused);
  }

  focusChip(position) {
    const chips = [...this.answers.querySelectorAll(".chip")];
    (chips[Math.min(position, chips.length - 1)] ?? this.element).focus();
  }

  chip(span, clash) {
    const isChosen = this.chosen !== null && equal(this.chosen, span);
    const chip = element(
      "button",
      {
        type: "button",
        class: clash ? "chip chip--conflict" : "chip",
        "data-start": span[0],
        "aria-expanded": String(isChosen),
        onclick: () => this.choose(span),
      },
      element("bdi", {}, spanText(this.board.tokens, span)),
    );
    if (clash) chip.append(element("span", { class: "chip__conflict" }, " shares words"));
    return element("li", {}, chip);
  }

  // --- one answer

  choose(span) {
    this.chosen = this.chosen && equal(this.chosen, span) ? null : span;
    this.board.calls.activate(this.id);
    this.updateAnswers(this.question, conflicts(this.state));
  }

  updateTools(answers) {
    const span = this.chosen;
    this.tools.hidden = span === null;
    const next = span && answers[answers.findIndex((each) => equal(each, span)) + 1];
    const others = this.movable();
    if (this.isShown("tools", span, next, others)) return;
    this.tools.replaceChildren(...(span ? this.toolsFor(span, next, others) : []));
  }

  toolsFor(span, next, others) {
    const tool = (text, press) => element("button", { type: "button", class: "tool", onclick: press }, text);
    const tools = [
      tool("Change in the sentence", () => this.board.calls.edit(this.id, span)),
      tool("Remove", () => this.act({ type: "unmark", span })),
    ];
    if (next) tools.push(tool("Join with the next", () => this.act({ type: "join", span, other: next })));
    return [...tools, this.moveTool(span, others)];
  }

  // Questions that an answer can go over to, as [id, text].
  movable() {
    return this.state.questions
      .filter((each) => each.id !== this.id && (each.verdict === KEEP || each.verdict === null))
      .map((each) => [each.id, named(each)]);
  }

  moveTool(span, others) {
    const select = element(
      "select",
      { id: `move-${this.key}` },
      ...others.map(([value, text]) => element("option", { value }, text)),
      element("option", { value: "" }, "a new question"),
    );
    const press = () => this.act({ type: "move", span, to: select.value || null });
    const go = element("button", { type: "button", class: "tool", onclick: press }, "Move");
    return element("span", { class: "card__move" }, element("label", { for: select.id }, "Move to"), select, go);
  }

  focusedSpan() {
    const start = document.activeElement?.dataset?.start;
    return start === undefined ? null : this.question.answers.find((each) => each[0] === Number(start)) ?? null;
  }

  // --- verdicts

  judge(verdict) {
    if (!this.question.source) return;
    if (this.question.verdict === verdict) this.act({ type: "unjudge" });
    else if (verdict === REDUNDANT) this.act({ type: "redundant", of: this.board.likelyTwin(this.id) });
    else this.act({ type: verdict });
  }

  mergeAway() {
    if (!this.question.source) return;
    const of = this.question.sameAs ?? this.board.likelyTwin(this.id);
    this.act({ type: "merge", of });
  }

  // --- the text

  rewriteText() {
    if (this.host.firstChild) return this.host.querySelector("input").focus();
    const close = (byKey) => {
      this.text.hidden = false;
      if (byKey) this.element.focus();
    };
    askForQuestion(this.host, {
      id: `box-${this.key}`,
      label: `New text of ${nameOf(this.question)}`,
      text: this.question.question,
      walker: this.board.walker,
      suggest: this.board.suggest,
      onDone: (text, byKey) => {
        close(byKey);
        this.act({ type: "rewrite", question: text });
      },
      onClose: close,
    });
    this.text.hidden = true;
  }

  keyed(key, event) {
    const span = this.focusedSpan();
    const onChip = span !== null;
    const done = {
      k: () => this.judge(KEEP),
      i: () => this.judge(INVALID),
      r: () => this.judge(REDUNDANT),
      m: () => this.mergeAway(),
      e: () => this.board.calls.edit(this.id, span),
      w: () => this.rewriteText(),
      d: () => this.act({ type: "remove" }),
      Delete: () => onChip && this.act({ type: "unmark", span }),
      Backspace: () => onChip && this.act({ type: "unmark", span }),
      Enter: () => event.target === this.element && this.board.calls.edit(this.id, null),
    }[key];
    if (!done) return false;
    return done() !== false;
  }
}

// A question box in `host`. A finished question counts by Enter and by going away; Escape gives it
// up. One that is not finished stays in its box until it is, or until someone keeps it as it is.
function askForQuestion(host, { id, label, text = "", walker, suggest, onDone, onClose }) {
  let isOpen = true;
  const end = (done) => {
    if (!isOpen) return;
    isOpen = false;
    host.replaceChildren();
    done();
  };
  const isFinished = (said) => walker.check(said).state === "complete";
  const take = (said, byKey) => end(() => onDone(cleaned(said), byKey));
  const box = new QuestionBox({
    id,
    label,
    walker,
    suggest,
    onInput: () => box.note(""),
    onFinish: (said) => (isFinished(said) ? take(said, true) : box.note(UNFINISHED)),
    onKeep: () => take(box.text, true),
  });
  box.element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    event.preventDefault();
    end(() => onClose(true));
  });
  box.element.addEventListener("focusout", (event) => {
    const said = box.text.trim();
    if (!isOpen || box.element.contains(event.relatedTarget)) return;
    if (said === "" || said === text) end(() => onClose(false));
    else if (isFinished(said)) take(said, false);
    else box.note(UNFINISHED);
  });
  host.replaceChildren(box.element);
  box.show(text);
  box.input.focus();
  box.input.select();
}
