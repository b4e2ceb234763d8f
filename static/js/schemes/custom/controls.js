// The controls of fields with a single value: options, ratings, texts and numbers. The attributes of
// spans have the same controls in little room.

/** @import { Field, Option } from "./custom-types.js" */

import { counted, element, setText, t } from "../../html.js";
import { keyHint } from "../../shortcuts.js";
import { leavesOf, numberOf } from "./answers.js";

// With more options, a box to search in them is shown.
const MANY = 15;

/**
 * @typedef {object} Control
 * @property {HTMLElement} element
 * @property {(value: any, locked: boolean) => void} render
 * @property {() => void} focus
 * @property {(key: string) => "chosen" | "taken" | ""} [press]  act on a key, and return if that is an answer
 */

/**
 * @typedef {object} ControlOptions
 * @property {string} name  unique in the page
 * @property {string} labelledBy
 * @property {string} describedBy
 * @property {boolean} [small]  whether it is an attribute
 * @property {Option[]} [texts]  the texts between which a pairwise field chooses
 * @property {string | null} [language]
 * @property {(value: any, label: string, mergeKey?: string | null) => void} onChange
 * @property {() => void} [onDone]  Enter in a line of text
 */

/** @param {Field} field @param {ControlOptions} options @returns {Control} */
export function createControl(field, options) {
  if (field.type === "text" || field.type === "number") return new Written(field, options);
  const isSelect = options.small && field.type !== "choices";
  return isSelect ? new Select(field, options) : new Choices(field, options);
}

/**
 * Return the options of a field with fixed values.
 *
 * @param {Field} field
 * @param {Option[]} [texts]
 * @returns {Option[]}
 */
export function optionsOf(field, texts = []) {
  const { type, options = [], min, max, ends = [], between = [], tie } = field;
  if (type === "rating") {
    const low = Number(min);
    const values = Array.from({ length: Number(max) - low + 1 }, (_, at) => low + at);
    return values.map((value, at) => ({
      key: String(value),
      label: String(value),
      help: at === 0 ? ends[0] : at === values.length - 1 ? ends[1] : "",
      key_hint: value >= 0 && value <= 9 ? String(value) : "",
    }));
  }
  if (type !== "pairwise") return options;
  const named = between.map((key) => texts.find((text) => text.key === key) ?? { key, label: key });
  return tie ? [...named, { key: "tie", label: t`Equally good` }] : named;
}

/**
 * Return the keys of the keyboard for options: their own ones, and digits for the others.
 *
 * @param {Option[]} options
 * @returns {Map<string, Option>}
 */
export function hotkeys(options) {
  const hints = new Map(options.filter(({ key_hint }) => key_hint).map((option) => [option.key_hint ?? "", option]));
  const free = [..."123456789"].filter((digit) => !hints.has(digit));
  for (const option of options) {
    if (option.key_hint) continue;
    const digit = free.shift();
    if (digit) hints.set(digit, option);
  }
  return hints;
}

/** @param {Field} field @param {string} key */
function choiceValue({ type }, key) {
  return type === "rating" ? Number(key) : key;
}

/** Radio buttons or checkboxes, which may be in groups. */
class Choices {
  /** @param {Field} field @param {ControlOptions} options */
  constructor(field, options) {
    this.field = field;
    this.options = options;
    this.isMany = field.type === "choices";
    this.all = optionsOf(field, options.texts);
    /** @type {Option[]} The groups that were entered by key. */
    this.path = [];
    /** @type {Map<string, {input: HTMLInputElement, row: HTMLElement, text: string}>} */
    this.rows = new Map();
    /** @type {{option: Option, hint: HTMLElement}[]} */
    this.hints = [];
    this.list = element(
      "div",
      { class: `options options--${field.type}` },
      ...this.all.map((each) => this.create(each)),
    );
    this.list.setAttribute("role", this.isMany ? "group" : "radiogroup");
    this.list.setAttribute("aria-labelledby", options.labelledBy);
    if (options.describedBy) this.list.setAttribute("aria-describedby", options.describedBy);
    this.element = element("div", { class: "choices-control" }, ...this.search(), this.list);
    this.showHints();
  }

  search() {
    if (this.rows.size <= MANY) return [];
    const box = element("input", {
      type: "search",
      class: "options__search",
      autocomplete: "off",
      placeholder: t`Search ${this.rows.size} options`,
      "aria-label": t`Search the options of ${this.field.label}`,
      oninput: () => this.filter(box.value.trim().toLowerCase()),
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key !== "Enter" && event.key !== "ArrowDown") return;
        event.preventDefault();
        const first = [...this.rows.values()].find(({ row }) => !row.hidden);
        first?.input.focus();
        if (event.key === "Enter" && first && !first.input.checked) first.input.click();
      },
    });
    return [box];
  }

  /** @param {string} query */
  filter(query) {
    for (const { row, text } of this.rows.values()) row.hidden = !text.includes(query);
    for (const group of this.list.querySelectorAll(".options__group")) {
      /** @type {HTMLElement} */ (group).hidden = !group.querySelector(".option:not([hidden])");
    }
  }

  /** @param {Option} option @returns {HTMLElement} */
  create(option) {
    const hint = keyHint("");
    this.hints.push({ option, hint });
    if (option.options?.length) {
      const id = `${this.options.name}-group-${option.key}`;
      const title = element("p", { class: "options__title", id }, hint, option.label);
      const inner = option.options.map((each) => this.create(each));
      return element("div", { class: "options__group", role: "group", "aria-labelledby": id }, title, ...inner);
    }
    const input = element("input", {
      type: this.isMany ? "checkbox" : "radio",
      name: this.options.name,
      value: option.key,
      onchange: () => this.changed(option),
    });
    const help = option.help ? element("span", { class: "option__help hint" }, option.help) : "";
    const row = element(
      "label",
      { class: "option" },
      input,
      hint,
      element("span", { class: "option__text" }, option.label, help),
    );
    this.rows.set(option.key, { input, row, text: `${option.label} ${option.help ?? ""}`.toLowerCase() });
    return row;
  }

  // The hints are those of the options that keys choose now.
  showHints() {
    this.keys = this.options.small ? new Map() : hotkeys(this.path.at(-1)?.options ?? this.all);
    const byOption = new Map([...this.keys].map(([key, option]) => [option, key]));
    for (const { option, hint } of this.hints) {
      const key = byOption.get(option) ?? "";
      hint.hidden = !key;
      setText(hint, key);
      const row = this.rows.get(option.key);
      if (row && key) row.input.setAttribute("aria-keyshortcuts", key);
      else row?.input.removeAttribute("aria-keyshortcuts");
    }
  }

  /** @param {Option} option */
  changed(option) {
    if (!this.isMany) return this.options.onChange(choiceValue(this.field, option.key), t`choosing ${option.label}`);
    const keys = leavesOf(this.all).map(({ key }) => key);
    const chosen = keys.filter((key) => this.rows.get(key)?.input.checked);
    const isOn = this.rows.get(option.key)?.input.checked;
    this.options.onChange(chosen, `${isOn ? "choosing" : "removing"} ${option.label}`);
  }

  /** @param {string} key @returns {"chosen" | "taken" | ""} */
  press(key) {
    if ((key === "Escape" || key === "Backspace") && this.path.length > 0) {
      this.path.pop();
      this.showHints();
      return "taken";
    }
    const option = this.keys?.get(key);
    if (!option) return "";
    if (option.options?.length) {
      this.path.push(option);
      this.showHints();
      this.rows.get(leavesOf(option.options)[0].key)?.input.focus();
      return "taken";
    }
    const { input } = /** @type {{input: HTMLInputElement}} */ (this.rows.get(option.key));
    if (input.disabled) return "taken";
    input.focus();
    this.path = [];
    this.showHints();
    if (this.isMany || !input.checked) input.click();
    return this.isMany ? "taken" : "chosen";
  }

  /** @param {any} value @param {boolean} locked */
  render(value, locked) {
    const chosen = this.isMany ? (value ?? []) : [value === undefined ? undefined : String(value)];
    for (const [key, { input }] of this.rows) {
      input.checked = chosen.includes(key);
      input.disabled = locked;
    }
  }

  focus() {
    const inputs = [...this.rows.values()].map(({ input }) => input);
    (inputs.find(({ checked }) => checked) ?? inputs[0])?.focus();
  }
}

/** A list to open, for one of several options. */
class Select {
  /** @param {Field} field @param {ControlOptions} options */
  constructor(field, options) {
    this.field = field;
    const onchange = () => {
      const { value } = this.element;
      const label = value ? (this.element.selectedOptions[0].textContent ?? value) : "nothing";
      options.onChange(value ? choiceValue(field, value) : undefined, `${field.label}: ${label}`);
    };
    const choices = optionsOf(field).map((option) => listed(option));
    this.element = element(
      "select",
      { onchange, "aria-labelledby": options.labelledBy },
      element("option", { value: "" }, t`Choose`),
      ...choices,
    );
    if (options.describedBy) this.element.setAttribute("aria-describedby", options.describedBy);
  }

  /** @param {any} value @param {boolean} locked */
  render(value, locked) {
    const text = value === undefined ? "" : String(value);
    if (this.element.value !== text) this.element.value = text;
    this.element.disabled = locked;
  }

  focus() {
    this.element.focus();
  }
}

/** @param {Option} option @returns {HTMLElement} */
function listed({ key, label, options }) {
  if (options?.length) return element("optgroup", { label }, ...leavesOf(options).map((leaf) => listed(leaf)));
  return element("option", { value: key }, label);
}

/** A text or a number. */
class Written {
  /** @param {Field} field @param {ControlOptions} options */
  constructor(field, options) {
    this.field = field;
    const { name, labelledBy, describedBy, language = null, onChange, onDone } = options;
    const isNumber = field.type === "number";
    const attributes = {
      id: `${name}-text`,
      "aria-labelledby": labelledBy,
      "aria-describedby": [describedBy, `${name}-count`].filter(Boolean).join(" "),
      autocomplete: "off",
      oninput: () => {
        const { value } = this.input;
        onChange(isNumber ? (numberOf(value) ?? value) : value, t`writing ${field.label}`, t`write ${name}`);
        this.count(value);
      },
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.isComposing || this.isLong) return;
        event.preventDefault();
        onDone?.();
      },
    };
    this.isLong = !isNumber && (field.lines ?? 1) > 1;
    this.input = this.isLong
      ? element("textarea", { ...attributes, rows: Math.min(field.lines ?? 3, 12), dir: "auto", lang: language })
      : element("input", {
          ...attributes,
          type: "text",
          dir: isNumber ? null : "auto",
          lang: isNumber ? null : language,
          inputmode: isNumber ? (field.integer && (field.min ?? -1) >= 0 ? "numeric" : "decimal") : null,
          class: isNumber ? "number-control" : null,
        });
    this.limit = element("span", { class: "hint figure", id: `${name}-count` });
    this.element = element("div", { class: "written-control" }, this.input, this.limit);
    this.count("");
  }

  /** @param {string} value */
  count(value) {
    const { type, max_length: most = 0, min, max } = this.field;
    if (type === "number") return setText(this.limit, rangeText(min, max));
    const left = most - [...value.trim()].length;
    setText(
      this.limit,
      left < 0 ? t`${counted(-left, "character")} too many` : left <= 50 ? t`${counted(left, "character")} left` : "",
    );
    this.limit.classList.toggle("error", left < 0);
  }

  /** @param {any} value @param {boolean} locked */
  render(value, locked) {
    const text = value === undefined || value === null ? "" : String(value);
    const isSame = this.field.type === "number" ? numberOf(this.input.value) === value : this.input.value === text;
    if (!isSame && this.input.value !== text) {
      this.input.value = text;
      this.count(text);
    }
    this.input.disabled = locked;
  }

  focus() {
    this.input.focus();
  }
}

/** @param {number | null} [min] @param {number | null} [max] */
function rangeText(min, max) {
  const [low, high] = [min ?? null, max ?? null];
  if (low !== null && high !== null) return t`From ${low} to ${high}`;
  if (low !== null) return t`At least ${low}`;
  return high !== null ? t`At most ${high}` : "";
}
