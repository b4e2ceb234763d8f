// The validator's page: the boxes of an annotator are judged.

/** @import { Mount } from "../../work/contract.js" */

import { JudgePage } from "./judge-page.js";

/** @type {Mount} */
export function mount(root, data, onChange) {
  return new JudgePage(root, data, onChange);
}
