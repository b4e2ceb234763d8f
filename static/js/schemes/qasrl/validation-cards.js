// The cards of the validation page, in the order in which the questions were asked.

/** @import { BoardCalls } from "./case-types.js" */
/** @import { CaseQuestion, CaseState } from "./case-types.js" */

import { t } from "../../html.js";
import { Board, Card } from "./case-card.js";
import { INVALID, KEEP, REDUNDANT, sharesWords } from "./case-state.js";
import * as text from "./validation-text.js";

export class ValidationBoard extends Board {
  /** @param {HTMLElement} box @param {{state: CaseState, tokens: string[], calls: BoardCalls}} options */
  constructor(box, options) {
    super(box, { ...options, text });
    for (const question of options.state.questions) this.cards.set(question.id, new ValidationCard(question, this));
    box.replaceChildren(...[...this.cards.values()].map((card) => card.element));
  }

  // A valid question that shares an answer's word, the nearest valid one before it, any valid one,
  // or the nearest one before it without a verdict.
  /** @param {string} id */
  likelyTwin(id) {
    const { questions } = this.state;
    const at = questions.findIndex((question) => question.id === id);
    const others = [...questions.slice(0, at).reverse(), ...questions.slice(at + 1)];
    const valid = others.filter(({ verdict }) => verdict === KEEP);
    const sharing = valid.find((other) => sharesWords(other, questions[at]));
    return (sharing ?? valid[0] ?? others.find(({ verdict }) => verdict === null))?.id ?? null;
  }
}

class ValidationCard extends Card {
  /** @param {CaseQuestion} question @param {Board} board */
  constructor(question, board) {
    super(question, board);
    const actions = this.actions(
      [
        [t`Valid`, "v", KEEP],
        [t`Invalid`, "i", INVALID],
        [t`Duplicate`, "r", REDUNDANT],
      ],
      [this.button(t`Select answers`, "e", () => this.edit(null))],
    );
    this.element.append(this.title("h3"), this.answers, actions, this.repeats);
  }

  repeatable() {
    const isOpen = (/** @type {CaseQuestion} */ { verdict }) => verdict === KEEP || verdict === null;
    return this.board.state.questions.filter((other) => other.id !== this.id && isOpen(other));
  }

  /** @param {CaseQuestion} question @param {number[]} clashes */
  updateAnswers({ answers, verdict }, clashes) {
    if (verdict === KEEP) this.updateChips(answers, clashes, t`no answer yet`);
    else this.updateChips([], [], "");
  }
}
