// A part of a record that a verifier verifies or disputes, with the reason and a proposal.

/** @import { Judgment, Verdict } from "./case-types.js" */
/** @import { CasePage } from "./case-page.js" */

import { element, setText, t } from "../../html.js";
import { ignoresKey, keyHint } from "../../shortcuts.js";

/** @type {[Verdict, string, string][]} */
const VERDICTS = [
  ["verified", t`Verify`, "v"],
  ["disputed", t`Dispute`, "d"],
];
const MAX_REASON_LENGTH = 1000;

export class JudgmentField {
  /**
   * @param {object} options
   * @param {CasePage<any>} options.page
   * @param {string} options.place
   * @param {string} options.title
   * @param {string} options.subject  what is judged, for the names of moves
   * @param {HTMLElement | null} options.proposal  the control for a proposal
   * @param {string} options.proposalLabel
   * @param {(change: Partial<Judgment>, label: string, mergeKey?: string | null) => void} options.onChange
   * @param {() => void} options.onNext  go to the next part
   */
  constructor({ page, place, title, subject, proposal, proposalLabel, onChange, onNext }) {
    this.page = page;
    this.onChange = onChange;
    this.onNext = onNext;
    this.subject = subject;
    const id = page.idOf(place);
    this.value = element("strong", { class: "judgment__value" });
    this.about = element("p", { class: "judgment__about" });
    this.radios = VERDICTS.map(([verdict, , key]) => {
      const onchange = () => this.judge(verdict);
      return element("input", { type: "radio", name: id, value: verdict, "aria-keyshortcuts": key, onchange });
    });
    const labels = VERDICTS.map(([, text, key], at) =>
      element("label", { class: "judgment__verdict" }, this.radios[at], ` ${text} `, keyHint(key)),
    );
    this.reason = element("input", {
      id: `${id}-reason`,
      type: "text",
      maxlength: MAX_REASON_LENGTH,
      required: true,
      oninput: () => onChange({ reason: this.reason.value }, t`a reason for ${subject}`, `${id}-reason`),
    });
    if (proposal && !proposal.id) proposal.id = `${id}-proposal`;
    this.proposal = proposal;
    this.dispute = element(
      "div",
      { class: "judgment__dispute", hidden: true },
      element("p", { class: "field" }, element("label", { for: this.reason.id }, t`Why?`), this.reason),
      ...(proposal ? [element("p", { class: "field" }, labelFor(proposal, proposalLabel), proposal)] : []),
    );
    this.box = element(
      "fieldset",
      { class: "judgment", id, onkeydown: (/** @type {KeyboardEvent} */ event) => this.keyDown(event) },
      element("legend", {}, `${title}: `, this.value),
      this.about,
      element("div", { class: "judgment__verdicts" }, ...labels),
      this.dispute,
    );
  }

  /** @param {Judgment} judgment @param {string} value @param {(Node | string)[]} about */
  update({ verdict, reason }, value, about = []) {
    const { locked } = this.page;
    setText(this.value, value);
    if (this.about.childNodes.length === 0) this.about.replaceChildren(...about);
    this.about.hidden = this.about.childNodes.length === 0;
    for (const radio of this.radios) {
      radio.checked = radio.value === verdict;
      radio.disabled = locked;
    }
    this.box.classList.toggle("judgment--verified", verdict === "verified");
    this.box.classList.toggle("judgment--disputed", verdict === "disputed");
    this.dispute.hidden = verdict !== "disputed";
    this.reason.disabled = locked;
    if (this.reason.value !== reason) this.reason.value = reason;
  }

  /** @param {Verdict} verdict */
  judge(verdict) {
    const verb = verdict === "verified" ? "verifying" : "disputing";
    this.onChange({ verdict }, `${verb} ${this.subject}`);
  }

  focus() {
    (this.radios.find(({ checked }) => checked) ?? this.radios[0]).focus();
  }

  /** @param {KeyboardEvent} event */
  keyDown(event) {
    if (this.page.locked || event.shiftKey || ignoresKey(event, "textarea")) return;
    const isText = event.target instanceof Element && event.target.matches("input[type=text], select");
    if (isText && event.key === "Enter") this.onNext();
    else if (!isText && event.key === "v") {
      this.judge("verified");
      this.onNext();
    } else if (!isText && event.key === "d") {
      this.judge("disputed");
      this.reason.focus();
    } else return;
    event.preventDefault();
  }
}

// A button has its own name.
/** @param {HTMLElement} control @param {string} text */
function labelFor(control, text) {
  if (control instanceof HTMLButtonElement) return element("span", { class: "field__label" }, text);
  return element("label", { for: control.id }, text);
}
