// The phrases of a caption with their progress. A click goes to the phrase.

import { element, setText } from "../../html.js";

/** @typedef {{text: string, colour: number, progress: string, isDone: boolean, hasWarning: boolean}} ListedPhrase */

export class PhraseList {
  /** @param {HTMLElement} root @param {number} count @param {(at: number) => void} onChoose */
  constructor(root, count, onChoose) {
    this.rows = Array.from({ length: count }, (_, at) => {
      const number = element("span", { class: "phrase__number", "aria-hidden": "true" }, String(at + 1));
      const text = element("span", { class: "phrase__text" });
      const progress = element("span", { class: "phrase__progress figure" });
      const button = element(
        "button",
        { type: "button", class: "phrase", onclick: () => onChoose(at) },
        number,
        text,
        progress,
      );
      return { button, number, text, progress };
    });
    root.replaceChildren(...this.rows.map(({ button }) => element("li", {}, button)));
  }

  /** @param {ListedPhrase[]} phrases @param {number} current */
  show(phrases, current) {
    for (const [at, { text, colour, progress, isDone, hasWarning }] of phrases.entries()) {
      const row = this.rows[at];
      row.button.dataset.colour = String(colour);
      row.button.classList.toggle("phrase--done", isDone);
      row.button.classList.toggle("phrase--warning", hasWarning);
      if (at === current) row.button.setAttribute("aria-current", "true");
      else row.button.removeAttribute("aria-current");
      setText(row.text, text);
      setText(row.progress, `${isDone ? (hasWarning ? "! " : "✓ ") : ""}${progress}`);
    }
  }
}
