// The validator's page: the answers of another annotator are judged.

/** @import { Mount } from "../../work/contract.js" */

import { loadCards } from "./cards.js";
import { JudgePage } from "./judge-page.js";

await loadCards();

/** @type {Mount} */
export function mount(root, data, onChange) {
  return new JudgePage(root, data, onChange).open();
}
