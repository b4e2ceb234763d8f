// How long someone really works on a page: of each pause, no more than the first 30 s count.

const IDLE_AFTER = 30_000;
const SIGNS_OF_LIFE = ["pointerdown", "pointermove", "keydown", "input", "wheel", "touchmove"];

export class ActiveTime {
  // `seconds` is what earlier visits to the page have added up to.
  constructor(seconds = 0, clock = () => Date.now()) {
    this.clock = clock;
    this.counted = seconds * 1000;
    this.since = clock();
  }

  watch(target = document) {
    for (const sign of SIGNS_OF_LIFE) {
      target.addEventListener(sign, () => this.beat(), { passive: true, capture: true });
    }
    target.addEventListener("visibilitychange", () => {
      if (target.visibilityState === "hidden") this.beat();
      else this.since = this.clock();
    });
    return this;
  }

  beat() {
    const now = this.clock();
    this.counted += Math.min(Math.max(now - this.since, 0), IDLE_AFTER);
    this.since = now;
  }

  get seconds() {
    const pause = Math.min(Math.max(this.clock() - this.since, 0), IDLE_AFTER);
    return Math.floor((this.counted + pause) / 1000);
  }
}
