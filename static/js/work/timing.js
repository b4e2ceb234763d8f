// Active time on a page: of each pause, only the first 30 s count. Effort adds moves, both by step, and
// a log of the moves. `recordInputs` counts how answers are entered.

/** @import { InputRecord, LoggedMove, Steps } from "./contract.js" */

const IDLE_AFTER = 30_000;
// The limits of the server (annotation/domain/work/drafts.py).
const MAX_LOGGED = 2000;
const MAX_LABEL_LENGTH = 200;
// The first bucket of intervals ends at 10 ms, and each further one is a quarter longer. The server adds
// shorter and longer intervals to the outer buckets.
const FIRST_MS = 8;
const GROWTH = 1.25;
// The page's own code clicks controls in response to keys.
const RESPONSE_MS = 100;
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

/**
 * Count how the answers of each item are entered: counts and times, never characters or keys. The server
 * bounds them (annotation/domain/work/input_records.py).
 *
 * @param {Record<string, InputRecord>} records  of earlier visits to the page, by item id
 * @param {() => number} item  returns the id of the current item
 */
export function recordInputs(records, item) {
  /** @type {WeakMap<EventTarget, number>} How many characters of a control stay in the next change. */
  const kept = new WeakMap();
  let gestureAt = -RESPONSE_MS;
  let typedAt = 0;
  let leftAt = 0;

  const record = () => (records[item()] ??= { fields: [], intervals: {}, counts: {} });
  const count = (/** @type {string} */ name, by = 1) => add(record().counts, name, by);

  /** @param {any} event */
  function note({ type, target, isTrusted, timeStamp, inputType, data }) {
    const { value = "", selectionStart, selectionEnd } = target;
    if (type === "beforeinput") {
      kept.set(target, value.length - selectionEnd + selectionStart);
      return;
    }
    if (!isTrusted) {
      if (timeStamp - gestureAt > RESPONSE_MS) count("untrusted");
    } else if (type !== "input") {
      gestureAt = timeStamp;
      count("gestures");
    }
    if (type !== "input") return;
    const field = fieldOf(target);
    if (typeof selectionStart !== "number") return;
    // Dictation, predictions and swipes insert words.
    const kind = isTrusted ? (data?.length > 1 ? "words" : "") + inputType : "untrusted";
    add(field, kind, Math.max(0, value.length - (kept.get(target) ?? 0)));
    if (kind.includes("Paste")) add(field, "pastes");
    kept.set(target, value.length);
    const isTyped = kind === "insertText";
    if (isTyped && typedAt) {
      add(record().intervals, Math.floor(Math.log((timeStamp - typedAt) / FIRST_MS) / Math.log(GROWTH)));
    }
    typedAt = isTyped ? timeStamp : 0;
  }

  // The fields are in the order of their first answers.
  /** @param {HTMLElement} control */
  function fieldOf(control) {
    const { fields } = record();
    /** @type {HTMLElement | null} */
    const part = control.closest("[data-field]");
    const name = part?.dataset.field ?? control.id.replace(/\d/g, "");
    const known = fields.find((field) => field.name === name);
    if (!known) fields.push({ name });
    return known ?? fields[fields.length - 1];
  }

  for (const type of ["keydown", "pointerdown", "click", "beforeinput", "input"]) {
    document.addEventListener(type, note, { capture: true, passive: true });
  }
  window.addEventListener("blur", ({ timeStamp }) => {
    leftAt ||= timeStamp;
  });
  window.addEventListener("focus", ({ timeStamp }) => {
    if (!leftAt) return;
    count("absences");
    count("away", Math.round(timeStamp - leftAt));
    leftAt = typedAt = 0;
  });
}

/** @param {any} counts @param {string | number} name */
function add(counts, name, by = 1) {
  counts[name] = (counts[name] ?? 0) + by;
}
