// A field of labelled boxes on the picture of an item.

/** @import { Box, ShownBox } from "../grounding/grounding-types.js" */
/** @import { Field, LabelledBox, Option } from "./custom-types.js" */
/** @import { FormPage } from "./form-page.js" */

import { announceSettled } from "../../announcements.js";
import { element, setText, t } from "../../html.js";
import { keyHint } from "../../shortcuts.js";
import { hotkeys } from "./controls.js";
import { FieldCard } from "./field-card.js";

const COLOURS = 6;

/** @param {Box} box */
function sizeText([x1, y1, x2, y2]) {
  return t`left ${x1}, top ${y1}, ${x2 - x1} by ${y2 - y1} pixels`;
}

/** @param {Box} a @param {Box} b */
function isSame(a, b) {
  return a.every((value, at) => value === b[at]);
}

export class BoxCard extends FieldCard {
  /** @param {FormPage} page @param {Field} field */
  constructor(page, field) {
    super(page, field);
    /** @type {Option[]} */
    this.labels = field.labels ?? [];
    this.label = this.labels[0]?.key ?? "";
    this.keys = hotkeys(this.labels);
    /** @type {{element: HTMLElement, text: HTMLButtonElement, label: HTMLSelectElement, remove: HTMLButtonElement}[]} */
    this.rows = [];
    this.list = element("ol", { class: "boxes" });
    this.empty = element("p", { class: "quiet field-card__empty" });
    const hints = new Map([...this.keys].map(([key, option]) => [option, key]));
    this.buttons = this.labels.map((option, at) => {
      const hint = hints.get(option) ?? "";
      const attributes = {
        type: "button",
        class: "palette__label",
        "data-tint": (at % COLOURS) + 1,
        "aria-keyshortcuts": hint || null,
        title: option.help || null,
      };
      return element(
        "button",
        { ...attributes, onclick: () => this.chooseLabel(option.key) },
        option.label,
        hint ? keyHint(hint) : "",
      );
    });
    this.palette = element(
      "div",
      { class: "palette", role: "group", "aria-label": t`Label of the next box` },
      ...this.buttons,
    );
    this.palette.hidden = this.labels.length < 2;
    this.body.append(this.palette, this.empty, this.list);
  }

  /** @returns {LabelledBox[]} */
  get boxes() {
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

  /** @param {LabelledBox} box */
  nameOf({ label, box }) {
    return `${this.labelOf(label)}, ${sizeText(box)}`;
  }

  /** @param {string} key */
  chooseLabel(key) {
    this.label = key;
    this.page.activate(this.field.key);
    this.page.render();
    this.page.say(t`The next box is: ${this.labelOf(key)}.`);
  }

  /** @param {Box} box */
  draw(box) {
    const added = { label: this.label, box };
    const { max } = this.field;
    if (this.boxes.length >= (max ?? Infinity)) return this.page.refuse(t`At most ${max} boxes can be drawn.`);
    if (this.boxes.some((other) => other.label === this.label && isSame(other.box, box))) {
      return this.page.refuse(t`This box is already there.`);
    }
    this.page.set(this.field, [...this.boxes, added], t`a box ${this.labelOf(this.label)}`);
    this.page.picture.select(`${this.field.key}:${this.boxes.length - 1}`);
    this.page.say(`${this.nameOf(added)}.`);
  }

  /** @param {number} at @param {Box} box @param {"move" | "resize"} how @param {boolean} isNudge */
  reshape(at, box, how, isNudge) {
    const before = this.boxes[at];
    if (before && !isSame(before.box, box)) {
      const boxes = this.boxes.map((other, place) => (place === at ? { ...other, box } : other));
      const label = `${how === "move" ? "moving" : "resizing"} a box`;
      this.page.set(this.field, boxes, label, isNudge ? `${how} ${this.field.key} ${at}` : null);
    } else this.page.render();
    announceSettled(
      () => sizeText(box),
      (text) => this.page.say(text),
    );
  }

  /** @param {number} at @param {string} label */
  relabel(at, label) {
    if (this.boxes[at]?.label === label) return this.page.render();
    const boxes = this.boxes.map((other, place) => (place === at ? { ...other, label } : other));
    this.page.set(this.field, boxes, t`a box ${this.labelOf(label)}`);
  }

  /** @param {number} at */
  removeAt(at) {
    const name = this.labelOf(this.boxes[at].label);
    this.page.picture.select(null);
    this.page.set(
      this.field,
      this.boxes.filter((_, place) => place !== at),
      t`removing a box ${name}`,
    );
    this.page.say(t`A box ${name} removed.`);
  }

  /** @param {string} key */
  press(key) {
    if (this.page.isReadOnly) return false;
    const option = this.keys.get(key);
    if (option) this.chooseLabel(option.key);
    else if (key === "b") this.page.picture.start(this.field.key);
    else return false;
    return true;
  }

  /** @param {boolean} isActive @returns {ShownBox[]} */
  shown(isActive) {
    return this.boxes.map((box, at) => ({
      key: `${this.field.key}:${at}`,
      box: box.box,
      kind: isActive ? "own" : "other",
      colour: this.colourOf(box.label),
      tag: String(at + 1),
      label: `${at + 1}. ${this.nameOf(box)}`,
      locked: this.page.isReadOnly || !isActive,
    }));
  }

  /** @param {LabelledBox[] | undefined} value */
  render(value) {
    const boxes = value ?? [];
    const locked = this.page.isReadOnly;
    this.empty.hidden = boxes.length > 0;
    setText(this.empty, this.page.picture.image ? t`No box yet. Draw on the picture.` : t`This item has no picture.`);
    for (const [at, button] of this.buttons.entries()) {
      button.setAttribute("aria-pressed", String(this.labels[at].key === this.label));
      button.disabled = locked;
    }
    const hadFocus = this.list.contains(document.activeElement);
    while (this.rows.length > boxes.length) this.rows.pop()?.element.remove();
    while (this.rows.length < boxes.length) this.addRow(this.rows.length);
    for (const [at, box] of boxes.entries()) {
      const { text, label, remove, element: row } = this.rows[at];
      row.dataset.tint = String(this.colourOf(box.label));
      setText(text, `${at + 1}. ${box.box[2] - box.box[0]} × ${box.box[3] - box.box[1]}`);
      text.setAttribute("aria-pressed", String(this.page.picture.selected === `${this.field.key}:${at}`));
      label.value = box.label;
      label.disabled = locked;
      remove.hidden = locked;
    }
    if (hadFocus && !this.list.contains(document.activeElement)) (this.rows.at(-1)?.text ?? this.element).focus();
  }

  /** @param {number} at */
  addRow(at) {
    const text = element("button", {
      type: "button",
      class: "spans__text quiet",
      onclick: () => this.page.picture.focusBox(`${this.field.key}:${at}`),
    });
    const onchange = () => this.relabel(at, label.value);
    const options = this.labels.map((option) => element("option", { value: option.key }, option.label));
    const label = element(
      "select",
      { class: "spans__label", "aria-label": t`Label of box ${at + 1}`, onchange },
      ...options,
    );
    label.hidden = this.labels.length < 2;
    const remove = element(
      "button",
      { type: "button", class: "quiet", "aria-label": t`Remove box ${at + 1}`, onclick: () => this.removeAt(at) },
      t`Remove`,
    );
    const row = element("li", { class: "spans__row" }, element("div", { class: "spans__head" }, text, label, remove));
    this.rows.push({ element: row, text, label, remove });
    this.list.append(row);
  }

  /** @param {string[]} [path] */
  focus(path = []) {
    const row = this.rows[Number(path[0] ?? NaN)];
    this.page.activate(this.field.key);
    if (row) row.text.focus();
    else if (!this.page.picture.focus()) super.focus();
  }

  /** @param {LabelledBox[]} value */
  lines(value) {
    // The numbers are those in the picture.
    return value.map((box, at) => `${at + 1}. ${this.nameOf(box)}`);
  }
}
