// Steps that can be undone.

const MOST_STEPS = 100;

/**
 * @template State
 * @typedef {object} Step
 * @property {string} label  what was done, for the undo button
 * @property {State} before  the state to go back to
 * @property {string | null} [mergeKey]  consecutive steps with the same key are one step
 */

/** @template State */
export class History {
  constructor() {
    /** @type {Step<State>[]} */
    this.steps = [];
  }

  /**
   * Add a step. Return false if it was merged into the last one.
   *
   * @param {Step<State>} step
   */
  push(step) {
    if (step.mergeKey && this.steps.at(-1)?.mergeKey === step.mergeKey) return false;
    this.steps.push(step);
    if (this.steps.length > MOST_STEPS) this.steps.shift();
    return true;
  }

  pop() {
    return this.steps.pop() ?? null;
  }

  get label() {
    return this.steps.at(-1)?.label ?? null;
  }
}
