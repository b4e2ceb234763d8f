// The questions of a case as cards: what the cards of consolidators and validators have in common.
//
// Keys act on the card that has the focus. Each board adds its own keys.

/** @import { Span } from "../../spans.js" */
/** @import { BoardCalls, CaseQuestion, CaseState, CaseText, Look, Move, Verdict } from "./case-types.js" */

import { corpusText, element, quoted, setText, t } from "../../html.js";
import { ignoresKey, keyHint } from "../../shortcuts.js";
import { contains } from "../../spans.js";
import { spanText } from "../../written-text.js";
import { conflicts, find, KEEP, REDUNDANT } from "./case-state.js";

/**
 * Return the texts of the moves that both roles call the same.
 *
 * @param {string} who  the question's name
 */
export function moveTexts(who) {
  return {
    invalid: t`${who} invalid`,
    unjudge: t`reopen ${who}`,
    mark: t`answer to ${who}`,
    unmark: t`remove answer to ${who}`,
    split: t`split answer to ${who}`,
    cut: t`cut words of ${who}`,
  };
}

export class Board {
  /** @type {Map<string, Card>} */
  cards = new Map();

  locked = false;

  /** @type {string | null} */
  activeId = null;

  /**
   * @param {HTMLElement} box
   * @param {{state: CaseState, tokens: string[], calls: BoardCalls, text: CaseText}} options
   */
  constructor(box, { state, tokens, calls, text }) {
    this.box = box;
    this.state = state;
    this.tokens = tokens;
    this.calls = calls;
    this.text = text;
    box.addEventListener("keydown", (event) => this.keyDown(event));
    // A click beside the cards takes the focus from them. The arrow keys bring it back.
    document.addEventListener("keydown", (event) => {
      if (event.target === document.body && box.isConnected) this.returnFocus(event);
    });
  }

  /** @param {CaseState} state @param {string | null} activeId @param {boolean} locked */
  update(state, activeId, locked) {
    this.state = state;
    this.activeId = activeId;
    this.locked = locked;
    const clashes = [...conflicts(state).keys()];
    for (const question of state.questions) {
      this.cards.get(question.id)?.update(question, { clashes, isActive: question.id === activeId });
    }
    if (!locked) return;
    for (const control of this.box.querySelectorAll("button, select, input")) control.setAttribute("disabled", "");
  }

  /** @returns {HTMLElement | null} the box of a question that is not finished yet */
  unfinishedBox() {
    return null;
  }

  /**
   * Return the question that a question most likely repeats.
   *
   * @param {string} id
   * @returns {string | null}
   */
  likelyTwin(id) {
    throw new Error(`No twin for ${id}: a board defines this.`);
  }

  order() {
    return [...this.cards.keys()];
  }

  /** @param {string} id */
  focus(id) {
    this.cards.get(id)?.element.focus();
  }

  /**
   * Focus the next question without a verdict, from the first one after the last. Return false if
   * there is none.
   *
   * @param {string | null} after
   */
  focusNextOpen(after) {
    const ids = this.order();
    const from = after === null ? 0 : ids.indexOf(after) + 1;
    const open = [...ids.slice(from), ...ids.slice(0, from)].find((id) => find(this.state, id)?.verdict === null);
    if (open !== undefined) this.focus(open);
    return open !== undefined;
  }

  /** @param {KeyboardEvent} event */
  keyDown(event) {
    if (this.locked || ignoresKey(event)) return;
    const card = /** @type {Element} */ (event.target).closest(".card");
    const id = card instanceof HTMLElement ? card.dataset.id : undefined;
    if (this.handleKey(event, id)) event.preventDefault();
  }

  /** @param {KeyboardEvent} event */
  returnFocus(event) {
    if (ignoresKey(event) || !["ArrowDown", "ArrowUp"].includes(event.key) || this.activeId === null) return;
    this.focus(this.activeId);
    event.preventDefault();
  }

  /**
   * Act on a key. Return false if the key keeps its usual meaning.
   *
   * @param {KeyboardEvent} event
   * @param {string | undefined} id
   * @returns {boolean}
   */
  handleKey(event, id) {
    const card = id === undefined ? undefined : this.cards.get(id);
    if (!card) return false;
    if (event.key === "ArrowDown") this.step(card.id, 1);
    else if (event.key === "ArrowUp") this.step(card.id, -1);
    else return card.handleKey(event);
    return true;
  }

  /** @param {string} id @param {1 | -1} by */
  step(id, by) {
    const ids = this.order();
    const next = ids[ids.indexOf(id) + by];
    if (next !== undefined) this.focus(next);
  }
}

/** @template {Board} [B=Board] */
export class Card {
  /** @type {Map<string, string>} What the parts of the card show. */
  shown = new Map();

  /** @type {Map<string, () => void>} What the buttons do, by key. */
  keys = new Map();

  /** @type {Map<Verdict, HTMLButtonElement>} */
  verdictButtons = new Map();

  /** @param {CaseQuestion} question @param {B} board */
  constructor(question, board) {
    this.id = question.id;
    this.key = question.id.replace(".", "-");
    this.question = question;
    this.board = board;
    this.name = element("span", { class: "card__name" }, board.text.nameOf(question));
    this.text = element("span", { class: "card__text", ...corpusText() });
    this.verdict = element("span", { class: "card__verdict" });
    const outside = question.contextAnswers ?? [];
    this.context = element(
      "span",
      { class: "card__context", hidden: outside.length === 0 },
      t`In context: ${outside.map(quoted).join(", ")}`,
    );
    this.answers = element("ul", { class: "card__answers", "aria-label": t`Answers` });
    this.select = element("select", {
      id: `repeats-${this.key}`,
      onchange: () => this.act({ type: "redundant", of: this.select.value }),
    });
    const label = element("label", { for: `repeats-${this.key}` }, t`Duplicate of`);
    this.repeats = element("p", { class: "card__repeats", hidden: true }, label, this.select);
    this.element = element("article", {
      class: "card",
      id: `card-${this.key}`,
      tabindex: "0",
      "data-id": this.id,
      "aria-labelledby": `title-${this.key}`,
      onfocusin: () => board.calls.activate(this.id),
    });
  }

  /** @param {"h3" | "h4"} level */
  title(level) {
    const attributes = { class: "card__title", id: `title-${this.key}` };
    return element(level, attributes, this.name, " ", this.verdict, " ", this.text, " ", this.context);
  }

  /** @param {string} text @param {string} key @param {() => void} onclick */
  button(text, key, onclick, look = "tool quiet") {
    this.keys.set(key, onclick);
    const attributes = { type: "button", class: look, "aria-keyshortcuts": key, onclick };
    return element("button", attributes, `${text} `, keyHint(key));
  }

  /** @param {[text: string, key: string, verdict: Verdict][]} verdicts @param {HTMLButtonElement[]} others */
  actions(verdicts, others) {
    for (const [text, key, verdict] of verdicts) {
      const button = this.button(text, key, () => this.judge(verdict), "card__verdict-button");
      this.verdictButtons.set(verdict, button);
    }
    const group = { class: "card__verdicts", role: "group", "aria-label": t`Verdict` };
    return element(
      "div",
      { class: "card__actions" },
      element("div", group, ...this.verdictButtons.values()),
      element("div", { class: "card__more" }, ...others),
    );
  }

  /** @param {Omit<Move, "id">} move */
  act(move) {
    return this.board.calls.act({ id: this.id, ...move });
  }

  /** @param {Span | null} span */
  edit(span) {
    this.board.calls.edit(this.id, span);
  }

  /** @param {Verdict} verdict */
  judge(verdict) {
    if (!this.question.source) return;
    if (this.question.verdict === verdict) this.act({ type: "unjudge" });
    else if (verdict === REDUNDANT) this.act({ type: "redundant", of: this.board.likelyTwin(this.id) });
    else this.act({ type: verdict });
  }

  // --- rendering

  /** @param {CaseQuestion} question @param {Look} look */
  update(question, { clashes, isActive }) {
    this.question = question;
    setText(this.text, question.question || t`(no text)`);
    setText(this.verdict, this.board.text.verdictText(question, this.board.state));
    this.element.dataset.verdict = question.verdict ?? "open";
    this.element.classList.toggle("card--active", isActive);
    for (const [verdict, button] of this.verdictButtons) {
      button.setAttribute("aria-pressed", String(question.verdict === verdict));
    }
    this.updateRepeats(question);
    this.updateAnswers(question, clashes);
  }

  /** @returns {CaseQuestion[]} */
  repeatable() {
    return this.board.state.questions.filter(({ verdict }) => verdict === KEEP);
  }

  /** @param {CaseQuestion} question */
  updateRepeats({ verdict, sameAs }) {
    this.repeats.hidden = verdict !== REDUNDANT;
    if (verdict !== REDUNDANT) return;
    const choices = this.repeatable().map((question) => [question.id, this.board.text.named(question)]);
    if (this.isShown("repeats", choices, sameAs)) return;
    this.select.replaceChildren(
      ...choices.map(([value, text]) => element("option", { value, selected: value === sameAs }, text)),
    );
  }

  /**
   * Return true if a part of the card already shows these values. Its elements must then stay, so that
   * a press that moves the focus still ends as a click.
   *
   * @param {string} part
   * @param {...unknown} values
   */
  isShown(part, ...values) {
    const text = JSON.stringify(values);
    const isShown = this.shown.get(part) === text;
    this.shown.set(part, text);
    return isShown;
  }

  /** @param {CaseQuestion} question @param {number[]} clashes */
  updateAnswers({ answers, verdict }, clashes) {
    this.updateChips(answers, verdict === KEEP ? clashes : [], t`no answer`);
  }

  /**
   * @param {Span[]} answers
   * @param {number[]} clashes
   * @param {string} none  shown if there is no answer
   * @param {Span | null} chosen
   */
  updateChips(answers, clashes, none, chosen = null) {
    const states = answers.map((span) => clashes.some((token) => contains(span, token)));
    if (this.isShown("chips", answers, states, chosen, none)) return;
    const focused = this.chips().indexOf(/** @type {HTMLElement} */ (document.activeElement));
    this.answers.replaceChildren(
      ...answers.map((span, position) => element("li", {}, this.chip(span, states[position]))),
    );
    if (answers.length === 0 && none) this.answers.append(element("li", { class: "card__none quiet small" }, none));
    this.answers.hidden = this.answers.children.length === 0;
    if (focused >= 0) this.focusChip(focused);
  }

  /** @returns {HTMLElement[]} */
  chips() {
    return [.../** @type {NodeListOf<HTMLElement>} */ (this.answers.querySelectorAll(".chip"))];
  }

  /** @param {number} position */
  focusChip(position) {
    const chips = this.chips();
    (chips[Math.min(position, chips.length - 1)] ?? this.element).focus();
  }

  /** @param {Span} span @param {boolean} clash */
  chip(span, clash) {
    const attributes = {
      type: "button",
      class: clash ? "chip chip--conflict" : "chip",
      "data-start": span[0],
      onclick: () => this.choose(span),
    };
    const chip = element("button", attributes, element("bdi", corpusText(), spanText(this.board.tokens, span)));
    if (clash) chip.append(element("span", { class: "chip__conflict" }, " overlaps"));
    return chip;
  }

  /** @param {Span} span */
  choose(span) {
    this.edit(span);
  }

  // --- keys

  focusedAnswer() {
    const focused = document.activeElement;
    const start = focused instanceof HTMLElement ? focused.dataset.start : undefined;
    return this.question.answers.find((span) => String(span[0]) === start) ?? null;
  }

  /** @param {KeyboardEvent} event */
  handleKey({ key, target }) {
    const span = this.focusedAnswer();
    const act = this.keys.get(key);
    if (key === "e") this.edit(span);
    else if (act) act();
    else if (key === "Enter" && target === this.element) this.edit(null);
    else if ((key === "Delete" || key === "Backspace") && span) this.act({ type: "unmark", span });
    else return false;
    return true;
  }
}
