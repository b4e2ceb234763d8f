// A choice between radio buttons, by mouse or by the keys 1 to 9.

import { element, isTyping } from "../../html.js";
import { spanText } from "../../written-text.js";

/** @typedef {{text: string, value: any}} Option */

/**
 * @param {HTMLElement} root
 * @param {import("../../work/contract.js").ItemData} data
 * @param {import("../../work/contract.js").OnChange} onChange
 * @param {{question: string, options: Option[], field: string}} choice  `field` is the content's field
 * @returns {import("../../work/contract.js").Work}
 */
export function mountChoice(root, data, onChange, { question, options, field }) {
  const radios = options.map(({ text, value }) => {
    const checked = data.content?.[field] === value;
    const onchange = () => onChange({ label: `choosing ${text}` });
    return element("input", { type: "radio", name: `choice-${data.id}`, checked, disabled: data.locked, onchange });
  });
  const labels = options.map(({ text }, at) =>
    element("label", { class: "field" }, radios[at], " ", element("kbd", {}, String(at + 1)), ` ${text}`),
  );
  root.append(
    element("p", { class: "sentence", id: "sentence", dir: "auto" }, spanText(data.tokens, [0, data.tokens.length])),
    element("fieldset", {}, element("legend", {}, question), ...labels),
  );

  /** @param {KeyboardEvent} event */
  function choose(event) {
    const radio = radios[Number(event.key) - 1];
    if (!radio || !root.isConnected || event.ctrlKey || event.altKey || event.metaKey) return;
    if (isTyping(event, "textarea")) return;
    radio.focus();
    radio.click();
  }
  document.addEventListener("keydown", choose);

  const chosen = () => options[radios.findIndex((radio) => radio.checked)];
  return {
    content: () => ({ [field]: chosen()?.value ?? null }),
    problems: () => (chosen() ? [] : [{ message: `${question} Choose an answer.` }]),
    describe: (content) => options.filter(({ value }) => value === content?.[field]).map(({ text }) => text),
    units: () => 1,
    step: () => "choice",
    focus: () => (radios.find((radio) => radio.checked) ?? radios[0]).focus(),
    destroy: () => document.removeEventListener("keydown", choose),
  };
}
