// Active time on a page: of each pause, only the first 30 s count. Effort adds moves, both by step, and
// a log of the moves.

/** @import { LoggedMove, Steps } from "./contract.js" */

const IDLE_AFTER = 30_000;
// The limits of the server (annotation/domain/work/drafts.py).
const MAX_LOGGED = 2000;
const MAX_LABEL_LENGTH = 200;
const ACTIVITY = ["pointerdown", "pointermove", "keydown", "input", "wheel", "touchmove"];

export class ActiveTime {
  /** @param {number} seconds  active time of earlier visits to the page */
  constructor(seconds = 0, clock = () => Date.now()) {
    this.clock = clock;
    this.counted = seconds * 1000;
    this.since = clock();
    this.isPaused = false;
  }

  watch(target = document) {
    for (const event of ACTIVITY) {
      target.addEventListener(event, () => this.count(), { passive: true, capture: true });
    }
    target.addEventListener("visibilitychange", () => {
      if (target.visibilityState === "hidden") this.count();
      else this.since = this.clock();
    });
    return this;
  }

  // Stop counting until `resume`.
  pause() {
    this.count();
    this.isPaused = true;
  }

  resume() {
    this.isPaused = false;
    this.since = this.clock();
  }

  count() {
    this.counted += this.gap;
    this.since = this.clock();
  }

  get gap() {
    if (this.isPaused) return 0;
    return Math.min(Math.max(this.clock() - this.since, 0), IDLE_AFTER);
  }

  get seconds() {
    return Math.floor((this.counted + this.gap) / 1000);
  }
}

export class Effort extends ActiveTime {
  /**
   * @param {object} options
   * @param {number} [options.activeSeconds]  of earlier visits to the page
   * @param {number} [options.moves]
   * @param {Steps} [options.steps]
   * @param {() => string} [options.step]  returns the name of the current step, or ""
   * @param {() => number} [options.clock]
   */
  constructor({ activeSeconds = 0, moves = 0, steps = {}, step = () => "", clock }) {
    super(activeSeconds, clock);
    this.moves = moves;
    this.step = step;
    /** @type {LoggedMove[]} The moves that the server has not stored yet. */
    this.log = [];
    /** @type {Map<string, {time: number, moves: number}>} */
    this.parts = new Map(
      Object.entries(steps).map(([name, part]) => [name, { time: part.seconds * 1000, moves: part.moves }]),
    );
  }

  // Events are counted before the page handles them, so the time belongs to the step that may end.
  count() {
    const part = this.part();
    if (part) part.time += this.gap;
    super.count();
  }

  /** @param {string} label  what was done */
  countMove(label) {
    this.moves += 1;
    const part = this.part();
    if (part) part.moves += 1;
    this.log.push([this.seconds, this.step(), label.slice(0, MAX_LABEL_LENGTH)]);
    this.log.splice(0, this.log.length - MAX_LOGGED);
  }

  /**
   * Forget the moves that the server has stored.
   *
   * @param {number} count  how many moves of the page it has
   */
  stored(count) {
    this.moves = Math.max(this.moves, count);
    this.log.splice(0, this.log.length - (this.moves - count));
  }

  part() {
    const name = this.step();
    if (!name) return null;
    const part = this.parts.get(name) ?? { time: 0, moves: 0 };
    this.parts.set(name, part);
    return part;
  }

  // Return the fields of a save. The current pause counts without ending.
  state() {
    const current = this.part();
    /** @type {Steps} */
    const steps = {};
    for (const [name, part] of this.parts) {
      const time = part.time + (part === current ? this.gap : 0);
      steps[name] = { seconds: Math.floor(time / 1000), moves: part.moves };
    }
    return { active_seconds: this.seconds, moves: this.moves, steps, log: this.log };
  }
}
