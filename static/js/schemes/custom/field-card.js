// A field of the form: its heading and help, and below them what its type needs.

/** @import { Answers, Field } from "./custom-types.js" */
/** @import { FormPage } from "./form-page.js" */

import { element, t } from "../../html.js";
import { leavesOf, optionOf } from "./answers.js";
import { createControl, optionsOf } from "./controls.js";

export class FieldCard {
  /** @param {FormPage} page @param {Field} field */
  constructor(page, field) {
    this.page = page;
    this.field = field;
    this.id = `${page.id}-${field.key}`;
    const { required, min, help } = field;
    const isOptional = required === false && !(min && field.type !== "rating" && field.type !== "number");
    const note = isOptional ? element("span", { class: "field-card__optional" }, t` (optional)`) : "";
    this.title = element(
      page.heading,
      { class: "field-card__title", id: `${this.id}-title` },
      field.label || field.key,
      note,
    );
    this.help = element("p", { class: "field-card__help hint", id: `${this.id}-help` }, help ?? "");
    this.help.hidden = !help;
    this.body = element("div", { class: "field-card__body" });
    const attributes = { class: "field-card", "data-field": field.key, role: "group", tabindex: -1 };
    this.element = element(
      "section",
      { ...attributes, "aria-labelledby": this.title.id },
      this.title,
      this.help,
      this.body,
    );
  }

  get describedBy() {
    return this.field.help ? this.help.id : "";
  }

  get value() {
    return this.page.state.answers[this.field.key];
  }

  // Whether the answers are marked in a text.
  get usesText() {
    return false;
  }

  /** @param {any} _value @param {Answers} _answers */
  render(_value, _answers) {}

  /** @param {string[]} [_path]  of a problem inside the field */
  focus(_path) {
    this.element.focus({ preventScroll: true });
  }

  /** @param {string} _key */
  press(_key) {
    return false;
  }

  /**
   * Return the answer in words, with a line for each part.
   *
   * @param {any} _value
   * @param {Answers} _answers
   * @returns {string[]}
   */
  lines(_value, _answers) {
    return [];
  }
}

/** A field with a single value, or with several options of a list. */
export class ValueCard extends FieldCard {
  /** @param {FormPage} page @param {Field} field */
  constructor(page, field) {
    super(page, field);
    this.control = createControl(field, {
      name: this.id,
      labelledBy: this.title.id,
      describedBy: this.describedBy,
      texts: page.texts.texts,
      onChange: (value, label, mergeKey = null) => page.set(field, value, label, mergeKey),
      onDone: () => page.goOn(field.key),
    });
    this.body.append(this.control.element);
  }

  /** @param {any} value */
  render(value) {
    this.control.render(value, this.page.isReadOnly);
  }

  focus() {
    this.control.focus();
  }

  /** @param {string} key */
  press(key) {
    const outcome = this.control.press?.(key) ?? "";
    // The next field follows where one key is the whole answer.
    if (outcome === "chosen") this.page.goOn(this.field.key, { isQuiet: true });
    return outcome !== "";
  }

  /** @param {any} value */
  lines(value) {
    return [valueText(this.field, value, this.page.texts.texts)];
  }
}

/**
 * Return a single value in words.
 *
 * @param {Field} field
 * @param {any} value
 * @param {import("./custom-types.js").Text[]} [texts]
 */
export function valueText(field, value, texts = []) {
  if (field.type === "text" || field.type === "number") return String(value);
  const options = optionsOf(field, texts);
  const chosen = Array.isArray(value) ? leavesOf(options).filter(({ key }) => value.includes(key)) : [];
  if (field.type === "choices") return chosen.map(({ label }) => label).join(", ");
  return optionOf(options, String(value))?.label ?? String(value);
}
