// What the page loads of the lexicon: the index, single frames, and how others annotated a lemma. All
// items of a page share it. Listeners are called when something has arrived or could not be loaded.

/** @import { Frame, Precedent } from "./frame-types.js" */

import { loadIndex, lookUp } from "../../work/look-up.js";
import { Index } from "./lexicon.js";

const RESOURCE = "lexicon";

class FrameSource {
  constructor() {
    /** @type {Index | null} */
    this.index = null;
    /** @type {"loading" | "loaded" | "failed"} */
    this.state = "loading";
    /** @type {Map<string, Frame | "loading" | "failed">} */
    this.frames = new Map();
    /** @type {Map<string, Precedent[]>} */
    this.precedents = new Map();
    /** @type {Set<() => void>} */
    this.listeners = new Set();
  }

  changed() {
    for (const listener of this.listeners) listener();
  }

  async load() {
    if (this.index) return;
    this.state = "loading";
    this.changed();
    const data = await loadIndex(RESOURCE);
    this.index ??= data && new Index(data);
    this.state = this.index ? "loaded" : "failed";
    this.changed();
  }

  /**
   * Return the frame if it is loaded.
   *
   * @param {string} name
   */
  frame(name) {
    const frame = this.frames.get(name);
    return typeof frame === "object" ? frame : null;
  }

  /**
   * Load a frame, unless it is loaded or on its way. Only a person tries again after a failure.
   *
   * @param {string} name
   */
  async request(name, { again = false } = {}) {
    const known = this.frames.get(name);
    if (!name || (known && !(again && known === "failed"))) return;
    this.frames.set(name, "loading");
    const results = await lookUp(RESOURCE, name);
    const frame = results?.find((result) => result.name === name);
    this.frames.set(name, frame ?? "failed");
    this.changed();
  }

  /**
   * Return how others annotated a lemma, as far as it is loaded.
   *
   * @param {string} lemma
   * @returns {Precedent[]}
   */
  precedentsOf(lemma) {
    return this.precedents.get(lemma) ?? [];
  }

  /** @param {string} lemma */
  async requestPrecedents(lemma) {
    if (this.precedents.has(lemma)) return;
    this.precedents.set(lemma, []);
    const results = await lookUp("precedents", lemma);
    if (!results?.length) return;
    this.precedents.set(lemma, results);
    this.changed();
  }
}

export const source = new FrameSource();
