// What verifiers dispute, at the place that it concerns.

/** @import { Dispute } from "./frame-types.js" */

import { element, t } from "../../html.js";

/**
 * @param {Dispute[]} disputes
 * @param {object} options
 * @param {string} options.subject  what is disputed
 * @param {(proposal: any) => string} options.textOf  returns the proposal as text, or ""
 * @param {(proposal: any) => void} options.onTake  follows a proposal
 */
export function disputeNotes(disputes, { subject, textOf, onTake }) {
  return disputes.map(({ reason, proposal }) => {
    const text = textOf(proposal ?? "");
    const why = reason || t`no reason given`;
    const parts = [element("p", {}, t`A verifier disputes ${subject}: ${why}`)];
    if (text) {
      const onclick = () => onTake(proposal);
      parts.push(element("p", {}, element("button", { type: "button", onclick }, t`Use the proposal ${text}`)));
    }
    return element("div", { class: "message message--warning dispute" }, ...parts);
  });
}
