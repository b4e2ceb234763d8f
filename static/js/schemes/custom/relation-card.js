// A field of relations between the spans of another field.

/** @import { Answers, Field, Option, Relation, Span } from "./custom-types.js" */
/** @import { FormPage } from "./form-page.js" */
/** @import { SpanCard } from "./span-card.js" */

import { element, setText, t } from "../../html.js";
import { joins } from "./answers.js";
import { FieldCard } from "./field-card.js";
import { sortedParts } from "./parts.js";

export class RelationCard extends FieldCard {
  /** @param {FormPage} page @param {Field} field */
  constructor(page, field) {
    super(page, field);
    /** @type {Option[]} */
    this.labels = field.labels ?? [];
    /** @type {{element: HTMLElement, text: HTMLElement, remove: HTMLButtonElement}[]} */
    this.rows = [];
    this.list = element("ol", { class: "relations" });
    this.empty = element("p", { class: "quiet field-card__empty" });
    const onchange = () => this.renderLabels();
    this.from = element("select", { "aria-label": t`From`, onchange });
    this.to = element("select", { "aria-label": t`To`, onchange });
    this.label = element("select", { "aria-label": t`Relation` });
    this.button = element("button", { type: "button", onclick: () => this.addChosen() }, t`Add relation`);
    this.adding = element("div", { class: "relations__add" }, this.from, this.label, this.to, this.button);
    this.body.append(this.empty, this.list, this.adding);
    this.listed = "";
  }

  /** @returns {Relation[]} */
  get relations() {
    return this.value ?? [];
  }

  /** @returns {Span[]} */
  get spans() {
    return this.page.state.answers[this.field.spans ?? ""] ?? [];
  }

  get spanCard() {
    return /** @type {SpanCard} */ (this.page.cards.get(this.field.spans ?? ""));
  }

  /** @param {number} from @param {number} to */
  labelsBetween(from, to) {
    const [start, end] = [this.spans[from], this.spans[to]];
    return start && end && from !== to ? this.labels.filter((label) => joins(label, start.label, end.label)) : [];
  }

  /** @param {string} key */
  labelOf(key) {
    return this.labels.find((label) => label.key === key)?.label ?? key;
  }

  /** @param {Relation} relation */
  textOf({ label, from, to }) {
    const [start, end] = [this.spans[from], this.spans[to]].map((span) => (span ? this.spanCard.textOf(span) : "?"));
    return `${start} → ${this.labelOf(label)} → ${end}`;
  }

  /** @param {number} from @param {number} to @param {string} label */
  add(from, to, label) {
    const { relations } = this;
    const relation = { label, from, to };
    if (relations.some((other) => other.label === label && other.from === from && other.to === to)) {
      return this.page.refuse(t`This relation is already there.`);
    }
    if (relations.length >= (this.field.max ?? Infinity)) {
      return this.page.refuse(t`At most ${this.field.max} relations can be added.`);
    }
    this.page.set(
      this.field,
      sortedParts(this.field, [...relations, relation]),
      t`the relation ${this.labelOf(label)}`,
    );
    this.page.say(t`${this.textOf(relation)} added.`);
  }

  addChosen() {
    const [from, to] = [Number(this.from.value), Number(this.to.value)];
    if (this.from.value === "" || this.to.value === "") return this.page.refuse(t`Choose two spans.`);
    if (this.label.value === "") return this.page.refuse(t`No relation joins these two spans in this direction.`);
    this.add(from, to, this.label.value);
  }

  /** @param {number} at */
  removeAt(at) {
    const text = this.textOf(this.relations[at]);
    const left = this.relations.filter((_, place) => place !== at);
    this.page.set(this.field, left, t`removing ${text}`);
    this.page.say(t`${text} removed.`);
  }

  /** @param {Relation[] | undefined} value */
  render(value) {
    const relations = value ?? [];
    const locked = this.page.isReadOnly;
    const hadFocus = this.list.contains(document.activeElement);
    while (this.rows.length > relations.length) this.rows.pop()?.element.remove();
    while (this.rows.length < relations.length) {
      const at = this.rows.length;
      const text = element("span", { class: "relations__text", dir: "auto" });
      const remove = element("button", { type: "button", class: "quiet", onclick: () => this.removeAt(at) }, t`Remove`);
      const row = element("li", { class: "relations__row" }, text, remove);
      this.rows.push({ element: row, text, remove });
      this.list.append(row);
    }
    for (const [at, relation] of relations.entries()) {
      const { text, remove } = this.rows[at];
      setText(text, this.textOf(relation));
      remove.hidden = locked;
      remove.setAttribute("aria-label", t`Remove ${this.textOf(relation)}`);
    }
    if (hadFocus && !this.list.contains(document.activeElement)) (this.rows.at(-1)?.remove ?? this.element).focus();
    const canAdd = this.spans.length > 1;
    this.empty.hidden = relations.length > 0;
    setText(this.empty, canAdd ? t`No relation yet.` : t`Mark two spans first.`);
    this.adding.hidden = !canAdd || locked;
    this.renderSpans();
  }

  renderSpans() {
    const names = this.spans.map(
      (span, at) => `${at + 1}. ${this.spanCard.textOf(span)} (${this.spanCard.labelOf(span.label)})`,
    );
    const key = JSON.stringify(names);
    if (key === this.listed) return;
    this.listed = key;
    for (const select of [this.from, this.to]) {
      const { value } = select;
      const options = names.map((name, at) => element("option", { value: at }, name));
      select.replaceChildren(element("option", { value: "" }, select === this.from ? t`From` : t`To`), ...options);
      select.value = Number(value) < names.length ? value : "";
    }
    this.renderLabels();
  }

  renderLabels() {
    const isChosen = this.from.value !== "" && this.to.value !== "";
    const labels = isChosen ? this.labelsBetween(Number(this.from.value), Number(this.to.value)) : this.labels;
    const { value } = this.label;
    const options = labels.map(({ key, label }) => element("option", { value: key }, label));
    this.label.replaceChildren(...(options.length ? options : [element("option", { value: "" }, t`None fits`)]));
    if (labels.some(({ key }) => key === value)) this.label.value = value;
  }

  /** @param {string[]} [path] */
  focus(path = []) {
    const row = this.rows[Number(path[0] ?? NaN)];
    if (row) row.remove.focus();
    else if (!this.adding.hidden) this.from.focus();
    else super.focus();
  }

  /** @param {Relation[]} value @param {Answers} answers */
  lines(value, answers) {
    const spans = answers[this.field.spans ?? ""] ?? [];
    const text = (/** @type {number} */ at) => (spans[at] ? this.spanCard.textOf(spans[at]) : "?");
    return value.map(({ label, from, to }) => `${text(from)} → ${this.labelOf(label)} → ${text(to)}`);
  }
}
