// The data of a worker's page, which templates/annotation/work.html writes into it.

/** @import { Page } from "./contract.js" */

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
