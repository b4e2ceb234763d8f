// The annotator's page: the form of a definition.

/** @import { Mount } from "../../work/contract.js" */

import { loadCards } from "./cards.js";
import { FormPage } from "./form-page.js";

await loadCards();

/** @type {Mount} */
export function mount(root, data, onChange) {
  return new FormPage(root, data, onChange).open();
}
