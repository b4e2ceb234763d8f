// Steps that can be taken back: each has a word for what was done and the state before it.

const KEPT = 100;

export class History {
  constructor() {
    this.steps = [];
  }

  // Steps of one kind in a row (`mergeKey`: typing in one box) are one step; says whether it is new.
  push(word, before, mergeKey = null) {
    const last = this.steps.at(-1);
    if (mergeKey !== null && last?.mergeKey === mergeKey) return false;
    this.steps.push({ word, before, mergeKey });
    if (this.steps.length > KEPT) this.steps.shift();
    return true;
  }

  pop() {
    return this.steps.pop() ?? null;
  }

  get word() {
    return this.steps.at(-1)?.word ?? null;
  }
}
