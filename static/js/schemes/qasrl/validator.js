// The validation page: the questions of another annotator are judged and answered.

/** @import { Mount } from "../../work/contract.js" */

import { t } from "../../html.js";
import { CasePage } from "./case-page.js";
import { ValidationBoard } from "./validation-cards.js";
import { apply, begin, contentOf, problems, resume } from "./validation-state.js";
import * as text from "./validation-text.js";

/** @type {Mount} */
export function mount(root, data, onChange) {
  const { asked, tokens } = data;
  const beginning = begin({ asked: asked.questions, size: tokens.length });
  return new CasePage(root, data, onChange, {
    beginning,
    resume: (content) => resume(content, beginning),
    contentOf,
    apply,
    problems,
    text,
    createBoard: (box, calls) => new ValidationBoard(box, { state: beginning, tokens, calls }),
    settled: t`Everything is judged.`,
    goesOn: true,
  });
}
