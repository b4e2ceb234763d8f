// A row of a consolidation: the arguments of the annotators side by side, and what becomes of them.

/** @import { Row } from "./case-types.js" */
/** @import { MergePage } from "./merge-page.js" */

import { corpusText, element, setText, t } from "../../html.js";
import { ignoresKey, keyHint } from "../../shortcuts.js";
import { source } from "./frame-source.js";
import { elementSelect, roleSelect } from "./label-fields.js";
import { argumentOf, isAgreed, keep, letterOf, removeRow, repetition } from "./merge-state.js";
import { textOf } from "./record.js";

const DROP = "drop";

export class MergeRow {
  /** @param {Row} row @param {MergePage} page */
  constructor(row, page) {
    this.key = row.key;
    this.page = page;
    this.place = `row-${row.key}`;
    this.isAdded = row.units.length === 0;
    const id = page.idOf(this.place);
    /** @type {HTMLInputElement[]} */
    this.radios = [];
    this.title = element("strong", {});
    this.words = element("button", { type: "button", onclick: () => this.pickWords() });
    this.element = element("span", { class: "merge-editor__choice" });
    this.role = element("span", { class: "merge-editor__choice" });
    this.editor = element(
      "div",
      { class: "merge-editor", hidden: true },
      element("p", {}, this.words),
      element("p", { class: "field" }, element("label", { for: `${id}-element` }, t`Frame element`), this.element),
      element("p", { class: "field" }, element("label", { for: `${id}-role` }, t`Generic role`), this.role),
    );
    this.painted = "";
    this.warning = element("p", { class: "message message--warning", role: "status", hidden: true });
    this.id = id;
    this.box = element(
      "li",
      { class: "argument" },
      element(
        "fieldset",
        { class: "judgment", id, onkeydown: (/** @type {KeyboardEvent} */ event) => this.keyDown(event) },
        element("legend", {}, this.title),
        this.isAdded ? this.removal() : this.choices(row),
        this.warning,
        this.editor,
      ),
    );
  }

  /** @param {Row} row */
  choices(row) {
    const { sources } = this.page;
    const agreed = isAgreed(row, sources);
    const options = sources.flatMap((_, at) => (agreed && at > 0 ? [] : [this.option(row, at, agreed)]));
    return element("div", { class: "merge-row" }, ...options, this.dropOption());
  }

  /** @param {Row} row @param {number} at @param {boolean} agreed */
  option(row, at, agreed) {
    const { page } = this;
    const argument = argumentOf(row, at, page.sources);
    const letters = agreed ? page.sources.map((_, place) => letterOf(place)).join(t` and `) : letterOf(at);
    if (!argument) {
      return element("p", { class: "merge-choice merge-choice--absent" }, t`${letters} did not select it.`);
    }
    const key = agreed ? "k" : letterOf(at).toLowerCase();
    const radio = this.radio(String(at), key, () => this.keep(at));
    const labels = [argument.element, argument.role].filter(Boolean).join(" · ");
    return element(
      "label",
      { class: "merge-choice" },
      radio,
      element(
        "span",
        {},
        element("span", {}, `${letters} `, keyHint(key)),
        element(
          "strong",
          { class: "merge-choice__labels", ...corpusText() },
          `“${textOf(argument.head, page.tokens)}”`,
        ),
        element("span", { class: "merge-choice__labels" }, labels),
      ),
    );
  }

  dropOption() {
    const radio = this.radio(DROP, "x", () => this.drop());
    return element("label", { class: "merge-choice" }, radio, element("span", {}, t`Drop `, keyHint("x")));
  }

  /** @param {string} value @param {string} key @param {() => void} onchange */
  radio(value, key, onchange) {
    const radio = element("input", { type: "radio", name: this.id, value, "aria-keyshortcuts": key, onchange });
    this.radios.push(radio);
    return radio;
  }

  removal() {
    this.remove = element("button", { type: "button", class: "quiet", onclick: () => this.removeAdded() }, t`Remove`);
    return element("p", {}, t`Added by you. `, this.remove);
  }

  // --- moves

  get row() {
    return /** @type {Row} */ (this.page.state.rows.find(({ key }) => key === this.key));
  }

  /** @param {number} at */
  keep(at) {
    const { page } = this;
    const words = `“${textOf(this.row.head, page.tokens)}”`;
    page.change(keep(page.state, this.key, at, page.sources), t`keeping ${words} from ${letterOf(at)}`);
  }

  drop() {
    const words = `“${textOf(this.row.head, this.page.tokens)}”`;
    this.page.changeRow(this.key, { choice: "dropped", base: null }, t`dropping ${words}`);
  }

  removeAdded() {
    const words = `“${textOf(this.row.head, this.page.tokens)}”`;
    this.page.change(removeRow(this.page.state, this.key), t`removing ${words}`);
    this.page.ref("add").focus();
  }

  pickWords() {
    const { head } = this.row;
    this.page.togglePicking({ place: this.place, head, onChange: (words) => this.page.changeHead(this.row, words) });
  }

  /** @param {KeyboardEvent} event */
  keyDown(event) {
    if (this.page.locked || this.isAdded || event.shiftKey || ignoresKey(event, "select")) return;
    const at =
      event.key === "k" ? 0 : this.page.sources.findIndex((_, place) => letterOf(place).toLowerCase() === event.key);
    const value = event.key === "x" ? DROP : String(at);
    const radio = this.radios.find((candidate) => candidate.value === value);
    if (!radio) return;
    radio.click();
    this.page.goOn(this.key);
    event.preventDefault();
  }

  // --- rendering

  /** @param {Row} row */
  update(row) {
    const { locked, picking } = this.page;
    const words = `“${textOf(row.head, this.page.tokens)}”`;
    setText(this.title, this.isAdded || row.choice === "kept" ? words : `${words}${row.choice ? ", dropped" : ""}`);
    for (const radio of this.radios) {
      radio.checked =
        row.choice === "dropped" ? radio.value === DROP : row.choice === "kept" && radio.value === String(row.base);
      radio.disabled = locked;
    }
    if (this.remove) this.remove.disabled = locked;
    this.editor.hidden = row.choice !== "kept";
    const isPicking = picking?.place === this.place;
    setText(this.words, isPicking ? t`Done` : t`Edit words`);
    this.words.setAttribute("aria-pressed", String(isPicking));
    this.words.disabled = locked;
    const warning = repetition(this.page.state, row, this.page.tokens, source.frame(this.page.state.frame));
    this.warning.hidden = !warning;
    setText(this.warning, warning);
    this.renderLists(row);
  }

  /** @param {Row} row */
  renderLists(row) {
    const { page } = this;
    const frame = source.frame(page.state.frame);
    const key = JSON.stringify([row.element, row.role, frame?.name, page.locked]);
    if (key === this.painted) return;
    this.painted = key;
    const words = `“${textOf(row.head, page.tokens)}”`;
    const none = t`none`;
    const choose = (/** @type {"element" | "role"} */ part) => (/** @type {string} */ value) =>
      page.changeRow(this.key, { [part]: value }, t`the ${part} ${value || none} for ${words}`);
    const elements = elementSelect({
      frame,
      value: row.element,
      coreOnly: page.coreOnly,
      none: t`No element`,
      onChoose: choose("element"),
    });
    const roles = roleSelect({
      roles: page.roles,
      likely: page.likelyRoles(row, page.state.frame),
      value: row.role,
      none: t`No role`,
      onChoose: choose("role"),
    });
    this.put(this.element, elements, "element");
    this.put(this.role, roles, "role");
  }

  /** @param {HTMLElement} box @param {HTMLSelectElement} list @param {string} name */
  put(box, list, name) {
    const hadFocus = box.contains(document.activeElement);
    list.id = `${this.id}-${name}`;
    list.disabled = this.page.locked;
    box.replaceChildren(list);
    if (hadFocus) list.focus();
  }
}
