// The consolidator's page: the answers of several annotators side by side become one.

/** @import { ItemData, OnChange } from "../../work/contract.js" */
/** @import { ShownBox } from "../grounding/grounding-types.js" */
/** @import { BoxCard } from "./box-card.js" */
/** @import { Answers, Field, Problem, State } from "./custom-types.js" */
/** @import { FieldCard } from "./field-card.js" */
/** @import { Part } from "./merging.js" */
/** @import { Mark } from "./texts.js" */

import { counted, element, setText, t } from "../../html.js";
import { ignoresKey, keyHint } from "../../shortcuts.js";
import { isAnswered, withNone } from "./answers.js";
import { isSpanCard } from "./card-types.js";
import { FormPage } from "./form-page.js";
import { agreement, begin, hasParts, partsOf, partsWith, withParts } from "./merging.js";

const LETTERS = "ABCDEFGH";
// Starts the keys of boxes that are not taken. No field's key has it.
const LEFT = "+";

/**
 * What a card shows beside its field: the sources' answers and what to do with them.
 *
 * @typedef {object} Comparison
 * @property {HTMLElement} element
 * @property {HTMLElement} result
 * @property {HTMLElement} state
 * @property {{part: Part, button: HTMLButtonElement, tag: string}[]} parts
 * @property {HTMLButtonElement[]} buttons
 * @property {HTMLButtonElement} edit
 * @property {boolean} isOpen  whether the field is being edited
 */

export class MergePage extends FormPage {
  /** @param {HTMLElement} root @param {ItemData} data @param {OnChange} onChange */
  constructor(root, data, onChange) {
    super(root, data, onChange);
    /** @type {Answers[]} */
    this.sources = (data.sources ?? []).map((/** @type {any} */ source) =>
      withNone(this.definition, source?.answers ?? {}),
    );
    /** @type {string[]} Why sources skipped the item. */
    this.reasons = (data.sources ?? []).map((/** @type {any} */ source) => source?.skipped ?? "");
    this.beginning = begin(this.definition, this.sources);
    /** @type {Map<string, Comparison>} */
    this.comparisons = new Map([...this.cards].map(([key, card]) => [key, this.compare(card)]));
  }

  get heading() {
    return /** @type {"h2" | "h3"} */ ("h3");
  }

  // Fields on which the annotators differ come first.
  arrange() {
    const cards = [...this.cards.values()];
    const isAgreed = (/** @type {FieldCard} */ { field }) => this.beginning.settled.includes(field.key);
    const groups = [
      { title: t`Different answers`, cards: cards.filter((card) => !isAgreed(card)) },
      { title: t`Same answers`, cards: cards.filter(isAgreed) },
    ];
    const sections = groups
      .filter((group) => group.cards.length > 0)
      .map((group) =>
        element(
          "section",
          { class: "merge__group" },
          element("h2", {}, group.title),
          ...group.cards.map((card) => card.element),
        ),
      );
    this.ref("fields").replaceChildren(...sections);
    const first = groups[0].cards[0]?.field.key;
    if (first) this.active = first;
  }

  // --- the contract of a work page

  /** @param {any} content @returns {State & {settled: string[]}} */
  resume(content) {
    if (!content?.answers) return { ...this.beginning, skipped: this.skippedByAll() };
    return { answers: content.answers, settled: content.settled ?? [], skipped: content.skipped ?? null };
  }

  get settled() {
    return /** @type {State & {settled: string[]}} */ (this.state).settled ?? [];
  }

  content() {
    return { ...super.content(), settled: this.settled };
  }

  // The first reason if all annotators skipped the item.
  skippedByAll() {
    const reasons = this.reasons.filter(Boolean);
    return reasons.length > 0 && reasons.length === this.sources.length ? reasons[0] : null;
  }

  /** @returns {Problem[]} */
  problems() {
    if (this.state.skipped !== null) return super.problems();
    const open = this.openFields().map(({ key, label }) => ({
      path: `answers.${key}`,
      message: t`${label || key}: the annotators differ. Take one side, or edit the answer.`,
    }));
    return [...open, ...super.problems().filter(({ path }) => !open.some((problem) => path.startsWith(problem.path)))];
  }

  /** @param {Problem} problem */
  focusProblem(problem) {
    const key = problem.path.split(".")[1];
    const field = this.definition.fields.find((each) => each.key === key);
    if (field && !this.openFields().includes(field)) this.openEditor(key);
    if (field && this.openFields().includes(field)) this.goTo(key);
    else super.focusProblem(problem);
  }

  openFields() {
    return this.shownFields().filter(({ key }) => !this.settled.includes(key));
  }

  /** @returns {import("../../work/contract.js").ItemStatus} */
  status() {
    if (this.isReady()) return "done";
    return this.settled.length > this.beginning.settled.length ? "started" : "new";
  }

  focus() {
    const [first] = this.openFields();
    if (first) this.goTo(first.key);
    else super.focus();
  }

  // --- changes

  /** @param {Field} field @param {Answers} answers @param {string} label @param {string | null} [mergeKey] */
  change(field, answers, label, mergeKey = null) {
    if (this.locked) return;
    this.settle(field.key);
    super.change(field, answers, label, mergeKey);
  }

  /** @param {string} key */
  settle(key) {
    const settled = [...new Set([...this.settled, key])];
    this.assign({ ...this.state, settled });
  }

  /** @param {Field} field @param {Part[]} parts @param {string} label */
  store(field, parts, label) {
    this.active = field.key;
    this.change(field, withParts(this.definition, { ...this.state.answers }, field, parts), label);
  }

  /** @param {Field} field @param {number} at  of the source */
  take(field, at) {
    const source = this.sources[at];
    if (!source) return;
    const label = `${field.label}: annotator ${LETTERS[at]}`;
    this.store(field, partsOf(field, source), label);
    this.decided(field, `${label}.`);
  }

  /** @param {Field} field */
  takeAll(field) {
    /** @type {Part[]} */
    let parts = [];
    for (const source of [...this.sources].reverse()) {
      for (const part of partsOf(field, source)) parts = partsWith(field, parts, part);
    }
    this.store(field, parts, `${field.label}: all`);
    this.decided(field, t`${field.label}: the parts of all annotators.`);
  }

  /** @param {Field} field */
  keep(field) {
    this.active = field.key;
    this.change(field, this.state.answers, t`${field.label}: as chosen`);
    this.decided(field, t`${field.label}: as chosen.`);
  }

  /** @param {Field} field @param {string} text */
  decided(field, text) {
    const open = this.openFields().find(({ key }) => key !== field.key);
    if (open) this.goTo(open.key);
    else this.cards.get(field.key)?.element.focus({ preventScroll: true });
    this.say(open ? text : t`${text} Everything is decided.`);
  }

  /** @param {Field} field @param {Part} part */
  toggle(field, part) {
    const parts = partsOf(field, this.state.answers);
    const isIn = parts.some(({ key }) => key === part.key);
    const next = isIn ? parts.filter(({ key }) => key !== part.key) : partsWith(field, parts, part);
    const action = isIn ? t`removing` : t`taking`;
    this.store(field, next, t`${action} a part of ${field.label}`);
  }

  /** @param {string} key */
  openEditor(key) {
    const comparison = this.comparisons.get(key);
    if (!comparison || comparison.isOpen) return;
    comparison.isOpen = true;
    this.active = key;
    this.render();
  }

  /** @param {Field} field */
  edit(field) {
    this.openEditor(field.key);
    this.activate(field.key);
    this.cards.get(field.key)?.focus();
  }

  /** @param {string} key */
  goTo(key) {
    const card = this.cards.get(key);
    this.activate(key);
    card?.element.focus({ preventScroll: true });
    card?.element.scrollIntoView({ block: "nearest" });
  }

  /** @param {KeyboardEvent} event */
  keyDown(event) {
    const target = event.target instanceof HTMLElement ? event.target : null;
    const key = target?.closest("[data-field]")?.getAttribute("data-field") ?? "";
    const card = this.cards.get(key);
    const isInside = target && card?.body.contains(target);
    if (!card || isInside || this.locked || ignoresKey(event)) return super.keyDown(event);
    if (!this.press(card.field, event.key)) return super.keyDown(event);
    event.preventDefault();
  }

  /** @param {Field} field @param {string} key */
  press(field, key) {
    const at = Number(key) - 1;
    if (this.sources[at]) this.take(field, at);
    else if (at === this.sources.length && hasParts(field)) this.takeAll(field);
    else if (key.toLowerCase() === "e") this.edit(field);
    else if (key.toLowerCase() === "o") this.keep(field);
    else return false;
    return true;
  }

  // --- the comparison of a card

  /** @param {FieldCard} card @returns {Comparison} */
  compare(card) {
    const { field } = card;
    const { agreed, isWhole, count } = agreement(this.definition, this.sources, field);
    /** @type {Comparison["parts"]} */
    const parts = [];
    const columns = this.sources.map((source, at) => this.column(card, source, at, agreed, parts));
    const grid = element("div", { class: "merge__sources" }, ...columns);
    const takes = this.sources.map((_, at) =>
      this.button(`Take ${LETTERS[at]}`, String(at + 1), () => this.take(field, at)),
    );
    const all = this.button(t`Take all`, String(this.sources.length + 1), () => this.takeAll(field));
    const keep = this.button(t`Keep as chosen`, "o", () => this.keep(field));
    const edit = this.button(t`Edit`, "e", () => this.edit(field));
    const isDifferent = !isWhole;
    const buttons = [...(isDifferent ? takes : []), ...(isDifferent && hasParts(field) ? [all, keep] : []), edit];
    const state = element("span", { class: "merge__state" });
    const result = element("ul", { class: "merge__result", "aria-label": t`Result: ${field.label}` });
    const box = element(
      "div",
      { class: "merge" },
      ...(isDifferent && count > 0 ? [grid] : []),
      element("div", { class: "merge__buttons" }, ...buttons),
      result,
    );
    card.title.append(" ", state);
    card.body.before(box);
    return { element: box, result, state, parts, buttons, edit, isOpen: count === 0 };
  }

  /**
   * Return the answer of a source. What all agree on is not shown twice.
   *
   * @param {FieldCard} card
   * @param {Answers} source
   * @param {number} at
   * @param {Part[]} agreed
   * @param {Comparison["parts"]} parts
   */
  column(card, source, at, agreed, parts) {
    const { field } = card;
    const title = element("h4", { class: "merge__title" }, `Annotator ${LETTERS[at]}`);
    const own = partsOf(field, source);
    const lines = own.length > 0 ? card.lines(source[field.key], source) : [];
    const rows = own.map((part, place) => {
      const isAgreed = agreed.some(({ key }) => key === part.key);
      if (!hasParts(field)) return element("li", { dir: "auto", class: "merge__value" }, lines[place]);
      const letter = field.type === "boxes" ? LETTERS[at] : "";
      const button = element(
        "button",
        { type: "button", class: "merge__part", onclick: () => this.toggle(field, part) },
        element("span", { dir: "auto" }, `${letter}${lines[place]}`),
      );
      parts.push({ part, button, tag: `${letter}${place + 1}` });
      return element("li", { class: isAgreed ? "merge__agreed" : null }, button);
    });
    const reason = this.reasons[at];
    const empty = element("p", { class: "quiet merge__none" }, reason ? t`Skipped: ${reason}` : t`No answer`);
    return element(
      "div",
      { class: "merge__source" },
      title,
      rows.length ? element("ul", { class: "merge__parts" }, ...rows) : empty,
    );
  }

  /** @param {string} label @param {string} key @param {() => void} onclick */
  button(label, key, onclick) {
    return element("button", { type: "button", onclick, "aria-keyshortcuts": key }, label, keyHint(key));
  }

  // --- rendering

  render() {
    super.render();
    if (!this.comparisons) return;
    for (const [key, comparison] of this.comparisons) {
      const card = /** @type {FieldCard} */ (this.cards.get(key));
      if (!card.element.hidden) this.renderComparison(card, comparison);
    }
    const open = this.openFields().length;
    setText(this.ref("summary"), open === 0 ? t`Everything is decided.` : t`${counted(open, "field")} to decide`);
  }

  /** @param {FieldCard} card @param {Comparison} comparison */
  renderComparison(card, comparison) {
    const { field } = card;
    const { answers } = this.state;
    const isSettled = this.settled.includes(field.key);
    setText(comparison.state, isSettled ? "" : t`to decide`);
    card.element.classList.toggle("merge__open", !isSettled);
    const keys = new Set(partsOf(field, answers).map((part) => part.key));
    for (const { part, button } of comparison.parts) {
      button.setAttribute("aria-pressed", String(keys.has(part.key)));
      button.disabled = this.locked;
    }
    for (const button of comparison.buttons) button.disabled = this.locked;
    card.body.hidden = !comparison.isOpen;
    comparison.edit.hidden = comparison.isOpen;
    const isShown = !comparison.isOpen && isSettled;
    const lines = isShown && isAnswered(field, answers[field.key]) ? card.lines(answers[field.key], answers) : [];
    comparison.result.hidden = !isShown;
    const texts = lines.length > 0 ? lines : [t`No answer`];
    const key = JSON.stringify(texts);
    if (comparison.result.dataset.shown === key) return;
    comparison.result.dataset.shown = key;
    comparison.result.replaceChildren(...texts.map((line) => element("li", { dir: "auto" }, line)));
  }

  // The boxes that are not taken are in the picture too.
  otherBoxes() {
    return this.boxCards()
      .filter((card) => !card.element.hidden)
      .flatMap((card) => this.boxesLeft(card));
  }

  /** @param {BoxCard} card @returns {ShownBox[]} */
  boxesLeft(card) {
    const parts = this.comparisons?.get(card.field.key)?.parts ?? [];
    const known = new Set(partsOf(card.field, this.state.answers).map(({ key }) => key));
    return parts.flatMap(({ part: { key, value }, tag }, at) => {
      if (known.has(key)) return [];
      known.add(key);
      const colour = card.colourOf(value.label);
      return { key: `${LEFT}${card.field.key}:${at}`, box: value.box, kind: "other", colour, tag, locked: true };
    });
  }

  /** @param {string} key  of a box that is not taken */
  pickBox(key) {
    const [field, at] = key.slice(LEFT.length).split(":");
    this.comparisons.get(field)?.parts[Number(at)].button.click();
  }

  // Labels are for a field that is being edited.
  /** @param {Set<string>} shown */
  renderPalette(shown) {
    if (this.comparisons?.get(this.active)?.isOpen) super.renderPalette(shown);
    else if (!this.marking?.relating.showLabels()) this.marking?.palette.hide();
  }

  /** @param {Set<string>} shown @returns {Mark[]} */
  marks(shown) {
    const card = this.cards.get(this.active);
    const marks = super.marks(shown);
    if (!isSpanCard(card) || !this.comparisons) return marks;
    const keys = new Set(partsOf(card.field, this.state.answers).map(({ key }) => key));
    const others = (this.comparisons.get(this.active)?.parts ?? []).filter(({ part }) => !keys.has(part.key));
    const left = others.map(({ part: { value } }) => ({
      start: value.start,
      end: value.end,
      look: "other",
      label: t`not taken: ${card.labelOf(value.label)}`,
      tag: "",
    }));
    return [...left, ...marks];
  }
}
