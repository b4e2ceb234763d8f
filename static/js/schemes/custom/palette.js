// The labels that the selected words can get, below the text. Each has a key.

/** @import { Option } from "./custom-types.js" */

import { element, t } from "../../html.js";
import { keyHint } from "../../shortcuts.js";
import { hotkeys } from "./controls.js";

const COLOURS = 6;
// With more labels, a box to search in them is shown.
const MANY = 15;

export class Palette {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.shown = "";
    /** @type {Map<string, Option>} */
    this.keys = new Map();
    this.onChoose = (/** @type {Option} */ _option) => {};
  }

  /**
   * @param {string} id  of the list of labels
   * @param {string} title
   * @param {Option[]} labels
   * @param {{locked: boolean, onChoose: (label: Option) => void}} options
   */
  show(id, title, labels, { locked, onChoose }) {
    this.onChoose = onChoose;
    const key = JSON.stringify([id, labels.map((label) => label.key), locked]);
    this.root.hidden = labels.length === 0;
    if (this.shown === key) return;
    this.shown = key;
    this.keys = hotkeys(labels);
    const hints = new Map([...this.keys].map(([letter, label]) => [label, letter]));
    this.root.setAttribute("aria-label", title);
    const buttons = labels.map((label, at) => this.button(label, (at % COLOURS) + 1, hints.get(label) ?? "", locked));
    this.root.replaceChildren(...(labels.length > MANY ? [this.search(buttons)] : []), ...buttons);
  }

  hide() {
    this.show("", "", [], { locked: true, onChoose: () => {} });
  }

  /** @param {Option} label @param {number} tint @param {string} hint @param {boolean} locked */
  button(label, tint, hint, locked) {
    const attributes = {
      type: "button",
      class: "palette__label",
      "data-tint": tint,
      disabled: locked,
      "aria-keyshortcuts": hint || null,
      title: label.help || null,
      onclick: () => this.onChoose(label),
    };
    return element("button", attributes, label.label, hint ? keyHint(hint) : "");
  }

  /** @param {HTMLElement[]} buttons */
  search(buttons) {
    const box = element("input", {
      type: "search",
      class: "palette__search",
      placeholder: t`Search ${buttons.length} labels`,
      "aria-label": t`Search the labels`,
      autocomplete: "off",
      oninput: () => {
        const query = box.value.trim().toLowerCase();
        for (const button of buttons) button.hidden = !button.textContent?.toLowerCase().includes(query);
      },
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key !== "Enter") return;
        event.preventDefault();
        buttons.find(({ hidden }) => !hidden)?.click();
      },
    });
    return box;
  }

  // Enter on selected words goes to the first label.
  focus() {
    const control = this.root.querySelector("input, button:enabled");
    if (control instanceof HTMLElement) control.focus();
  }
}
