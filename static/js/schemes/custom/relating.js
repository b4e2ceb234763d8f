// A relation that is being made in the text: from one span to another, and then its label.

/** @import { Option } from "./custom-types.js" */
/** @import { FormPage } from "./form-page.js" */
/** @import { Marking } from "./marking.js" */
/** @import { RelationCard } from "./relation-card.js" */
/** @import { SpanCard } from "./span-card.js" */

import { t } from "../../html.js";
import { hotkeys } from "./controls.js";

/** @typedef {{card: RelationCard, label: Option}} Choice */

export class Relating {
  /** @param {FormPage} page @param {Marking} marking */
  constructor(page, marking) {
    this.page = page;
    this.marking = marking;
    /** @type {{card: SpanCard, from: number, to: number | null, choices: Choice[]} | null} */
    this.state = null;
  }

  get isOn() {
    return this.state !== null;
  }

  /** @param {SpanCard} card @param {number} from */
  start(card, from) {
    if (this.marking.relationCards(card).length === 0) return;
    this.state = { card, from, to: null, choices: [] };
    const { spans } = card;
    this.page.activate(card.field.key);
    this.page.texts.focus(card.field.text ?? "", spans[from].start);
    this.page.say(
      `Relation from ${card.nameOf(spans[from])}: click the other span, or go there and press Enter. Esc cancels.`,
    );
  }

  cancel({ isQuiet = false } = {}) {
    if (!this.state) return;
    this.state = null;
    this.page.render();
    if (!isQuiet) this.page.say(t`The relation is cancelled.`);
  }

  /**
   * Take the span at a token as the end of the relation. Return true if a relation is being made.
   *
   * @param {string} text
   * @param {number} token
   */
  take(text, token) {
    const { state, page } = this;
    if (!state) return false;
    page.texts.clear();
    const to = state.card.field.text === text ? state.card.spanAt(token) : -1;
    if (to < 0 || to === state.from) {
      page.refuse(to < 0 ? t`Choose a word of a marked span. Esc cancels.` : t`Choose another span. Esc cancels.`);
      return true;
    }
    const choices = this.marking
      .relationCards(state.card)
      .flatMap((card) => card.labelsBetween(state.from, to).map((label) => ({ card, label })));
    if (choices.length === 0) page.refuse(t`No relation joins these two spans in this direction.`);
    else if (choices.length === 1) this.finish(to, choices[0]);
    else {
      this.state = { ...state, to, choices };
      page.render();
      page.say(t`Choose the relation.`);
    }
    return true;
  }

  /** @param {number} to @param {Choice} choice */
  finish(to, { card, label }) {
    const from = this.state?.from ?? 0;
    this.state = null;
    card.add(from, to, label.key);
    this.page.render();
  }

  // Show the relations to choose from in the place of the labels.
  showLabels() {
    const { state } = this;
    if (!state || state.to === null) return false;
    const { to, choices } = state;
    const labels = choices.map(({ label }) => label);
    this.marking.palette.show(`relation ${state.from} ${to}`, t`Relations`, labels, {
      locked: false,
      onChoose: (label) => this.finish(to, choices[labels.indexOf(label)]),
    });
    return true;
  }

  /** @param {string} key */
  press(key) {
    const { state } = this;
    if (!state || state.to === null) return false;
    const labels = state.choices.map(({ label }) => label);
    const label = hotkeys(labels).get(key);
    if (label) this.finish(state.to, state.choices[labels.indexOf(label)]);
    return Boolean(label);
  }
}
