// The first step for a noun: whether it describes an action or event in its sentence.

/** @import { Predicate } from "./predicate.js" */

import { quoted, ref, setText, t } from "../../html.js";
import { ignoresKey } from "../../shortcuts.js";
import { isNoun, predicateText } from "./predicate.js";

/** @type {Record<string, boolean>} */
const KEYS = { y: true, n: false };

/** Two choices with the keys y and n. They stay hidden for verbs. */
export class VerbalStep {
  /**
   * @param {HTMLElement} root
   * @param {object} options
   * @param {Predicate} options.target
   * @param {string[]} options.tokens
   * @param {(isVerbal: boolean) => void} options.onChoose
   */
  constructor(root, { target, tokens, onChoose }) {
    this.box = ref(root, "verbal-step", HTMLFieldSetElement);
    this.choices = new Map([
      [true, ref(root, "is-verbal", HTMLInputElement)],
      [false, ref(root, "not-verbal", HTMLInputElement)],
    ]);
    this.box.hidden = !isNoun(target);
    if (this.box.hidden) return;
    const noun = quoted(predicateText(target, tokens));
    setText(ref(root, "verbal-question"), t`Does ${noun} describe an action or event here?`);
    setText(ref(root, "verbal-verb"), target.verb_form ?? "");
    this.box.addEventListener("keydown", (event) => {
      const choice = KEYS[event.key.toLowerCase()];
      if (choice === undefined || ignoresKey(event, "textarea")) return;
      event.preventDefault();
      if (!this.box.disabled) onChoose(choice);
    });
    for (const [value, input] of this.choices) input.addEventListener("change", () => onChoose(value));
  }

  /** @param {boolean | null} isVerbal  null if undecided @param {boolean} isLocked */
  update(isVerbal, isLocked) {
    for (const [value, input] of this.choices) input.checked = value === isVerbal;
    this.box.disabled = isLocked;
  }

  focus() {
    const chosen = [...this.choices.values()].find((input) => input.checked);
    (chosen ?? this.choices.get(true))?.focus();
  }
}
