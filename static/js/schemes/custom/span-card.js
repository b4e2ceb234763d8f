// A field of labelled spans. Words are selected in the text, and a key or a button gives them a label.

/** @import { Span as Range } from "../../spans.js" */
/** @import { Field, Option, Span } from "./custom-types.js" */
/** @import { Control } from "./controls.js" */
/** @import { FormPage } from "./form-page.js" */
/** @import { Mark } from "./texts.js" */

import { element, quoted, setText, t } from "../../html.js";
import { contains } from "../../spans.js";
import { isAnswered } from "./answers.js";
import { createControl, hotkeys } from "./controls.js";
import { FieldCard, valueText } from "./field-card.js";
import { entriesOf, spanRefusal, withSpans } from "./parts.js";

const COLOURS = 6;

/**
 * @typedef {object} Row
 * @property {HTMLElement} element
 * @property {HTMLButtonElement} text
 * @property {HTMLSelectElement | null} label
 * @property {HTMLElement} tag
 * @property {HTMLButtonElement} relate
 * @property {HTMLButtonElement} remove
 * @property {[Field, Control][]} attributes
 */

export class SpanCard extends FieldCard {
  /** @param {FormPage} page @param {Field} field */
  constructor(page, field) {
    super(page, field);
    /** @type {Option[]} */
    this.labels = field.labels ?? [];
    this.keys = hotkeys(this.labels);
    /** @type {Row[]} */
    this.rows = [];
    this.list = element("ol", { class: "spans" });
    this.empty = element(
      "p",
      { class: "quiet field-card__empty" },
      t`Nothing is marked yet. Select words in the text.`,
    );
    this.body.append(this.empty, this.list);
  }

  get usesText() {
    return true;
  }

  /** @returns {Span[]} */
  get spans() {
    return this.value ?? [];
  }

  /** @param {string} key */
  labelOf(key) {
    return this.labels.find((label) => label.key === key)?.label ?? key;
  }

  /** @param {string} key */
  colourOf(key) {
    return (this.labels.findIndex((label) => label.key === key) % COLOURS) + 1;
  }

  /** @param {Span} span */
  textOf({ start, end }) {
    return this.page.texts.written([start, end]);
  }

  /** @param {Span} span */
  nameOf(span) {
    return `${quoted(this.textOf(span))} (${this.labelOf(span.label)})`;
  }

  // --- marking

  needsLabel() {
    return this.labels.length > 1;
  }

  /** @param {Range} range @param {string} [label] */
  add([start, end], label = this.labels[0].key) {
    const { spans } = this;
    const span = { start, end, label };
    // The same words again get another label.
    const same = spans.findIndex((other) => other.start === start && other.end === end);
    if (same >= 0 && !this.field.overlap) return this.change(same, { ...spans[same], label });
    const refusal = spanRefusal(this.field, spans, span);
    if (refusal) return this.page.refuse(refusal);
    if (spans.length >= (this.field.max ?? Infinity)) {
      return this.page.refuse(t`At most ${this.field.max} spans can be marked.`);
    }
    this.store([...entriesOf(spans), { span, before: null }], `${quoted(this.textOf(span))} ${this.labelOf(label)}`);
    this.page.say(t`${this.nameOf(span)} marked.`);
  }

  /** @param {number} at @param {Span} span */
  change(at, span) {
    const before = this.spans[at];
    if (span.label !== before.label) {
      const others = this.spans.filter((_, place) => place !== at);
      const refusal = spanRefusal({ ...this.field, overlap: true }, others, span);
      if (refusal) return this.page.refuse(refusal);
    }
    const entries = entriesOf(this.spans).map((entry) => (entry.before === at ? { span, before: at } : entry));
    this.store(entries, `${quoted(this.textOf(span))} ${this.labelOf(span.label)}`);
    this.page.say(`${this.nameOf(span)}.`);
  }

  /** @param {number} at */
  removeAt(at) {
    const span = this.spans[at];
    this.store(
      entriesOf(this.spans).filter(({ before }) => before !== at),
      t`removing ${quoted(this.textOf(span))}`,
    );
    this.page.say(t`${this.nameOf(span)} removed.`);
  }

  /** @param {number} token */
  remove(token) {
    const at = this.spanAt(token);
    if (at < 0) this.page.refuse(t`No span of ${this.field.label} contains this word.`);
    else this.removeAt(at);
  }

  /**
   * @param {{span: Span, before: number | null}[]} entries
   * @param {string} label
   */
  store(entries, label) {
    const { definition, state } = this.page;
    this.page.change(this.field, withSpans(definition, state.answers, this.field, entries), label);
  }

  /**
   * Return the position of the shortest span that has a token, or -1.
   *
   * @param {number} token
   */
  spanAt(token) {
    const length = (/** @type {number} */ at) => this.spans[at].end - this.spans[at].start;
    const inside = [...this.spans.keys()].filter((at) => contains([this.spans[at].start, this.spans[at].end], token));
    return inside.sort((a, b) => length(a) - length(b))[0] ?? -1;
  }

  /** @param {number} at @param {string} key @param {any} value @param {string} label @param {string | null} mergeKey */
  setAttribute(at, key, value, label, mergeKey) {
    const span = this.spans[at];
    const attributes = { ...span.attributes };
    const attribute = this.field.attributes?.find((each) => each.key === key);
    if (attribute && isAnswered(attribute, value)) attributes[key] = value;
    else delete attributes[key];
    const spans = this.spans.map((other, place) => (place === at ? { ...span, attributes } : other));
    this.page.set(this.field, spans, label, mergeKey && `${mergeKey} ${span.start}`);
  }

  // --- rendering

  /** @param {boolean} isActive @returns {Mark[]} */
  marks(isActive) {
    const hasTags = this.labels.length > 1;
    return this.spans.map(({ start, end, label }) => ({
      start,
      end,
      look: isActive ? `own tint-${this.colourOf(label)}` : "other",
      label: this.labelOf(label),
      tag: hasTags ? this.labelOf(label) : "",
    }));
  }

  /** @param {Span[] | undefined} value */
  render(value) {
    const spans = value ?? [];
    const hadFocus = this.list.contains(document.activeElement);
    this.empty.hidden = spans.length > 0;
    while (this.rows.length > spans.length) this.rows.pop()?.element.remove();
    while (this.rows.length < spans.length) {
      const row = this.createRow(this.rows.length);
      this.rows.push(row);
      this.list.append(row.element);
    }
    for (const [at, span] of spans.entries()) this.renderRow(this.rows[at], span);
    // The focus goes with a removed row.
    if (hadFocus && !this.list.contains(document.activeElement)) (this.rows.at(-1)?.text ?? this.element).focus();
  }

  /** @param {number} at @returns {Row} */
  createRow(at) {
    const id = `${this.id}-${at}`;
    const text = element("button", { type: "button", class: "spans__text quiet", onclick: () => this.show(at) });
    const tag = element("span", { class: "spans__tag" });
    const label = this.needsLabel() ? this.createSelect(at) : null;
    const buttons = { type: "button", class: "quiet" };
    const relate = element(
      "button",
      { ...buttons, onclick: () => this.page.marking?.startRelation(this, at) },
      t`Relate`,
    );
    const remove = element("button", { ...buttons, onclick: () => this.removeAt(at) }, t`Remove`);
    /** @type {[Field, Control][]} */
    const attributes = (this.field.attributes ?? []).map((field) => [field, this.createAttribute(field, at, id)]);
    const boxes = attributes.map(([field, control]) =>
      element(
        "div",
        { class: "spans__attribute" },
        element("span", { class: "spans__name", id: `${id}-${field.key}` }, field.label || field.key),
        control.element,
      ),
    );
    const head = element("div", { class: "spans__head" }, text, label ?? tag, relate, remove);
    const row = element(
      "li",
      { class: "spans__row" },
      head,
      ...(boxes.length ? [element("div", { class: "spans__attributes" }, ...boxes)] : []),
    );
    return { element: row, text, tag, label, relate, remove, attributes };
  }

  /** @param {number} at */
  createSelect(at) {
    const onchange = (/** @type {Event} */ event) => {
      const select = /** @type {HTMLSelectElement} */ (event.target);
      this.change(at, { ...this.spans[at], label: select.value });
      select.value = this.spans[at]?.label ?? select.value;
    };
    const options = this.labels.map(({ key, label }) => element("option", { value: key }, label));
    return element("select", { class: "spans__label", onchange }, ...options);
  }

  /** @param {Field} field @param {number} at @param {string} id */
  createAttribute(field, at, id) {
    return createControl(field, {
      name: `${id}-${field.key}-value`,
      labelledBy: `${id}-${field.key}`,
      describedBy: "",
      small: true,
      onChange: (value, label, mergeKey = null) => this.setAttribute(at, field.key, value, label, mergeKey),
    });
  }

  /** @param {Row} row @param {Span} span */
  renderRow(row, span) {
    const locked = this.page.isReadOnly;
    const written = this.textOf(span);
    setText(row.text, written);
    row.text.dir = "auto";
    row.element.dataset.tint = String(this.colourOf(span.label));
    setText(row.tag, this.labelOf(span.label));
    row.tag.hidden = true;
    if (row.label) {
      row.label.value = span.label;
      row.label.disabled = locked;
      row.label.setAttribute("aria-label", t`Label of ${quoted(written)}`);
    }
    row.relate.hidden = locked || !this.page.marking?.relationCards(this).length;
    row.relate.setAttribute("aria-label", t`Relate ${quoted(written)} to another span`);
    row.remove.hidden = locked;
    row.remove.setAttribute("aria-label", t`Remove ${quoted(written)}`);
    for (const [field, control] of row.attributes) control.render(span.attributes?.[field.key], locked);
  }

  // --- going there

  /** @param {number} at */
  show(at) {
    this.page.activate(this.field.key);
    this.page.texts.focus(this.field.text ?? "", this.spans[at].start);
    this.page.say(`${this.nameOf(this.spans[at])}.`);
  }

  /** @param {number} token */
  focusSpanAt(token) {
    const row = this.rows[this.spanAt(token)];
    const control = row?.attributes[0]?.[1];
    if (control) control.focus();
    else (row?.label ?? row?.remove ?? this.element).focus();
  }

  /** @param {string[]} [path] */
  focus(path = []) {
    const row = this.rows[Number(path[0] ?? NaN)];
    if (row && path[1] === "attributes") return row.attributes.find(([{ key }]) => key === path[2])?.[1].focus();
    if (row) return (row.label ?? row.remove).focus();
    this.page.activate(this.field.key);
    if (!this.page.isReadOnly) this.page.texts.focus(this.field.text ?? "");
  }

  /** @param {Span[]} value */
  lines(value) {
    return value.map((span) => {
      const attributes = (this.field.attributes ?? [])
        .filter((field) => isAnswered(field, span.attributes?.[field.key]))
        .map((field) => `${field.label}: ${valueText(field, span.attributes?.[field.key])}`);
      return [`${this.textOf(span)} – ${this.labelOf(span.label)}`, ...attributes].join(", ");
    });
  }
}
