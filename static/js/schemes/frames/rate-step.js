// The last step: the confidence, a summary of the record, and how others annotated the verb.

/** @import { RecordState, StepName } from "./frame-types.js" */
/** @import { RecordPage } from "./record-page.js" */

import { corpusText, counted, element, ref, setText, t } from "../../html.js";
import { ignoresKey } from "../../shortcuts.js";
import { CONFIDENCES, lemmaOf, textOf } from "./record.js";

export class RateStep {
  /** @param {RecordPage} page @param {string[]} texts  what each confidence means */
  constructor(page, texts) {
    this.page = page;
    this.radios = CONFIDENCES.map((value, at) => {
      const onchange = () => page.rate(value);
      return element("input", { type: "radio", name: "confidence", value, "aria-keyshortcuts": at + 1, onchange });
    });
    const labels = this.radios.map((radio, at) =>
      element("label", { class: "confidence__choice" }, radio, `${at + 1} ${texts[at] ?? ""}`),
    );
    ref(page.root, "confidences").append(...labels);
    const panel = ref(page.root, "panel-rate");
    panel.addEventListener("keydown", (event) => this.keyDown(event));
    this.painted = "";
  }

  focus() {
    (this.radios.find(({ checked }) => checked) ?? this.radios[0]).focus();
  }

  /** @param {KeyboardEvent} event */
  keyDown(event) {
    if (this.page.locked || ignoresKey(event, "textarea")) return;
    const radio = this.radios[Number(event.key) - 1];
    if (!radio) return;
    radio.focus();
    radio.click();
    event.preventDefault();
  }

  /** @param {RecordState} state */
  render(state) {
    for (const radio of this.radios) {
      radio.checked = Number(radio.value) === state.confidence;
      radio.disabled = this.page.locked;
    }
    this.renderSummary(state);
    this.renderPrecedents(state);
  }

  /** @param {RecordState} state */
  renderSummary(state) {
    const key = JSON.stringify([state.verb, state.frame, state.arguments]);
    if (key === this.painted) return;
    this.painted = key;
    const { facts } = this.page;
    const none = t`no element or role yet`;
    const list = state.arguments.map(({ head, element: name, role, isOwnRole }) =>
      element(
        "li",
        {},
        element("span", { class: "summary__words", ...corpusText() }, `“${textOf(head, facts.tokens)}”`),
        ` ${[name, role].filter(Boolean).join(" · ") || none}`,
        role && !isOwnRole ? element("span", { class: "argument__suggested" }, t`role suggested`) : "",
      ),
    );
    ref(this.page.root, "summary").replaceChildren(
      ...this.entry(t`Verb`, "frame", lemmaOf(state.verb, facts)),
      ...this.entry(t`Frame`, "frame", state.frame || t`none yet`),
      ...this.entry(t`Arguments`, "arguments", list.length > 0 ? element("ul", {}, ...list) : t`none`),
    );
  }

  /** @param {string} name @param {StepName} step @param {Node | string} value */
  entry(name, step, value) {
    const onclick = () => this.page.goTo(step);
    const button = element(
      "button",
      { type: "button", class: "quiet", onclick },
      t`Revise`,
      element("span", { class: "visually-hidden" }, ` ${name.toLowerCase()}`),
    );
    return [element("dt", {}, name), element("dd", {}, value, " ", button)];
  }

  /** @param {RecordState} state */
  renderPrecedents(state) {
    const precedents = this.page.precedents();
    const title = t`How others annotated “${lemmaOf(state.verb, this.page.facts)}”`;
    setText(ref(this.page.root, "precedents-title"), title);
    ref(this.page.root, "no-precedents").hidden = precedents.length > 0;
    const items = precedents.map(({ frame, lemma, count }) =>
      element("li", {}, t`${frame}: ${counted(count, "record")} of “${lemma.replaceAll("_", " ")}”`),
    );
    ref(this.page.root, "precedents").replaceChildren(...items);
  }
}
