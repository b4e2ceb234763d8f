// Choose between the labels of two annotators.

import { mountChoice } from "./choice.js";

/** @type {import("../../work/contract.js").Mount} */
export function mount(root, data, onChange) {
  const options = data.layout.labels.map((/** @type {string} */ name, /** @type {number} */ at) => ({
    text: `${name} (annotator ${"AB"[at] ?? at + 1})`,
    value: name,
  }));
  return mountChoice(root, data, onChange, { question: "Which label is better?", options, field: "label" });
}
