// The validator's page: the answers of another annotator are judged.

/** @import { Mount } from "../../work/contract.js" */

import { JudgePage } from "./judge-page.js";

/** @type {Mount} */
export function mount(root, data, onChange) {
  return new JudgePage(root, data, onChange).open();
}
