// The annotator's page: the texts of an item, and below them the fields of the form.

/** @import { ItemData, OnChange, Work } from "../../work/contract.js" */
/** @import { ShownBox } from "../grounding/grounding-types.js" */
/** @import { Answers, Definition, Field, Problem, State, Text } from "./custom-types.js" */
/** @import { FieldCard } from "./field-card.js" */
/** @import { Mark } from "./texts.js" */

import { dropWaiting } from "../../announcements.js";
import { element, ref, setText, t } from "../../html.js";
import { ignoresKey } from "../../shortcuts.js";
import { keepClearOf } from "../../work/sticky.js";
import { countUnits, isAnswered, problemsOf, shownFields, submissionOf, withNone } from "./answers.js";
import { isBoxCard } from "./card-types.js";
import { cardClass, createMarking } from "./cards.js";
import { PicturePane } from "./picture-pane.js";
import { Texts } from "./texts.js";

const TYPED = "input:not([type=radio], [type=checkbox]), select, textarea";
const TITLE_WORDS = 6;

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
    this.marking = createMarking(this);
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
    const skipped = item?.one ?? t`item`;
    setText(this.ref("skip-title"), t`Skip this ${skipped}`);
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
    return new Texts(this.ref("texts"), {
      id: `${this.id}-text`,
      tokens: this.data.tokens,
      texts,
      help: this.root.querySelector("#text-help") ? "text-help" : null,
      createMarked: (box, text) => this.marking?.createText(box, text) ?? null,
    });
  }

  /** @param {Field} field */
  createCard(field) {
    const card = new (cardClass(field))(this, field);
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
      this.onChange({ label: t`writing the reason`, mergeKey: "write skip" });
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
    this.marking?.relating.cancel({ isQuiet: true });
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
    if (skipped !== null) return [t`Skipped: ${skipped}`];
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
    this.onChange({ label: reason === null ? t`annotating the ${noun}` : t`skipping the ${noun}` });
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
    return [...this.cards.values()].filter(isBoxCard);
  }

  /**
   * Return boxes that belong to no answer of this page, in the order in which they are drawn.
   *
   * @returns {ShownBox[]}
   */
  otherBoxes() {
    return [];
  }

  /** @param {string} _key  of a box that belongs to no answer of this page */
  pickBox(_key) {}

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
    this.say(t`This was the last field.`);
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
    return this.marking?.marks(shown) ?? [];
  }

  /** @param {Set<string>} shown */
  renderPalette(shown) {
    this.marking?.renderPalette(shown);
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
    setText(button, isSkipped ? t`Annotate the ${noun} after all` : t`Skip this ${noun}`);
  }

  // --- messages

  /** @param {string} text */
  say(text, isRefusal = false) {
    dropWaiting();
    const note = this.ref("note");
    note.classList.toggle("sentence-note--refusal", isRefusal);
    setText(note, text);
  }

  /** @param {string} text */
  refuse(text) {
    this.say(text, true);
  }
}
