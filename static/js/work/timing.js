// Active time on a page: of each pause, only the first 30 s count.

const IDLE_AFTER = 30_000;
const ACTIVITY = ["pointerdown", "pointermove", "keydown", "input", "wheel", "touchmove"];

export class ActiveTime {
  /** @param {number} seconds  active time of earlier visits to the page */
  constructor(seconds = 0, clock = () => Date.now()) {
    this.clock = clock;
    this.counted = seconds * 1000;
    this.since = clock();
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

  count() {
    this.counted += this.pause;
    this.since = this.clock();
  }

  get pause() {
    return Math.min(Math.max(this.clock() - this.since, 0), IDLE_AFTER);
  }

  get seconds() {
    return Math.floor((this.counted + this.pause) / 1000);
  }
}
