// The validator's page: each unit of an annotation is correct or wrong.

/** @import { ItemData, OnChange } from "../../work/contract.js" */
/** @import { Field, Problem } from "./custom-types.js" */
/** @import { Mark } from "./texts.js" */

import { counted, element, setText, t } from "../../html.js";
import { ignoresKey, keyHint } from "../../shortcuts.js";
import { isAnswered, withNone } from "./answers.js";
import { isBoxCard } from "./card-types.js";
import { FormPage } from "./form-page.js";
import { hasParts } from "./merging.js";

/**
 * A unit with its row. `at` is its position among the parts of its field.
 *
 * @typedef {{field: Field, at: number, text: string, row: HTMLElement, buttons: HTMLButtonElement[]}} Unit
 */

/** @type {Record<string, boolean>} */
const VERDICTS = { y: true, n: false };

export class JudgePage extends FormPage {
  /** @param {HTMLElement} root @param {ItemData} data @param {OnChange} onChange */
  constructor(root, data, onChange) {
    super(root, data, onChange);
    this.answers = withNone(this.definition, data.asked?.answers ?? {});
    this.current = 0;
    /** @type {Unit[]} */
    this.judged = this.definition.fields.flatMap((field) => this.unitsOf(field));
    for (const [at, unit] of this.judged.entries()) this.buildRow(unit, at);
    /** @type {(boolean | null)[]} */
    this.verdicts = [];
  }

  get isReadOnly() {
    return true;
  }

  get canSkip() {
    return false;
  }

  /** @param {Field} field @returns {Unit[]} */
  unitsOf(field) {
    const value = this.answers[field.key];
    if (!isAnswered(field, value)) return [];
    const lines = this.cards.get(field.key)?.lines(value, this.answers) ?? [];
    return lines.map((text, at) => ({ field, at, text, row: element("li"), buttons: [] }));
  }

  /** @param {Unit} unit @param {number} at */
  buildRow(unit, at) {
    const id = `${this.id}-unit-${at}`;
    const name = unit.field.label || unit.field.key;
    const isNew = this.judged[at - 1]?.field !== unit.field;
    const help = isNew && unit.field.help ? element("span", { class: "hint verdict__help" }, unit.field.help) : "";
    const text = element(
      "p",
      { class: "verdict__text" },
      element("span", { class: "verdict__field", id: `${id}-field` }, name),
      " ",
      help,
      element("span", { dir: "auto", id }, unit.text),
    );
    unit.buttons = Object.entries({ y: t`Correct`, n: t`Wrong` }).map(([key, label]) =>
      element(
        "button",
        { type: "button", "aria-keyshortcuts": key, onclick: () => this.judge(at, VERDICTS[key]) },
        label,
        keyHint(key),
      ),
    );
    const group = element(
      "div",
      { class: "verdict__buttons", role: "group", "aria-labelledby": `${id}-field ${id}` },
      ...unit.buttons,
    );
    unit.row = element(
      "li",
      { class: "verdict", tabindex: -1, "data-unit": at },
      element("div", { class: "verdict__line" }, text, group),
    );
    unit.row.addEventListener("focusin", () => this.show(at));
  }

  arrange() {
    this.ref("fields").replaceChildren(element("ol", { class: "verdicts" }, ...this.judged.map(({ row }) => row)));
  }

  // --- the contract of a work page

  /** @param {any} content */
  resume(content) {
    const given = content?.verdicts ?? [];
    this.verdicts = this.judged.map((_, at) => given[at] ?? null);
    return { answers: this.answers, skipped: null };
  }

  content() {
    return { verdicts: this.verdicts };
  }

  /** @returns {any} */
  submission() {
    return this.content();
  }

  snapshot() {
    return /** @type {any} */ (this.content());
  }

  /** @param {any} state */
  restore(state) {
    this.resume(state);
    this.render();
  }

  /** @param {any} content */
  load(content) {
    this.restore(content);
  }

  /** @returns {Problem[]} */
  problems() {
    return this.judged.flatMap(({ field, text }, at) =>
      this.verdicts[at] === null ? [{ path: `verdicts.${at}`, message: t`${field.label}: judge “${text}”.` }] : [],
    );
  }

  /** @param {Problem} problem */
  focusProblem({ path }) {
    this.judged[Number(path.split(".")[1])]?.row.focus();
  }

  /** @param {string} path @param {string} message */
  problemAt(path, message) {
    const unit = this.judged[Number(path.split(".")[1])];
    return { path, message: unit ? `${unit.text}: ${message}` : `${path} ${message}` };
  }

  status() {
    const open = this.problems().length;
    if (open === 0) return /** @type {const} */ ("done");
    return open < this.judged.length ? /** @type {const} */ ("started") : /** @type {const} */ ("new");
  }

  step() {
    return this.judged[this.current]?.field.key ?? "";
  }

  units() {
    return this.judged.length;
  }

  focus() {
    const open = this.verdicts.indexOf(null);
    this.judged[Math.max(open, 0)]?.row.focus();
  }

  /** @param {any} content */
  describe(content) {
    /** @type {boolean[]} */
    const verdicts = content?.verdicts ?? [];
    return this.judged.flatMap(({ text }, at) =>
      typeof verdicts[at] === "boolean" ? [`${text}: ${verdicts[at] ? "correct" : "wrong"}`] : [],
    );
  }

  // --- judging

  /** @param {number} at @param {boolean} verdict */
  judge(at, verdict) {
    if (this.locked) return;
    const { text } = this.judged[at];
    // The same verdict again takes it back.
    const next = this.verdicts[at] === verdict ? null : verdict;
    this.verdicts = this.verdicts.map((value, place) => (place === at ? next : value));
    const label = next === null ? t`taking a verdict back` : verdict ? "correct" : "wrong";
    this.onChange({ label });
    this.render();
    if (next !== null) this.goToOpen(at);
    const open = this.problems().length;
    const rest = open === 0 ? t`Everything is judged.` : t`${open} left.`;
    this.say(`${text}: ${label}. ${rest}`);
  }

  /** @param {number} after */
  goToOpen(after) {
    const following = this.verdicts.indexOf(null, after + 1);
    const next = following >= 0 ? following : this.verdicts.indexOf(null);
    if (next >= 0) this.judged[next].row.focus();
    this.judged[Math.max(next, 0)].row.scrollIntoView({ block: "nearest" });
  }

  /** @param {number} at */
  show(at) {
    if (this.current === at) return;
    this.current = at;
    this.render();
  }

  /** @param {KeyboardEvent} event */
  keyDown(event) {
    if (ignoresKey(event)) return;
    const row = event.target instanceof Element ? event.target.closest("[data-unit]") : null;
    if (!(row instanceof HTMLElement)) return;
    const at = Number(row.dataset.unit);
    const key = event.key.toLowerCase();
    if (key in VERDICTS) this.judge(at, VERDICTS[key]);
    else if (key === "arrowdown" || key === "j") this.judged[at + 1]?.row.focus();
    else if (key === "arrowup" || key === "k") this.judged[at - 1]?.row.focus();
    else return;
    event.preventDefault();
  }

  // --- rendering

  /** @returns {Mark[]} */
  marks() {
    const unit = this.judged?.[this.current];
    if (!unit) return [];
    const value = this.answers[unit.field.key];
    const part = hasParts(unit.field) ? value[unit.at] : null;
    const spans = unit.field.type === "relations" ? (this.answers[unit.field.spans ?? ""] ?? []) : [];
    /** @type {Record<string, () => import("../../spans.js").Span[]>} */
    const ranges = {
      spans: () => [[part.start, part.end]],
      relations: () => [part.from, part.to].filter((at) => spans[at]).map((at) => [spans[at].start, spans[at].end]),
      questions: () => part.answers,
    };
    return (ranges[unit.field.type]?.() ?? []).map(([start, end]) => ({
      start,
      end,
      look: "own tint-1",
      label: unit.field.label,
      tag: "",
    }));
  }

  render() {
    if (!this.verdicts) return;
    for (const [at, { row, buttons }] of this.judged.entries()) {
      const verdict = this.verdicts[at];
      row.classList.toggle("verdict--current", at === this.current);
      row.classList.toggle("verdict--wrong", verdict === false);
      row.classList.toggle("verdict--correct", verdict === true);
      for (const [place, button] of buttons.entries()) {
        button.setAttribute("aria-pressed", String(verdict === (place === 0)));
        button.disabled = this.locked;
      }
    }
    this.texts.lock(true);
    this.texts.show(this.marks());
    const unit = this.judged[this.current];
    if (unit && isBoxCard(this.cards.get(unit.field.key))) {
      this.active = unit.field.key;
      this.picture.selected = `${unit.field.key}:${unit.at}`;
    }
    this.picture.render();
    const open = this.problems().length;
    setText(this.ref("summary"), open === 0 ? t`Everything is judged.` : t`${counted(open, "answer")} to judge`);
  }

  renderSkip() {}
}
