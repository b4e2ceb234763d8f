// The generation page: questions and answers written for pay.

/** @import { Mount } from "../../work/contract.js" */

import { Workbench } from "./workbench.js";

/** @type {Mount} */
export function mount(root, data, onChange) {
  const workbench = new Workbench(root, data, onChange);
  // Run the suggestions once while idle, so that the first keystroke is fast.
  (window.requestIdleCallback ?? setTimeout)(() => workbench.suggest("", null));
  return workbench;
}
