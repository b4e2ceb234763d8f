// The verifier's page: the record of another annotator, part by part.

/** @import { Mount } from "../../work/contract.js" */

import { source } from "./frame-source.js";
import { VerificationPage } from "./verification-page.js";

/** @type {Mount} */
export function mount(root, data, onChange) {
  const page = new VerificationPage(root, data, onChange);
  // After the first paint: only proposals need the names of all frames.
  (window.requestIdleCallback ?? setTimeout)(() => source.load());
  return page;
}
