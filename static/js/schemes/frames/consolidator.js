// The consolidator's page: the records of several annotators become one.

/** @import { Mount } from "../../work/contract.js" */

import { source } from "./frame-source.js";
import { MergePage } from "./merge-page.js";

/** @type {Mount} */
export function mount(root, data, onChange) {
  const page = new MergePage(root, data, onChange);
  // After the first paint: only another frame needs the names of all frames.
  (window.requestIdleCallback ?? setTimeout)(() => source.load());
  return page;
}
