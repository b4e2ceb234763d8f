// The annotator's page: the texts of an item, and below them the fields of the form.

/** @import { Span as Range } from "../../spans.js" */
/** @import { ItemData, OnChange, Work } from "../../work/contract.js" */
/** @import { Answers, Definition, Field, Problem, State, Text } from "./custom-types.js" */
/** @import { Mark } from "./texts.js" */

import { dropWaiting } from "../../announcements.js";
import { element, quoted, ref, setText } from "../../html.js";
import { ignoresKey } from "../../shortcuts.js";
import { keepClearOf } from "../../work/sticky.js";
import { countUnits, isAnswered, problemsOf, shownFields, submissionOf, withNone } from "./answers.js";
import { BoxCard } from "./box-card.js";
import { FieldCard, ValueCard } from "./field-card.js";
import { Palette, showNote } from "./palette.js";
import { PicturePane } from "./picture-pane.js";
import { QuestionCard } from "./question-card.js";
import { Relating } from "./relating.js";
import { RelationCard } from "./relation-card.js";
import { SpanCard } from "./span-card.js";
import { Texts } from "./texts.js";

const TYPED = "input:not([type=radio], [type=checkbox]), select, textarea";
const TITLE_WORDS = 6;

/** @type {Record<string, new (page: any, field: Field) => FieldCard>} */
const CARDS = { spans: SpanCard, relations: RelationCard, questions: QuestionCard, boxes: BoxCard };

/** @typedef {SpanCard | QuestionCard} TextCard */

/** @implements {Work} */
export class FormPage {
  /** @param {HTMLElement} root @param {ItemData} data @param {OnChange} onChange */
  constructor(root, data, onChange) {
    this.root = root;
    this.data = data;
    this.onChange = onChange;
    this.locked = data.locked;
    this.id = `item-${data.id}`;
    /** @type {Definition} */
    this.definition = { ...data.shared.definition, hasPicture: Boolean(data.data.image) };
    /** @type {State} */
    this.state = { answers: {}, skipped: null };
    /** @type {string} The field that the worker is at. */
    this.active = this.definition.fields[0]?.key ?? "";
    this.palette = new Palette(this.ref("palette"));
    this.relating = new Relating(this);
    this.texts = this.createTexts();
    const textHelp = root.querySelector(".sentence-help");
    if (textHelp instanceof HTMLElement) textHelp.hidden = this.texts.marked.size === 0;
    this.picture = new PicturePane(this, this.ref("picture"), data.data.image);
    /** @type {Map<string, FieldCard>} */
    this.cards = new Map(this.definition.fields.map((field) => [field.key, this.createCard(field)]));
    this.skipText = ref(root, "skip-reason", HTMLInputElement);
  }

  // Whether answers can't be changed.
  get isReadOnly() {
    return this.locked;
  }

  get canSkip() {
    return this.definition.skip;
  }

  // The level of the fields' headings.
  get heading() {
    return /** @type {"h2" | "h3"} */ ("h2");
  }

  // Show the draft. Subclasses have built their parts by then.
  open() {
    const { instructions, item } = this.definition;
    const box = this.ref("instructions");
    box.hidden = !instructions;
    setText(box, instructions);
    this.arrange();
    this.ref("skip").hidden = !this.canSkip;
    setText(this.ref("skip-title"), `Skip this ${item?.one ?? "item"}`);
    this.listen();
    this.picture.open();
    this.state = this.resume(this.data.content);
    this.showDisputes();
    this.render();
    return this;
  }

  // Say what verifiers dispute, on the page of a revision.
  showDisputes() {
    /** @type {{field: string, at: number}[]} */
    const units = this.data.disputes?.units ?? [];
    const { answers } = this.state;
    const lines = units.flatMap(({ field: key, at }) => {
      const card = this.cards.get(key);
      const line = card && isAnswered(card.field, answers[key]) ? card.lines(answers[key], answers)[at] : undefined;
      return line === undefined ? [] : [`${card?.field.label}: ${line}`];
    });
    const box = this.root.querySelector("[data-disputes]");
    if (!(box instanceof HTMLElement) || lines.length === 0) return;
    box.hidden = false;
    ref(box, "disputes-list").replaceChildren(...lines.map((line) => element("li", { dir: "auto" }, line)));
  }

  // Put the cards into the page.
  arrange() {
    this.ref("fields").replaceChildren(...[...this.cards.values()].map((card) => card.element));
  }

  /** @param {string} name */
  ref(name) {
    return ref(this.root, name);
  }

  /** @param {any} content @returns {State} */
  resume(content) {
    const answers = content?.answers ?? {};
    // A revision starts with content that was submitted.
    return {
      answers: this.data.disputes ? withNone(this.definition, answers) : answers,
      skipped: content?.skipped ?? null,
    };
  }

  /** @returns {Texts} */
  createTexts() {
    /** @type {Text[]} */
    const texts = this.data.data.texts ?? [];
    const { fields } = this.definition;
    const selectable = new Set(
      fields.filter(({ type }) => ["spans", "questions"].includes(type)).map(({ text = "" }) => text),
    );
    return new Texts(this.ref("texts"), {
      id: `${this.id}-text`,
      tokens: this.data.tokens,
      texts,
      selectable,
      help: this.root.querySelector("#text-help") ? "text-help" : null,
      needsLabel: (key) => this.relating.isOn || Boolean(this.cardFor(key)?.needsLabel()),
      onFocus: (key) => this.enterText(key),
      onSelect: (key, span) => this.selected(key, span),
      onChoose: (key, span) => this.chosen(key, span),
      onKey: (key, token, letter) => this.pressInText(key, token, letter),
      onRemove: (key, token) => this.cardFor(key)?.remove(token),
      onLeave: (key, where, token) => this.leaveText(key, where, token),
    });
  }

  /** @param {Field} field */
  createCard(field) {
    const card = new (CARDS[field.type] ?? ValueCard)(this, field);
    card.element.addEventListener("focusin", () => this.activate(field.key));
    return card;
  }

  listen() {
    this.root.addEventListener("keydown", (event) => this.keyDown(event));
    const hero = this.ref("hero");
    new ResizeObserver(() => {
      keepClearOf(hero, "Top");
      this.texts.measure();
    }).observe(hero);
    this.skipText.addEventListener("input", () => {
      this.state = { ...this.state, skipped: this.skipText.value };
      this.onChange({ label: "writing the reason", mergeKey: "write skip" });
    });
    this.ref("skip-button").addEventListener("click", () => this.skip(this.state.skipped === null ? "" : null));
  }

  // --- the contract of a work page

  /** @returns {any} */
  content() {
    const { answers, skipped } = this.state;
    return skipped === null ? { answers } : { skipped, answers };
  }

  submission() {
    return submissionOf(this.definition, this.state);
  }

  /** @returns {Problem[]} */
  problems() {
    return problemsOf(this.definition, this.state);
  }

  isReady() {
    return this.problems().length === 0;
  }

  /** @param {Problem} problem */
  focusProblem({ path }) {
    const [start, key, ...rest] = path.split(".");
    if (start === "skipped") return this.skipText.focus();
    const card = this.cards.get(key);
    if (!card) return this.focus();
    this.activate(key);
    card.focus(rest);
    card.element.scrollIntoView({ block: "nearest" });
  }

  /** @param {string} path @param {string} message @returns {Problem} */
  problemAt(path, message) {
    const [, key, part] = path.split(".");
    const field = this.definition.fields.find((each) => each.key === key);
    if (!field) return { path, message: `${path} ${message}` };
    const number = part === undefined ? "" : ` ${Number(part) + 1}`;
    return { path, message: `${field.label || key}${number}: ${message}` };
  }

  /** @returns {import("../../work/contract.js").ItemStatus} */
  status() {
    if (this.state.skipped !== null) return "skipped";
    const answered = this.shownFields().filter((field) => isAnswered(field, this.state.answers[field.key]));
    if (answered.length === 0) return "new";
    return this.isReady() ? "done" : "started";
  }

  title() {
    const text = this.texts.texts[0];
    return text ? this.texts.written([text.start, Math.min(text.end, text.start + TITLE_WORDS)]) : "";
  }

  step() {
    return this.state.skipped === null ? this.active : "skip";
  }

  units() {
    return countUnits(this.definition, this.state);
  }

  focus() {
    if (this.state.skipped !== null) return this.skipText.focus();
    const shown = this.shownFields();
    const open = shown.find((field) => !isAnswered(field, this.state.answers[field.key]));
    this.cards.get((open ?? shown[0])?.key)?.focus();
  }

  shown() {
    this.texts.measure();
    this.picture.measure();
  }

  snapshot() {
    return this.state;
  }

  /** @param {State} state */
  restore(state) {
    this.state = state;
    this.texts.clear();
    this.relating.cancel({ isQuiet: true });
    this.picture.reset();
    this.render();
  }

  /** @param {any} content */
  load(content) {
    this.restore(this.resume(content));
  }

  /** @param {any} content */
  describe(content) {
    const { answers, skipped } = this.resume(content);
    if (skipped !== null) return [`Skipped: ${skipped}`];
    return this.definition.fields
      .filter((field) => isAnswered(field, answers[field.key]))
      .flatMap((field) =>
        (this.cards.get(field.key)?.lines(answers[field.key], answers) ?? []).map((line) => `${field.label}: ${line}`),
      );
  }

  lock() {
    this.locked = true;
    this.picture.reset();
    this.render();
  }

  destroy() {
    this.picture.close();
  }

  // --- changes

  /** @param {Field} field @param {any} value @param {string} label @param {string | null} [mergeKey] */
  set(field, value, label, mergeKey = null) {
    const answers = { ...this.state.answers };
    if (value === undefined || value === "" || (Array.isArray(value) && value.length === 0)) delete answers[field.key];
    else answers[field.key] = value;
    this.change(field, answers, label, mergeKey);
  }

  /** @param {Field} _field @param {Answers} answers @param {string} label @param {string | null} [mergeKey] */
  change(_field, answers, label, mergeKey = null) {
    if (this.locked) return;
    this.state = { ...this.state, answers };
    this.render();
    this.onChange({ label, mergeKey });
  }

  /** @param {any} state */
  assign(state) {
    this.state = state;
  }

  /** @param {string | null} reason */
  skip(reason) {
    if (this.locked) return;
    this.state = { ...this.state, skipped: reason };
    this.render();
    const noun = this.definition.item?.one ?? "item";
    this.onChange({ label: reason === null ? `annotating the ${noun}` : `skipping the ${noun}` });
    this.focus();
  }

  // --- fields

  shownFields() {
    return shownFields(this.definition, this.state.answers);
  }

  /** @param {string} key */
  activate(key) {
    if (this.active === key) return;
    this.active = key;
    this.texts.clear();
    this.render();
  }

  boxCards() {
    return [...this.cards.values()].filter((card) => card instanceof BoxCard);
  }

  /** @param {SpanCard} card @returns {RelationCard[]} */
  relationCards(card) {
    const shown = new Set(this.shownFields().map(({ key }) => key));
    return [...this.cards.values()]
      .filter((each) => each instanceof RelationCard)
      .filter(({ field }) => field.spans === card.field.key && shown.has(field.key));
  }

  /**
   * Go to the next field without an answer, and from the last one to the button that submits.
   *
   * @param {string} key
   */
  goOn(key, { isQuiet = false } = {}) {
    const shown = this.shownFields();
    const at = shown.findIndex((field) => field.key === key);
    const isOpen = (/** @type {Field} */ field) =>
      field.key !== key && !isAnswered(field, this.state.answers[field.key]);
    const isNeeded = (/** @type {Field} */ field) => isOpen(field) && field.required !== false;
    const next = shown.slice(at + 1).find(isOpen) ?? shown.find(isNeeded);
    if (next) return this.goTo(next.key);
    if (isQuiet) return;
    const button = document.querySelector("[data-next]:not([hidden]), [data-submit]:not([hidden])");
    if (button instanceof HTMLElement) button.focus();
    this.say("This was the last field.");
  }

  /** @param {number} by */
  stepBy(by) {
    const shown = this.shownFields();
    const at = shown.findIndex(({ key }) => key === this.active);
    const next = shown[(at + by + shown.length) % shown.length];
    if (next) this.goTo(next.key);
  }

  /** @param {string} key */
  goTo(key) {
    const card = this.cards.get(key);
    this.activate(key);
    card?.focus();
    card?.element.scrollIntoView({ block: "nearest" });
  }

  /** @param {KeyboardEvent} event */
  keyDown(event) {
    const target = event.target instanceof HTMLElement ? event.target : null;
    if (event.key === "Enter" && !event.defaultPrevented && target?.matches("[type=radio], [type=checkbox]")) {
      // Enter would submit the form.
      if (event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      if (target.closest("[data-field]")) this.goOn(this.active);
      return;
    }
    if (ignoresKey(event, TYPED)) return;
    const key = target?.closest("[data-field]")?.getAttribute("data-field");
    const card = this.cards.get(key ?? "") ?? (target?.closest("[data-picture]") ? this.picture.active() : null);
    const letter = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (card?.press(letter)) event.preventDefault();
    else if (letter === "n") this.goOn(this.active);
    else if (letter === "j") this.stepBy(1);
    else if (letter === "k") this.stepBy(-1);
    else return;
    event.preventDefault();
  }

  // --- the texts

  /**
   * Return the field whose answers are marked in a text: the current one if it has this text.
   *
   * @param {string} text
   * @returns {TextCard | null}
   */
  cardFor(text) {
    const isFor = (/** @type {FieldCard | undefined} */ card) =>
      (card instanceof SpanCard || card instanceof QuestionCard) && card.field.text === text ? card : null;
    const current = isFor(this.cards?.get(this.active));
    if (current) return current;
    const first = this.shownFields().find(({ key }) => isFor(this.cards.get(key)));
    return first ? isFor(this.cards.get(first.key)) : null;
  }

  // The field whose labels are shown.
  markedCard() {
    const card = this.cards.get(this.active);
    return card instanceof SpanCard || card instanceof QuestionCard ? card : null;
  }

  /** @param {string} text */
  enterText(text) {
    const card = this.cardFor(text);
    if (card && card.field.key !== this.active) this.activate(card.field.key);
  }

  /** @param {string} text @param {Range | null} span */
  selected(text, span) {
    if (!span) return;
    this.enterText(text);
    if (this.relating.take(text, span[0])) return;
    const words = quoted(this.texts.written(span));
    const card = this.cardFor(text);
    if (card?.needsLabel()) this.say(`${words}: choose a label.`);
    else this.say(`${words}: choose the last word, or the same word again.`);
  }

  /** @param {string} text @param {Range} span */
  chosen(text, span) {
    if (!this.locked) this.cardFor(text)?.add(span);
  }

  /** @param {string} text @param {number} token @param {string} letter */
  pressInText(text, token, letter) {
    const key = letter.toLowerCase();
    const card = this.cardFor(text);
    if (!(card instanceof SpanCard)) return false;
    if (this.relating.press(key)) return true;
    if ((key === "+" || key === "=") && card.spanAt(token) >= 0) {
      this.startRelation(card, card.spanAt(token));
      return true;
    }
    const label = card.needsLabel() && this.texts.marked.get(text)?.selection ? card.keys.get(key) : undefined;
    if (label) this.label(label.key);
    return Boolean(label);
  }

  /**
   * Give the selected words a label.
   *
   * @param {string} label
   */
  label(label) {
    const card = this.markedCard();
    const text = card && this.texts.marked.get(card.field.text ?? "");
    if (!(card instanceof SpanCard) || !text) return;
    const { selection } = text;
    if (!selection) return this.refuse("Select words in the text first.");
    const { start } = text.text;
    text.clear();
    card.add([selection[0] + start, selection[1] + start], label);
    text.cursor = selection[1] - 1;
    text.typed = { text: "", at: 0 };
    text.focus();
  }

  /** @param {string} text @param {"back" | "next"} where @param {number} token */
  leaveText(text, where, token) {
    const card = this.cardFor(text);
    if (this.relating.isOn) {
      if (where === "back") this.relating.cancel();
      else this.relating.take(text, token);
    } else if (where === "back" && card) {
      card.element.focus({ preventScroll: true });
      card.element.scrollIntoView({ block: "nearest" });
    } else if (card instanceof QuestionCard) card.goOn();
    else if (this.texts.marked.get(text)?.selection) this.palette.focus();
    else if (card) card.focusSpanAt(token);
  }

  /** @param {SpanCard} card @param {number} at */
  startRelation(card, at) {
    if (!this.locked) this.relating.start(card, at);
  }

  // --- rendering

  render() {
    const { answers, skipped } = this.state;
    const isSkipped = skipped !== null;
    const shown = new Set(isSkipped ? [] : this.shownFields().map(({ key }) => key));
    for (const [key, card] of this.cards) {
      card.element.hidden = !shown.has(key);
      card.element.classList.toggle("field-card--active", key === this.active);
      if (shown.has(key)) card.render(answers[key], answers);
    }
    this.texts.lock(this.locked || isSkipped);
    this.texts.show(this.marks(shown));
    this.renderPalette(shown);
    this.picture.render();
    this.renderSkip();
  }

  /** @param {Set<string>} shown @returns {Mark[]} */
  marks(shown) {
    const cards = [...this.cards.values()].filter(({ field, usesText }) => usesText && shown.has(field.key));
    const current = this.markedCard() ?? cards[0];
    // Marks of the current field lie above those of others.
    cards.sort((a, b) => Number(a === current) - Number(b === current));
    return cards.flatMap((card) => /** @type {TextCard} */ (card).marks(card === current || cards.length === 1));
  }

  /** @param {Set<string>} shown */
  renderPalette(shown) {
    if (this.relating.showLabels()) return;
    const keys = [this.active, ...this.definition.fields.map(({ key }) => key)];
    const key = keys.find((each) => shown.has(each) && this.cards.get(each) instanceof SpanCard);
    const card = this.markedCard() instanceof QuestionCard ? null : this.cards.get(key ?? "");
    if (!(card instanceof SpanCard) || !card.needsLabel()) return this.palette.hide();
    this.palette.show(card.field.key, `Labels of ${card.field.label}`, card.labels, {
      locked: this.locked,
      onChoose: ({ key: label }) => {
        this.active = card.field.key;
        this.label(label);
      },
    });
  }

  renderSkip() {
    const { skipped } = this.state;
    const isSkipped = skipped !== null;
    const noun = this.definition.item?.one ?? "item";
    this.ref("skip-field").hidden = !isSkipped;
    if (isSkipped && this.skipText.value !== skipped) this.skipText.value = skipped;
    this.skipText.disabled = this.locked;
    const button = ref(this.root, "skip-button", HTMLButtonElement);
    button.disabled = this.locked;
    setText(button, isSkipped ? `Annotate the ${noun} after all` : `Skip this ${noun}`);
  }

  // --- messages

  /** @param {string} text */
  say(text) {
    dropWaiting();
    showNote(this.ref("note"), text, false);
  }

  /** @param {string} text */
  refuse(text) {
    dropWaiting();
    showNote(this.ref("note"), text, true);
  }
}
