// The consolidator's page: the annotations of several people become one.

/** @import { Mount } from "../../work/contract.js" */

import { loadCards } from "./cards.js";
import { MergePage } from "./merge-page.js";

await loadCards();

/** @type {Mount} */
export function mount(root, data, onChange) {
  return new MergePage(root, data, onChange).open();
}
