// The data of a worker's page, which templates/annotation/work.html writes into it, its guidelines and its
// pay in whole cents. The site sends what each unit earns, so that the rule is in
// crowd/domain/money/pay_scheme.py only.

/** @import { Page, Pay } from "./contract.js" */

import { recall, remember } from "../storage.js";

const WIDE = "(min-width: 64rem)";

/** @returns {Page} */
export function readPage() {
  return JSON.parse(document.getElementById("page")?.textContent ?? "null");
}

/** @param {Page} page */
export function isLocked(page) {
  return page.preview || page.submitted;
}

/** Return the address of the scheme's module, which exports `mount`. */
export function moduleAddress() {
  const script = /** @type {HTMLScriptElement | null} */ (document.querySelector("script[data-module]"));
  return script?.dataset.module ?? "";
}

// The guidelines beside the work are open or closed as this browser last left them.
export function showGuidelines() {
  const guidelines = document.querySelector("details[data-guidelines]");
  if (!(guidelines instanceof HTMLDetailsElement)) return;
  guidelines.open = recall("guidelines open") ?? window.matchMedia(WIDE).matches;
  guidelines.addEventListener("toggle", () => remember("guidelines open", guidelines.open));
}

/**
 * Return the bonus of the unit at a position, counted from 1.
 *
 * @param {Pay} pay
 * @param {number} position
 */
export function unitBonus(pay, position) {
  return pay.unit_cents[position - 1] ?? 0;
}

/** @param {Pay} pay @param {number} units */
export function bonusCents(pay, units) {
  return pay.unit_cents.slice(0, units).reduce((sum, amount) => sum + amount, 0);
}

/** @param {number} amount */
export function cents(amount) {
  return `${amount} ¢`;
}
