// The third step: the arguments with their elements and roles.

/** @import { Frame, RecordState } from "./frame-types.js" */
/** @import { RecordPage } from "./record-page.js" */

import { element, ref, setText, t } from "../../html.js";
import { ArgumentCard } from "./argument-card.js";
import { source } from "./frame-source.js";
import { elementList, retry } from "./frame-text.js";
import { isCore, textOf } from "./record.js";

export class ArgumentStep {
  /** @param {RecordPage} page */
  constructor(page) {
    this.page = page;
    /** @type {Map<number, ArgumentCard>} */
    this.cards = new Map();
    this.painted = "";
    this.none = ref(page.root, "mentions-none", HTMLInputElement);
    this.none.addEventListener("change", () => page.mentionNone(this.none.checked));
    ref(page.root, "missing").append(...this.missing());
  }

  // The arguments that verifiers miss.
  missing() {
    const { disputes, facts } = this.page;
    return (disputes.missing ?? []).map((argument) => {
      const words = `“${textOf(argument.head, facts.tokens)}”`;
      const labels = [argument.element, argument.role].filter(Boolean).join(" · ");
      const onclick = () => this.page.addMissing(argument);
      return element(
        "div",
        { class: "message message--warning dispute" },
        element(
          "p",
          {},
          labels
            ? t`A verifier reports a missing argument: ${words} as ${labels}.`
            : t`A verifier reports a missing argument: ${words}.`,
        ),
        element("p", {}, element("button", { type: "button", onclick }, t`Select ${words}`)),
      );
    });
  }

  /** @param {RecordState} state @param {Frame | null} frame */
  render(state, frame) {
    this.renderCards(state, frame);
    ref(this.page.root, "no-arguments").hidden = state.arguments.length > 0;
    this.none.checked = state.mentionsNone;
    this.none.disabled = this.page.locked;
    this.renderReference(state, frame);
  }

  /** @param {RecordState} state @param {Frame | null} frame */
  renderCards(state, frame) {
    const keys = new Set(state.arguments.map(({ key }) => key));
    for (const [key, card] of this.cards) {
      if (keys.has(key)) continue;
      card.box.remove();
      this.cards.delete(key);
    }
    const list = ref(this.page.root, "arguments");
    for (const [position, argument] of state.arguments.entries()) {
      const card = this.cards.get(argument.key) ?? new ArgumentCard(argument, this.page);
      this.cards.set(argument.key, card);
      card.update(state, argument, frame);
      if (list.children[position] !== card.box) list.insertBefore(card.box, list.children[position] ?? null);
    }
  }

  // The elements of the frame, while no argument offers them.
  /** @param {RecordState} state @param {Frame | null} frame */
  renderReference(state, frame) {
    const box = ref(this.page.root, "reference");
    box.hidden = this.page.activeKey !== null || !state.frame;
    const name = ref(this.page.root, "reference-frame");
    setText(name, state.frame);
    const status = frame ? "loaded" : source.frames.get(state.frame);
    const key = `${state.frame} ${status}`;
    if (key === this.painted) return;
    this.painted = key;
    const content = ref(this.page.root, "reference-elements");
    if (frame) {
      const shown = this.page.coreOnly ? frame.elements.filter(isCore) : frame.elements;
      content.replaceChildren(elementList(shown, frame.elements));
    } else if (status === "failed") content.replaceChildren(...retry(state.frame));
    else content.replaceChildren(element("p", { role: "status" }, t`Loading the elements …`));
  }

  /** @param {number} key */
  focusCard(key) {
    this.cards.get(key)?.focus();
  }

  /**
   * Choose a likely role of an argument with a digit. Return false if there is none.
   *
   * @param {number} key
   * @param {string} digit
   */
  takeDigit(key, digit) {
    return this.cards.get(key)?.takeDigit(digit) ?? false;
  }
}
