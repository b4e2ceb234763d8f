// The annotator's page: a frame, and the arguments with their elements and roles.

/** @import { Mount } from "../../work/contract.js" */

import { source } from "./frame-source.js";
import { RecordPage } from "./record-page.js";

/** @type {Mount} */
export function mount(root, data, onChange) {
  const page = new RecordPage(root, data, onChange);
  // After the first paint: reading the sentence needs no lexicon.
  (window.requestIdleCallback ?? setTimeout)(() => source.load());
  return page;
}
