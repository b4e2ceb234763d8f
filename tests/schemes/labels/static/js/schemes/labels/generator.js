// Choose the label of a sentence.

import { mountChoice } from "./choice.js";

/** @type {import("../../work/contract.js").Mount} */
export function mount(root, data, onChange) {
  const options = data.data.labels.map((/** @type {string} */ name) => ({ text: name, value: name }));
  const { disputes } = data;
  const note = disputes ? `${disputes.against} people dispute the label “${disputes.label}”. ` : "";
  return mountChoice(root, data, onChange, { question: `${note}Which label fits?`, options, field: "label" });
}
