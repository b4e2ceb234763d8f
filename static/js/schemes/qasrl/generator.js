// The generation page: questions and answers written for pay.

import { showGuidelines } from "../../work/guidelines.js";
import { openTask } from "../../work/task.js";
import { Workbench } from "./workbench.js";

showGuidelines();
const workbench = openTask((root, page, onChange) => new Workbench(root, page, onChange));
// Run the suggestions once while idle, so that the first keystroke is fast.
(window.requestIdleCallback ?? setTimeout)(() => workbench.suggest("", null));
