// A field of questions, whose answers are marked in a text.

/** @import { Span as Range } from "../../spans.js" */
/** @import { Field, Question } from "./custom-types.js" */
/** @import { FormPage } from "./form-page.js" */
/** @import { Mark } from "./texts.js" */

import { element, quoted, t } from "../../html.js";
import { contains, equal, overlaps } from "../../spans.js";
import { FieldCard } from "./field-card.js";

/**
 * @typedef {object} Row
 * @property {HTMLElement} element
 * @property {HTMLInputElement | null} input
 * @property {HTMLElement} answers
 * @property {HTMLButtonElement} mark
 * @property {HTMLButtonElement | null} remove
 * @property {HTMLInputElement | null} none
 * @property {string} shown
 */

export class QuestionCard extends FieldCard {
  /** @param {FormPage} page @param {Field} field */
  constructor(page, field) {
    super(page, field);
    /** @type {string[] | null} */
    this.fixed = Array.isArray(field.question) ? field.question : null;
    this.limits = field.answers ?? { min: 1, max: 3, allow_none: false };
    /** The row whose answers are marked. */
    this.at = 0;
    /** @type {Row[]} */
    this.rows = [];
    this.list = element("ol", { class: "asked" });
    this.body.append(this.list);
  }

  get usesText() {
    return true;
  }

  needsLabel() {
    return false;
  }

  /**
   * Return the questions of all rows. Written ones end with an empty row.
   *
   * @returns {Question[]}
   */
  get questions() {
    return this.rowsOf(this.value ?? []);
  }

  /** @param {Question[]} value @returns {Question[]} */
  rowsOf(value) {
    if (this.fixed) {
      return this.fixed.map(
        (question) => value.find((each) => each.question === question) ?? { question, answers: [] },
      );
    }
    const isFull = value.length >= (this.field.max ?? Infinity) || this.page.isReadOnly;
    return isFull ? value : [...value, { question: "", answers: [] }];
  }

  /** @param {number} at @param {Question} changed @param {string} label @param {string | null} [mergeKey] */
  store(at, changed, label, mergeKey = null) {
    const questions = this.questions.map((question, place) => (place === at ? changed : question));
    const kept = this.fixed
      ? questions.filter(({ answers, none }) => answers.length > 0 || none)
      : questions.filter(
          ({ question, answers }, place) => question !== "" || answers.length > 0 || place < this.questions.length - 1,
        );
    this.page.set(this.field, kept, label, mergeKey);
  }

  /** @param {number} at @param {string} text */
  write(at, text) {
    this.store(
      at,
      { ...this.questions[at], question: text },
      t`writing question ${at + 1}`,
      `write ${this.field.key} ${at}`,
    );
  }

  /** @param {number} at */
  removeAt(at) {
    const left = this.questions.slice(0, -1 + Number(this.questions.length === (this.value ?? []).length));
    this.page.set(
      this.field,
      left.filter((_, place) => place !== at),
      t`deleting question ${at + 1}`,
    );
    this.activateRow(Math.min(at, this.questions.length - 1));
    this.rows[this.at]?.input?.focus();
    this.page.say(t`Question ${at + 1} deleted. You can undo this.`);
  }

  // --- answers

  /** @param {Range} span */
  add(span) {
    const question = this.questions[this.at];
    if (!question || question.question.trim() === "")
      return this.page.refuse(t`Write the question first, then mark its answer.`);
    const { answers } = question;
    if (answers.some((other) => equal(other, span))) return this.page.refuse(t`This answer is already marked.`);
    if (answers.some((other) => overlaps(other, span)))
      return this.page.refuse(t`Answers to a question can't overlap.`);
    if (answers.length >= this.limits.max)
      return this.page.refuse(t`A question can have at most ${this.limits.max} answers.`);
    const text = quoted(this.page.texts.written(span));
    const sorted = [...answers, span].sort((a, b) => a[0] - b[0]);
    this.store(this.at, { question: question.question, answers: sorted }, t`the answer ${text}`);
    this.page.say(t`${text} added to question ${this.at + 1}.`);
  }

  /** @param {number} at @param {Range} span */
  removeAnswer(at, span) {
    const question = this.questions[at];
    const answers = question.answers.filter((other) => !equal(other, span));
    const text = quoted(this.page.texts.written(span));
    this.store(at, { ...question, answers }, t`removing the answer ${text}`);
    this.page.say(t`${text} removed.`);
  }

  /** @param {number} token */
  remove(token) {
    const span = this.questions[this.at]?.answers.find((answer) => contains(answer, token));
    if (span) this.removeAnswer(this.at, span);
    else this.page.refuse(t`No answer to this question contains this word.`);
  }

  /** @param {number} at @param {boolean} isNone */
  setNone(at, isNone) {
    const { question } = this.questions[at];
    const changed = { question, answers: [], ...(isNone && { none: true }) };
    this.store(at, changed, isNone ? t`question ${at + 1} has no answer` : t`question ${at + 1} has an answer`);
  }

  /** @param {number} at */
  activateRow(at) {
    this.page.activate(this.field.key);
    if (this.at === at) return;
    this.at = at;
    this.page.texts.clear();
    this.page.render();
  }

  /** @param {number} at */
  markAnswers(at) {
    if (!this.questions[at]?.question.trim()) return this.page.refuse(t`Write the question first.`);
    this.activateRow(at);
    this.page.texts.focus(this.field.text ?? "");
    this.page.say(`Mark the answer to ${quoted(this.questions[at].question.trim())} in the text.`);
  }

  // Enter on an answer goes to the next question, and from the last one to the next field.
  goOn() {
    const following = this.at + 1;
    if (following >= this.rows.length) return this.page.goOn(this.field.key);
    this.activateRow(following);
    const { input } = this.rows[following];
    if (input) input.focus();
    else this.markAnswers(following);
  }

  // --- rendering

  /** @param {boolean} isActive @returns {Mark[]} */
  marks(isActive) {
    const questions = this.questions.map(({ answers }, at) => ({ answers, at }));
    // The answers of the current question lie above those of others.
    questions.sort((a, b) => Number(a.at === this.at) - Number(b.at === this.at));
    return questions.flatMap(({ answers, at }) =>
      answers.map(([start, end]) => ({
        start,
        end,
        look: isActive && at === this.at ? "own" : "other",
        label: t`answer to question ${at + 1}`,
        tag: "",
      })),
    );
  }

  /** @param {Question[] | undefined} value */
  render(value) {
    const questions = this.rowsOf(value ?? []);
    while (this.rows.length > questions.length) this.rows.pop()?.element.remove();
    while (this.rows.length < questions.length) {
      const row = this.createRow(this.rows.length);
      this.rows.push(row);
      this.list.append(row.element);
    }
    if (this.at >= questions.length) this.at = Math.max(0, questions.length - 1);
    for (const [at, question] of questions.entries()) this.renderRow(this.rows[at], at, question);
  }

  /** @param {number} at @returns {Row} */
  createRow(at) {
    const name = this.fixed ? (this.fixed[at] ?? "") : t`Question ${at + 1}`;
    const input = this.fixed ? null : this.createInput(at, name);
    const title = input ?? element("p", { class: "asked__question", dir: "auto" }, name);
    const answers = element("ul", { class: "asked__answers", "aria-label": t`Answers to question ${at + 1}` });
    const buttons = { type: "button", class: "quiet" };
    const mark = element("button", { ...buttons, onclick: () => this.markAnswers(at) }, t`Mark answer`);
    mark.setAttribute("aria-label", t`Mark the answer to question ${at + 1}`);
    const remove = input && element("button", { ...buttons, onclick: () => this.removeAt(at) }, t`Delete`);
    remove?.setAttribute("aria-label", t`Delete question ${at + 1}`);
    const onchange = (/** @type {Event} */ event) =>
      this.setNone(at, /** @type {HTMLInputElement} */ (event.target).checked);
    const none = this.limits.allow_none ? element("input", { type: "checkbox", onchange }) : null;
    const tools = element("div", { class: "asked__tools" }, mark, ...(remove ? [remove] : []));
    const row = element("li", { class: "asked__row" }, title, answers, tools);
    if (none) tools.append(element("label", {}, none, t`The text has no answer`));
    row.addEventListener("focusin", () => this.activateRow(at));
    return { element: row, input, answers, mark, remove, none, shown: "" };
  }

  /** @param {number} at @param {string} name */
  createInput(at, name) {
    const onkeydown = (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.isComposing) return;
      event.preventDefault();
      if (this.questions[at]?.question.trim()) this.markAnswers(at);
      else this.page.goOn(this.field.key);
    };
    const oninput = (/** @type {Event} */ event) =>
      this.write(at, /** @type {HTMLInputElement} */ (event.target).value);
    return element("input", {
      type: "text",
      class: "asked__input",
      "aria-label": name,
      placeholder: name,
      autocomplete: "off",
      maxlength: 300,
      dir: "auto",
      oninput,
      onkeydown,
    });
  }

  /** @param {Row} row @param {number} at @param {Question} question */
  renderRow(row, at, { question, answers, none }) {
    const { isReadOnly: locked, texts } = this.page;
    row.element.classList.toggle("asked__row--active", at === this.at && this.page.active === this.field.key);
    if (row.input) {
      if (row.input.value !== question) row.input.value = question;
      row.input.disabled = locked;
    }
    const isEmpty = !this.fixed && question === "" && answers.length === 0;
    row.mark.hidden = locked || isEmpty || Boolean(none);
    if (row.remove) row.remove.hidden = locked || isEmpty;
    if (row.none) {
      row.none.checked = Boolean(none);
      row.none.disabled = locked || isEmpty;
    }
    const key = JSON.stringify([answers, locked]);
    if (row.shown === key) return;
    row.shown = key;
    const hadFocus = row.answers.contains(document.activeElement);
    row.answers.replaceChildren(
      ...answers.map((span) => {
        const text = texts.written(span);
        const onclick = () => this.removeAnswer(at, span);
        const button = element(
          "button",
          { type: "button", class: "quiet", onclick, "aria-label": t`Remove ${quoted(text)}` },
          "×",
        );
        return element(
          "li",
          { class: "answer-pill" },
          element("span", { dir: "auto" }, text),
          ...(locked ? [] : [button]),
        );
      }),
    );
    if (hadFocus) row.mark.focus();
  }

  /** @param {string[]} [path] */
  focus(path = []) {
    const part = (this.value ?? [])[Number(path[0] ?? NaN)];
    const at = part && this.fixed ? this.fixed.indexOf(part.question) : Number(path[0] ?? NaN);
    const row = this.rows[at];
    if (row && path[1] === "answers") return this.markAnswers(at);
    if (row) return (row.input ?? row.mark).focus();
    const open = this.questions.findIndex(({ answers, none }) => answers.length === 0 && !none);
    const { input } = this.rows[Math.max(open, 0)];
    if (input) input.focus();
    else this.markAnswers(Math.max(open, 0));
  }

  /** @param {Question[]} value @returns {string[]} */
  lines(value) {
    return value.map(({ question, answers, none }) => {
      const texts = answers.map((span) => this.page.texts.written(span));
      const shown = none || texts.length === 0 ? t`no answer` : texts.join(" | ");
      return `${question} – ${shown}`;
    });
  }
}
