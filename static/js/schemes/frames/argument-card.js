// An argument: the words of its head, its frame element and its generic role. The active one is open.

/** @import { Argument, Frame, FrameElement, RecordState } from "./frame-types.js" */
/** @import { RecordPage } from "./record-page.js" */

import { counted, element, setText, t } from "../../html.js";
import { ignoresKey, keyHint } from "../../shortcuts.js";
import { disputeNotes } from "./dispute-notes.js";
import { source } from "./frame-source.js";
import { retry, runsText } from "./frame-text.js";
import { roleGroups } from "./label-fields.js";
import { argumentProblem, holderOf, isCore, isLost, rolesFor, textOf } from "./record.js";

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const NO_ELEMENT = "-";
// The digits of the likely roles.
export const ROLE_KEYS = "12345";

export class ArgumentCard {
  /** @param {Argument} argument @param {RecordPage} page */
  constructor({ key, origin }, page) {
    this.key = key;
    this.page = page;
    this.choices = new ElementChoice(key, page);
    this.head = element("button", {
      type: "button",
      class: "argument__head",
      "aria-controls": `argument-${key}`,
      onclick: () => page.activate(page.activeKey === key ? null : key),
    });
    this.labels = element("span", { class: "argument__labels" });
    const remove = { type: "button", class: "quiet argument__remove", onclick: () => page.removeArgument(key) };
    this.remove = element("button", remove);
    this.words = element(
      "button",
      { type: "button", "aria-pressed": "false", onclick: () => page.toggleWordMode() },
      t`Add or remove words`,
    );
    this.lost = element("div", { class: "message message--warning", hidden: true });
    this.role = element("select", { id: `role-${key}`, onchange: () => page.setRole(key, this.role.value) });
    this.roleKeys = element("span", { class: "role-keys" });
    this.rolesPainted = "";
    this.suggested = element("span", { class: "argument__suggested" }, t`role suggested`);
    this.hint = element("span", { class: "hint", id: `role-hint-${key}` });
    this.role.setAttribute("aria-describedby", this.hint.id);
    const disputes = this.disputes(origin);
    this.isDisputed = disputes.length > 0;
    this.body = element(
      "div",
      { class: "argument__body", id: `argument-${key}` },
      ...disputes,
      this.lost,
      element("p", { class: "argument__tools" }, this.words),
      this.choices.box,
      element(
        "p",
        { class: "field" },
        element("label", { for: this.role.id }, t`Generic role`),
        this.role,
        this.roleKeys,
        this.hint,
      ),
    );
    this.note = element("p", { class: "error argument__note", hidden: true });
    this.box = element(
      "li",
      { class: "argument", onkeydown: (/** @type {KeyboardEvent} */ event) => this.keyDown(event) },
      element("div", { class: "argument__line" }, this.head, this.labels, this.suggested, this.remove),
      this.note,
      this.body,
    );
  }

  /** @param {number | null} origin */
  disputes(origin) {
    const { page, key } = this;
    return (page.disputes.arguments ?? [])
      .filter(({ argument }) => argument === origin)
      .flatMap(({ part, ...dispute }) =>
        disputeNotes([dispute], {
          subject: { head: t`the words`, element: t`the element`, role: t`the role` }[part],
          textOf: (proposal) => (Array.isArray(proposal) ? textOf(proposal, page.facts.tokens) : proposal),
          onTake: (proposal) => page.takeProposal(key, part, proposal),
        }),
      );
  }

  /**
   * @param {RecordState} state
   * @param {Argument} argument
   * @param {Frame | null} frame
   */
  update(state, argument, frame) {
    const { activeKey, facts, locked, wordMode } = this.page;
    const isActive = this.key === activeKey;
    const words = `“${textOf(argument.head, facts.tokens)}”`;
    this.box.classList.toggle("argument--active", isActive);
    setText(this.head, words);
    this.head.setAttribute("aria-expanded", String(isActive));
    const labels = [argument.element, argument.role].filter(Boolean).join(" · ") || t`no element or role yet`;
    setText(this.labels, this.isDisputed ? `${labels} – disputed` : labels);
    this.suggested.hidden = !argument.role || argument.isOwnRole;
    setText(this.remove, t`Remove`);
    this.remove.setAttribute("aria-label", t`Remove ${words}`);
    this.remove.disabled = locked;
    this.words.disabled = locked;
    this.words.setAttribute("aria-pressed", String(isActive && wordMode));
    this.body.hidden = !isActive;
    this.showNote(state, argument, frame);
    if (!isActive) return;
    this.showLost(argument, frame);
    this.choices.update(state, argument, frame, words);
    this.showRole(state, argument);
  }

  // The note of a closed card. An open one shows what is missing by itself.
  /** @param {RecordState} state @param {Argument} argument @param {Frame | null} frame */
  showNote(state, argument, frame) {
    const problem = this.key === this.page.activeKey ? "" : argumentProblem(argument, state, this.page.facts, frame);
    this.note.hidden = !problem;
    setText(this.note, problem);
  }

  /** @param {Argument} argument @param {Frame | null} frame */
  showLost(argument, frame) {
    const isShown = isLost(argument.element, frame);
    this.lost.hidden = !isShown;
    if (!isShown || this.lost.dataset.element === `${frame?.name} ${argument.element}`) return;
    this.lost.dataset.element = `${frame?.name} ${argument.element}`;
    const onclick = () => this.page.setElement(this.key, "");
    this.lost.replaceChildren(
      element("p", {}, t`${frame?.name} has no element ${argument.element}. Choose another one below, or none.`),
      element("p", {}, element("button", { type: "button", onclick }, t`Remove the element ${argument.element}`)),
    );
  }

  /** @param {RecordState} state @param {Argument} argument */
  showRole(state, argument) {
    const { facts, locked } = this.page;
    const { likely, suggested } = rolesFor(argument, state, facts);
    this.paintRoles(likely, argument.role);
    this.role.disabled = locked;
    this.role.value = argument.role;
    for (const button of this.roleKeys.querySelectorAll("button")) {
      button.disabled = locked;
      button.setAttribute("aria-pressed", String(button.value === argument.role));
    }
    const definition = facts.roles.find(({ name }) => name === argument.role)?.definition ?? "";
    const parts = [];
    if (argument.role && !argument.isOwnRole) parts.push("Suggested.");
    else if (suggested && suggested !== argument.role) parts.push(t`The suggestion is ${suggested}.`);
    setText(this.hint, [...parts, definition].filter(Boolean).join(" "));
  }

  // The list, and the likely roles with their digits. Both change with the element.
  /** @param {string[]} likely @param {string} value */
  paintRoles(likely, value) {
    const key = JSON.stringify([likely, value]);
    if (key === this.rolesPainted) return;
    this.rolesPainted = key;
    const groups = roleGroups({ roles: this.page.facts.roles, likely, value });
    this.role.replaceChildren(element("option", { value: "" }, t`No role`), ...groups);
    const names = likely.slice(0, ROLE_KEYS.length);
    const hadFocus = [...this.roleKeys.children].indexOf(/** @type {Element} */ (document.activeElement));
    this.roleKeys.replaceChildren(
      ...names.map((name, at) => {
        const onclick = () => this.page.setRole(this.key, name);
        const attributes = { type: "button", value: name, "aria-keyshortcuts": ROLE_KEYS[at], onclick };
        return element("button", attributes, keyHint(ROLE_KEYS[at]), name);
      }),
    );
    const focused = this.roleKeys.children[hadFocus];
    if (focused instanceof HTMLElement) focused.focus();
  }

  /**
   * Choose the likely role with a digit. Return false if there is none.
   *
   * @param {string} key
   */
  takeDigit(key) {
    const button = this.roleKeys.children[ROLE_KEYS.indexOf(key)];
    if (!(button instanceof HTMLElement)) return false;
    button.click();
    return true;
  }

  focus() {
    this.choices.focus() || this.role.focus();
  }

  /** @param {KeyboardEvent} event */
  keyDown(event) {
    if (this.page.locked || event.shiftKey || ignoresKey(event, "textarea")) return;
    const isRole = event.target === this.role;
    if (event.key === "Escape") this.page.focusSentence();
    else if (event.key === "Enter" && event.target instanceof HTMLInputElement) this.page.focusSentence();
    else if (event.key === "Delete" && !isRole) this.page.removeArgument(this.key);
    else if (!this.takeDigit(event.key) && (isRole || !this.choices.takeLetter(event.key))) return;
    event.preventDefault();
  }
}

/** The elements of the frame as radio buttons with letters. */
class ElementChoice {
  /** @param {number} key @param {RecordPage} page */
  constructor(key, page) {
    this.key = key;
    this.page = page;
    this.painted = "";
    /** @type {Map<string, {radio: HTMLInputElement, taken: HTMLElement, element: FrameElement | null}>} */
    this.options = new Map();
    this.legend = element("legend");
    this.content = element("div");
    this.box = element("fieldset", { class: "element-choice" }, this.legend, this.content);
  }

  /** @param {RecordState} state @param {Argument} argument @param {Frame | null} frame @param {string} words */
  update(state, argument, frame, words) {
    setText(this.legend, t`Frame element of ${words}`);
    const hadFocus = this.content.contains(document.activeElement);
    this.paint(state, frame);
    for (const [name, option] of this.options) {
      const holder = option.element && holderOf(state, option.element, this.key);
      option.radio.checked = argument.element === name;
      option.radio.disabled = this.page.locked || Boolean(holder);
      setText(option.taken, holder ? `marked: “${textOf(holder.head, this.page.facts.tokens)}”` : "");
    }
    if (hadFocus && !this.content.contains(document.activeElement)) this.focus();
  }

  /** @param {RecordState} state @param {Frame | null} frame */
  paint(state, frame) {
    const painted = `${state.frame} ${source.frames.get(state.frame) === frame ? "loaded" : source.frames.get(state.frame)}`;
    if (painted === this.painted) return;
    this.painted = painted;
    this.options.clear();
    if (frame) this.content.replaceChildren(...this.lists(frame));
    else if (!state.frame)
      this.content.replaceChildren(element("p", {}, t`Choose a frame first, or only a role here.`));
    else if (source.frames.get(state.frame) === "failed") this.content.replaceChildren(...retry(state.frame));
    else this.content.replaceChildren(element("p", { role: "status", tabindex: -1 }, t`Loading the elements …`));
  }

  /** @param {Frame} frame */
  lists(frame) {
    const core = frame.elements.filter(isCore);
    const others = this.page.coreOnly ? [] : frame.elements.filter((frameElement) => !isCore(frameElement));
    const options = [...core, ...others].map((frameElement, at) => this.option(frameElement, LETTERS[at] ?? "", frame));
    const parts = [
      element("div", { class: "element-choice__list" }, ...options.slice(0, core.length), this.noElement()),
    ];
    if (others.length > 0) {
      const summary = element("summary", {}, counted(others.length, "optional element"));
      const list = element("div", { class: "element-choice__list" }, ...options.slice(core.length));
      parts.push(/** @type {any} */ (element("details", { open: true }, summary, list)));
    }
    return parts;
  }

  /** @param {FrameElement} frameElement @param {string} letter @param {Frame} frame */
  option(frameElement, letter, frame) {
    const id = `element-${this.key}-${this.options.size}`;
    const taken = element("span", { class: "element-choice__taken" });
    const radio = this.radio(frameElement.name, { "aria-describedby": id, "aria-keyshortcuts": letter || null });
    this.options.set(frameElement.name, { radio, taken, element: frameElement });
    return element(
      "div",
      { class: "element-choice__option" },
      element(
        "label",
        {},
        radio,
        letter && keyHint(letter),
        ...runsText([[frameElement.name, frameElement.name]], frame.elements),
        taken,
      ),
      element("p", { class: "element-choice__definition", id }, ...runsText(frameElement.definition, frame.elements)),
    );
  }

  noElement() {
    const radio = this.radio("", { "aria-keyshortcuts": NO_ELEMENT });
    this.options.set("", { radio, taken: element("span"), element: null });
    const label = element("label", {}, radio, keyHint(NO_ELEMENT), t`No element, only a role`);
    return element("div", { class: "element-choice__option" }, label);
  }

  /** @param {string} value @param {Record<string, string | null>} attributes */
  radio(value, attributes) {
    const onchange = () => this.page.setElement(this.key, value);
    return element("input", { type: "radio", name: `element-${this.key}`, value, onchange, ...attributes });
  }

  // Return false if there is nothing to choose. While the elements are loading, their place has the focus,
  // and the first of them afterwards.
  focus() {
    const radios = [...this.options.values()].map(({ radio }) => radio).filter(({ disabled }) => !disabled);
    const radio = radios.find(({ checked, value }) => checked && value) ?? radios[0];
    const target = radio ?? this.content.querySelector("[role=status], button");
    if (target instanceof HTMLElement) target.focus();
    return target !== null;
  }

  /**
   * Choose the element with a letter, and go on in the sentence. Return false if there is none.
   *
   * @param {string} letter
   */
  takeLetter(letter) {
    if (letter.length !== 1) return false;
    const names = [...this.options.keys()].filter(Boolean);
    const name = letter === NO_ELEMENT ? "" : names[LETTERS.indexOf(letter.toLowerCase())];
    const option = name === undefined ? undefined : this.options.get(name);
    if (!option || this.page.activeKey !== this.key) return false;
    if (option.radio.disabled) this.page.refuse(t`${name} is ${option.taken.textContent}.`);
    else if (this.page.setElement(this.key, name ?? "")) this.page.focusSentence();
    return true;
  }
}
