// The annotator's page: boxes for the phrases of a caption.

/** @import { Mount } from "../../work/contract.js" */

import { GroundPage } from "./ground-page.js";

/** @type {Mount} */
export function mount(root, data, onChange) {
  return new GroundPage(root, data, onChange).open();
}
