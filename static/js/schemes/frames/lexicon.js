// The search index of the lexicon: suggestions for a verb, and a search over all frames.

/** @import { Precedent } from "./frame-types.js" */

/** @typedef {{name: string, definition: string, units: string[]}} Entry */

/** @typedef {{entry: Entry, reason: string}} Suggestion */

/**
 * @typedef {object} IndexData
 * @property {[name: string, definition: string, units: string[], ...rest: any[]][]} frames
 * @property {[lemma: string, frame: string, score: number][]} [extra]
 */

export class Index {
  /** @param {IndexData} data */
  constructor({ frames, extra = [] }) {
    /** @type {Map<string, Entry>} */
    this.entries = new Map();
    /** @type {Map<string, Entry[]>} */
    this.byUnit = new Map();
    /** @type {Map<string, Entry[]>} */
    this.byExtra = new Map();
    this.texts = frames.map(([name, definition, units]) => {
      const entry = { name, definition, units };
      this.entries.set(name, entry);
      for (const unit of units) append(this.byUnit, folded(unit), entry);
      const parts = { name: folded(name), units: units.map(folded), definition: folded(definition) };
      return { entry, ...parts, all: [parts.name, ...parts.units, parts.definition].join("\n") };
    });
    for (const [lemma, frame] of [...extra].sort((a, b) => b[2] - a[2])) {
      const entry = this.entries.get(frame);
      if (entry) append(this.byExtra, folded(lemma), entry);
    }
  }

  /**
   * Return the frames of a verb: those of the whole phrasal lemma, of the verb alone, of extra lexical
   * units, and those that others chose.
   *
   * @param {string} lemma
   * @param {string} head  the lemma of the verb alone
   * @param {Precedent[]} precedents
   * @returns {Suggestion[]}
   */
  suggest(lemma, head, precedents) {
    const lemmas = [...new Set([folded(lemma), folded(head)])];
    /** @type {Map<string, Suggestion>} */
    const suggestions = new Map();
    const add = (/** @type {Entry | undefined} */ entry, /** @type {string} */ reason) => {
      if (!entry) return;
      const known = suggestions.get(entry.name);
      suggestions.set(entry.name, { entry, reason: known ? `${known.reason}, ${reason}` : reason });
    };
    for (const words of lemmas) {
      for (const entry of this.byUnit.get(words) ?? []) add(entry, `lexical unit “${words}”`);
    }
    for (const words of lemmas) {
      for (const entry of this.byExtra.get(words) ?? []) add(entry, `extra lexical unit “${words}”`);
    }
    for (const { frame, lemma: pastLemma, count } of [...precedents].sort((a, b) => b.count - a.count)) {
      add(
        this.entries.get(frame),
        `chosen ${count === 1 ? "once" : `${count} times`} for “${pastLemma.replaceAll("_", " ")}”`,
      );
    }
    return [...suggestions.values()];
  }

  /**
   * Return the frames that contain all words of the query, the best first: by the name, by a lexical
   * unit, then by the definition.
   *
   * @param {string} query
   * @returns {Entry[]}
   */
  search(query) {
    const whole = folded(query);
    const words = whole.split(" ").filter(Boolean);
    if (words.length === 0) return [];
    /** @type {Entry[][]} */
    const ranked = [[], [], [], [], [], []];
    for (const text of this.texts) {
      if (words.every((word) => text.all.includes(word))) ranked[rankOf(text, whole, words)].push(text.entry);
    }
    return ranked.flat();
  }
}

/**
 * @param {{name: string, units: string[]}} text
 * @param {string} whole
 * @param {string[]} words
 */
function rankOf({ name, units }, whole, words) {
  if (name === whole) return 0;
  if (units.includes(whole)) return 1;
  if (name.startsWith(whole)) return 2;
  if (units.some((unit) => unit.startsWith(whole))) return 3;
  return words.every((word) => name.includes(word)) ? 4 : 5;
}

/** @param {string} text */
function folded(text) {
  return text.toLowerCase().replaceAll("_", " ").replace(/\s+/g, " ").trim();
}

/** @param {Map<string, Entry[]>} map @param {string} key @param {Entry} entry */
function append(map, key, entry) {
  const list = map.get(key);
  if (list) list.push(entry);
  else map.set(key, [entry]);
}
