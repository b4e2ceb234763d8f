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
    /** @type {Set<string>} The lemmas whose precedents are on their way. */
    this.pending = new Set();
    /** @type {Record<string, Record<string, string[]>>} The roles that others chose, by frame and element. */
    this.chosenRoles = Object.create(null);
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
    // A role is suggested once, when the element is chosen. So the elements appear with all suggestions.
    const [results] = await Promise.all([lookUp(RESOURCE, name), this.requestRoles(name)]);
    const frame = results?.find((result) => result.name === name);
    this.addRoles(name, frame?.element_roles ?? {}, { isFirst: false });
    this.frames.set(name, frame ?? "failed");
    this.changed();
  }

  /** @param {string} name  of a frame */
  async requestRoles(name) {
    const results = await lookUp("precedents", `=${name}`);
    if (!results?.length) return;
    const roles = Object.fromEntries(results.map((result) => [result.element, result.roles]));
    this.addRoles(name, roles, { isFirst: true });
  }

  // The roles of the project come before those of reference records.
  /** @param {string} name @param {Record<string, string[]>} added  by element @param {{isFirst: boolean}} options */
  addRoles(name, added, { isFirst }) {
    const known = this.chosenRoles[name] ?? Object.create(null);
    this.chosenRoles[name] = known;
    for (const [element, roles] of Object.entries(added)) {
      const others = known[element] ?? [];
      known[element] = [...new Set(isFirst ? [...roles, ...others] : [...others, ...roles])];
    }
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
    this.pending.add(lemma);
    const results = await lookUp("precedents", lemma);
    this.precedents.set(lemma, results ?? []);
    this.pending.delete(lemma);
    this.changed();
  }
}

export const source = new FrameSource();
