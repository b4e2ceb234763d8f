// The consolidator's page: the boxes of several annotators become one grounding.

/** @import { Mount } from "../../work/contract.js" */

import { MergePage } from "./merge-page.js";

/** @type {Mount} */
export function mount(root, data, onChange) {
  return new MergePage(root, data, onChange).open();
}
