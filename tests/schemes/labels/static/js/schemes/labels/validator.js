// Check the label of another annotator.

import { mountChoice } from "./choice.js";

const OPTIONS = [
  { text: "Yes", value: true },
  { text: "No", value: false },
];

/** @type {import("../../work/contract.js").Mount} */
export function mount(root, data, onChange) {
  const question = `Is “${data.asked.label}” right?`;
  return mountChoice(root, data, onChange, { question, options: OPTIONS, field: "valid" });
}
