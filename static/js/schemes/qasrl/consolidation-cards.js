// The cards of the consolidation page, in groups as the server aligned the questions.
//
// Beside the keys of a card (k i r m, e w d p), g settles a group, and n and G work on the whole board.

/** @import { Span } from "../../spans.js" */
/** @import { BoardCalls, CaseQuestion, CaseState, Look, Source } from "./case-types.js" */
/** @import { Row } from "./consolidation-text.js" */
/** @import { Walker } from "./grammar.js" */

import { element, setText, t } from "../../html.js";
import { keyHint } from "../../shortcuts.js";
import { equal } from "../../spans.js";
import { Board, Card } from "./case-card.js";
import { conflicts, find, INVALID, KEEP, kept, REDUNDANT, sharesWords, sourceId } from "./case-state.js";
import * as text from "./consolidation-text.js";
import { QuestionBox, refusedWord } from "./question-box.js";

const UNFINISHED = t`This question isn't finished. Choose a correction or how it continues, or press Esc to cancel.`;

/**
 * A group of questions that ask for one role, as far as the alignment knows.
 *
 * @typedef {object} Group
 * @property {string[]} ids
 * @property {string[]} keptFirst  the same, starting with the question that settling keeps
 * @property {boolean} isAgreed  every source has it
 * @property {boolean} isOneRole  it can be settled at once
 * @property {HTMLElement} element
 * @property {HTMLButtonElement} settle
 */

/**
 * Return the index of the question to keep: the first with a modal such as “might”, or else the first.
 *
 * @param {Row[]} rows
 */
function bestOf(rows) {
  return Math.max(
    rows.findIndex((row) => row.has_modal),
    0,
  );
}

export class ConsolidationBoard extends Board {
  /** @type {Map<string, ConsolidationCard>} */
  cards = new Map();

  /**
   * @param {HTMLElement} box
   * @param {object} options
   * @param {CaseState} options.state
   * @param {Row[][]} options.groups
   * @param {Source[]} options.sources
   * @param {string[]} options.tokens
   * @param {Walker} options.walker
   * @param {(text: string) => string[]} options.suggest
   * @param {boolean} options.freeForm  whether new questions may be outside the template
   * @param {BoardCalls} options.calls
   */
  constructor(box, { state, groups, sources, tokens, walker, suggest, freeForm, calls }) {
    super(box, { state, tokens, calls, text });
    this.sourceCount = sources.length;
    this.walker = walker;
    this.suggest = suggest;
    this.freeForm = freeForm;
    this.groups = groups.map((rows, position) => this.createGroup(rows, position));
    this.own = this.createOwn();
    box.replaceChildren(...this.groups.map((group) => group.element), this.own.element);
  }

  /** @param {Row[]} rows @param {number} position @returns {Group} */
  createGroup(rows, position) {
    const ids = rows.map((row) => sourceId(row.submission, row.position));
    const { isAgreed, isOneRole, text: standing } = text.standing(rows, this.sourceCount);
    const cards = ids.map((id) => this.card(this.question(id)));
    const best = ids[bestOf(rows)];
    const keptFirst = [best, ...ids.filter((id) => id !== best)];
    const settle = element(
      "button",
      { type: "button", class: "group__settle", "aria-keyshortcuts": "g", onclick: () => this.settle(keptFirst) },
      ids.length > 1 ? t`Keep ${text.nameOf(this.question(best))}, others are duplicates ` : t`Keep `,
      keyHint("g"),
    );
    const id = `group-${position}`;
    const group = element(
      "div",
      { class: isAgreed ? "group group--agreed" : "group", role: "group", "aria-labelledby": id },
      element(
        "div",
        { class: "group__head" },
        element("h3", { class: "group__title", id }, t`Role ${position + 1}`),
        element("p", { class: "group__standing" }, standing),
        settle,
      ),
      element("div", { class: "group__cards" }, ...cards.map((card) => card.element)),
    );
    return { ids, keptFirst, isAgreed, isOneRole, element: group, settle };
  }

  createOwn() {
    const cards = element("div", { class: "group__cards" });
    const host = element("div", { class: "own__box" });
    const add = element(
      "button",
      { type: "button", class: "own__add", "aria-keyshortcuts": "n", onclick: () => this.openNew() },
      t`Write a missing question `,
      keyHint("n"),
    );
    const title = element("h3", { class: "group__title", id: "group-own" }, t`Missing questions`);
    const group = element(
      "div",
      { class: "group group--own", role: "group", "aria-labelledby": "group-own" },
      element("div", { class: "group__head" }, title),
      cards,
      host,
      add,
    );
    return { element: group, cards, host, add };
  }

  /** @param {string} id */
  question(id) {
    const question = find(this.state, id);
    if (!question) throw new Error(`No question ${id}.`);
    return question;
  }

  /** @param {CaseQuestion} question */
  card(question) {
    const existing = this.cards.get(question.id);
    if (existing) return existing;
    const card = new ConsolidationCard(question, this);
    this.cards.set(question.id, card);
    return card;
  }

  // --- rendering

  /** @param {CaseState} state @param {string | null} activeId @param {boolean} locked */
  update(state, activeId, locked) {
    this.updateOwn(state);
    super.update(state, activeId, locked);
    for (const group of this.groups) {
      const open = group.ids.some((id) => this.question(id).verdict === null);
      group.element.classList.toggle("group--settled", !open);
      group.settle.hidden = !open || !group.isOneRole;
    }
  }

  /** @param {CaseState} state */
  updateOwn(state) {
    const own = state.questions.filter((question) => !question.source);
    for (const [id, card] of this.cards) {
      if (id.startsWith("new.") && !find(state, id)) {
        if (card.element.contains(document.activeElement)) this.own.add.focus();
        card.element.remove();
        this.cards.delete(id);
      }
    }
    for (const question of own) {
      if (!this.cards.has(question.id)) this.own.cards.append(this.card(question).element);
    }
  }

  // --- moves of more than one card

  /** @param {string | undefined} id */
  groupOf(id) {
    return this.groups.find((group) => group.ids.some((other) => other === id));
  }

  /**
   * Keep the first question, mark the others as repeating it, then go to the next open one.
   *
   * @param {string[]} ids
   */
  settle(ids) {
    this.calls.act({ type: "settle", groups: [ids] });
    this.focusNextOpen(this.groupOf(ids[0])?.ids.at(-1) ?? null);
  }

  settleAgreed() {
    this.calls.act({ type: "settle", groups: this.agreedAndOpen().map((group) => group.keptFirst) });
    this.focusNextOpen(null);
  }

  agreedAndOpen() {
    return this.groups.filter(({ isAgreed, ids }) => isAgreed && ids.every((id) => this.question(id).verdict === null));
  }

  // A kept question of the group, another one of the group, one that shares an answer's word, or any
  // kept one.
  /** @param {string} id */
  likelyTwin(id) {
    const ids = this.groupOf(id)?.ids ?? [];
    const others = ids.filter((other) => other !== id).map((other) => this.question(other));
    const all = kept(this.state).filter((other) => other.id !== id);
    const question = this.question(id);
    const twin =
      others.find(({ verdict }) => verdict === KEEP) ??
      others.find(({ verdict }) => verdict !== INVALID) ??
      all.find((other) => sharesWords(other, question)) ??
      all[0];
    return twin?.id ?? null;
  }

  openNew() {
    if (this.locked) return;
    if (this.own.host.firstChild) {
      this.own.host.querySelector("input")?.focus();
      return;
    }
    askForQuestion(this.own.host, {
      id: "new-question",
      label: t`The missing question`,
      board: this,
      onDone: (question, byKey, picked) => {
        const id = this.calls.act({ type: "add", question, picked });
        if (byKey && id !== null) this.calls.edit(id, null);
      },
      onClose: (byKey) => {
        if (byKey) this.own.add.focus();
      },
    });
  }

  /** @returns {HTMLElement | null} */
  unfinishedBox() {
    return this.box.querySelector(".card__box input, .own__box input");
  }

  order() {
    return [...this.box.querySelectorAll(".card")].map((card) => /** @type {HTMLElement} */ (card).dataset.id ?? "");
  }

  /** @param {KeyboardEvent} event @param {string | undefined} id */
  handleKey(event, id) {
    const group = this.groupOf(id);
    if (event.key === "n") this.openNew();
    else if (event.key === "G") this.settleAgreed();
    else if (event.key === "g" && group?.isOneRole) this.settle(group.keptFirst);
    else return super.handleKey(event, id);
    return true;
  }
}

/** @extends {Card<ConsolidationBoard>} */
class ConsolidationCard extends Card {
  /** @type {Span | null} The answer whose tools are shown. */
  chosen = null;

  /** @param {CaseQuestion} question @param {ConsolidationBoard} board */
  constructor(question, board) {
    super(question, board);
    this.note = element("p", { class: "card__note", hidden: true });
    this.host = element("div", { class: "card__box" });
    this.tools = element("div", { class: "card__tools", hidden: true });
    const rewrite = this.button(t`Rewrite`, "w", () => this.rewriteText());
    const edit = this.button(t`Answers`, "e", () => this.edit(null));
    const merge = this.button(t`Merge`, "m", () => this.merge());
    const remove = this.button(t`Delete`, "d", () => this.act({ type: "remove" }));
    this.implied = this.button(t`Implied`, "p", () => this.toggleImplied());
    const actions = this.actions(
      [
        [t`Keep`, "k", KEEP],
        [t`Invalid`, "i", INVALID],
        [t`Redundant`, "r", REDUNDANT],
      ],
      [edit, rewrite, merge, remove, this.implied],
    );
    const isOwn = question.source === null;
    /** @type {HTMLElement} */ (actions.firstElementChild).hidden = isOwn;
    merge.hidden = isOwn;
    remove.hidden = !isOwn;
    if (question.source) this.element.dataset.source = String(question.source.submission);
    this.element.append(this.title("h4"), this.host, this.note, this.answers, this.tools, actions, this.repeats);
  }

  // --- rendering

  /** @param {CaseQuestion} question @param {Look} look */
  update(question, look) {
    super.update(question, look);
    this.implied.hidden = !this.canBeImplied();
    this.implied.setAttribute("aria-pressed", String(question.implied === true));
    const isOutside =
      question.verdict === KEEP && question.question !== "" && !this.board.walker.read(question.question);
    this.note.hidden = !isOutside;
    setText(this.note, isOutside ? t`Free-form question. Keep it only if it reads well.` : "");
  }

  // Only what is kept becomes gold.
  canBeImplied() {
    return Boolean(this.board.state.asksImplied) && this.question.verdict === KEEP;
  }

  toggleImplied() {
    if (this.canBeImplied()) this.act({ type: "implied", implied: !this.question.implied });
  }

  /** @param {CaseQuestion} question @param {number[]} clashes */
  updateAnswers({ answers, verdict, contextAnswers }, clashes) {
    const { chosen } = this;
    if (chosen && !answers.some((span) => equal(span, chosen))) this.chosen = null;
    const hadFocus = this.tools.contains(document.activeElement);
    this.updateChips(answers, verdict === KEEP ? clashes : [], contextAnswers ? "" : t`no answer`, this.chosen);
    this.updateTools(answers);
    if (hadFocus && this.tools.hidden) this.focusChip(0);
  }

  /** @param {Span} span @param {boolean} clash */
  chip(span, clash) {
    const chip = super.chip(span, clash);
    chip.setAttribute("aria-expanded", String(this.chosen !== null && equal(this.chosen, span)));
    return chip;
  }

  // --- one answer

  /** @param {Span} span */
  choose(span) {
    this.chosen = this.chosen && equal(this.chosen, span) ? null : span;
    this.board.calls.activate(this.id);
    this.updateAnswers(this.question, [...conflicts(this.board.state).keys()]);
  }

  /** @param {Span[]} answers */
  updateTools(answers) {
    const span = this.chosen;
    this.tools.hidden = span === null;
    const next = span && (answers[answers.findIndex((answer) => equal(answer, span)) + 1] ?? null);
    const others = this.movable();
    if (this.isShown("tools", span, next, others)) return;
    this.tools.replaceChildren(...(span ? this.createTools(span, next, others) : []));
  }

  /** @param {Span} span @param {Span | null} next @param {string[][]} others */
  createTools(span, next, others) {
    /** @type {(label: string, onclick: () => void) => HTMLElement} */
    const tool = (label, onclick) => element("button", { type: "button", class: "tool", onclick }, label);
    const tools = [
      tool(t`Edit in the sentence`, () => this.edit(span)),
      tool(t`Remove`, () => this.act({ type: "unmark", span })),
    ];
    if (next) tools.push(tool(t`Join with the next`, () => this.act({ type: "join", span, other: next })));
    const select = element(
      "select",
      { id: `move-${this.key}` },
      ...others.map(([value, label]) => element("option", { value }, label)),
      element("option", { value: "" }, t`A new question`),
    );
    const move = tool(t`Move`, () => this.act({ type: "move", span, to: select.value || null }));
    const label = element("label", { for: select.id }, t`Move to`);
    return [...tools, element("span", { class: "card__move" }, label, select, move)];
  }

  // Return the questions that an answer can go to, as [id, text].
  movable() {
    return this.board.state.questions
      .filter(({ id, verdict }) => id !== this.id && (verdict === KEEP || verdict === null))
      .map((question) => [question.id, text.named(question)]);
  }

  merge() {
    if (!this.question.source) return;
    this.act({ type: "merge", of: this.question.sameAs ?? this.board.likelyTwin(this.id) });
  }

  rewriteText() {
    if (this.host.firstChild) {
      this.host.querySelector("input")?.focus();
      return;
    }
    /** @param {boolean} byKey */
    const close = (byKey) => {
      this.text.hidden = false;
      if (byKey) this.element.focus();
    };
    askForQuestion(this.host, {
      id: `box-${this.key}`,
      label: t`New text of ${text.nameOf(this.question)}`,
      initial: this.question.question,
      board: this.board,
      onDone: (question, byKey, picked) => {
        close(byKey);
        this.act({ type: "rewrite", question, picked });
      },
      onClose: close,
    });
    this.text.hidden = true;
  }
}

/**
 * Open a question box in `host`. Enter or leaving the box takes a finished question, and Escape
 * discards it. The box stays open until the question is finished, or is kept as it is.
 *
 * @param {HTMLElement} host
 * @param {object} options
 * @param {string} options.id
 * @param {string} options.label
 * @param {string} [options.initial]
 * @param {ConsolidationBoard} options.board
 * @param {(question: string, byKey: boolean, picked: number | null) => void} options.onDone  called with the
 *   rank of the suggestion that the question is, or null if it was typed
 * @param {(byKey: boolean) => void} options.onClose
 */
function askForQuestion(host, { id, label, initial = "", board, onDone, onClose }) {
  const { walker, suggest, freeForm } = board;
  let isOpen = true;
  /** @type {number | null} */
  let rank = null;
  /** @param {() => void} done */
  const end = (done) => {
    if (!isOpen) return;
    isOpen = false;
    host.replaceChildren();
    done();
  };
  /** @param {string} question */
  const isFinished = (question) => walker.check(question).state === "complete";
  /** @param {string} question @param {boolean} byKey */
  const take = (question, byKey) => end(() => onDone(text.cleaned(question), byKey, rank));
  const box = new QuestionBox({
    id,
    label,
    walker,
    suggest,
    onInput: (question, picked) => {
      rank = picked;
      const check = walker.check(question);
      box.note(check.state === "wrong" ? `${refusedWord(question, check)}.` : "");
    },
    onFinish: (question) => (isFinished(question) ? take(question, true) : box.note(UNFINISHED)),
    onKeep: freeForm ? () => take(box.text, true) : null,
  });
  box.element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    event.preventDefault();
    end(() => onClose(true));
  });
  box.element.addEventListener("focusout", (event) => {
    const question = box.text.trim();
    if (!isOpen || box.element.contains(/** @type {Node | null} */ (event.relatedTarget))) return;
    if (question === "" || question === initial) end(() => onClose(false));
    else if (isFinished(question)) take(question, false);
    else box.note(UNFINISHED);
  });
  host.replaceChildren(box.element);
  box.show(initial);
  box.input.focus();
  box.input.select();
}
