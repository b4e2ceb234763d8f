// The consolidator's page: the annotations of several people become one.

/** @import { Mount } from "../../work/contract.js" */

import { MergePage } from "./merge-page.js";

/** @type {Mount} */
export function mount(root, data, onChange) {
  return new MergePage(root, data, onChange).open();
}
