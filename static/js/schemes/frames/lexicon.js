// The search index of the lexicon: suggestions for a verb, and a search over all frames.

/** @import { Precedent } from "./frame-types.js" */

import { t } from "../../html.js";
import { Relations } from "./relations.js";

/** @typedef {{name: string, definition: string, units: string[], core: string[]}} Entry */

/** @typedef {{entry: Entry, reason: string}} Suggestion */

/**
 * A verb for which frames are suggested: its lemma with blanks, the lemma of the verb alone, the nouns
 * that may belong to a light verb, and the lower-case words and lemmas of the sentence.
 *
 * @typedef {{lemma: string, head: string, nouns?: string[], words?: Set<string>}} SuggestedVerb
 */

/**
 * @typedef {object} IndexData
 * @property {[name: string, definition: string, units: string[], core?: string[], nouns?: string[]][]} frames
 * @property {[lemma: string, frame: string, score: number][]} [extra]
 * @property {[lemma: string, frame: string, count: number][]} [chosen]  in reference records
 * @property {[type: number, frame: number, parent: number][]} [relations]
 * @property {[type: string, toParent: string, toChild: string][]} [labels]
 */

export class Index {
  /** @param {IndexData} data */
  constructor({ frames, extra = [], chosen = [], relations = [], labels = [] }) {
    this.chosen = chosen.map(([lemma, frame, count]) => ({ lemma, frame, count }));
    /** @type {Map<string, Entry>} */
    this.entries = new Map();
    /** @type {Map<string, Entry[]>} */
    this.byUnit = new Map();
    /** @type {Map<string, Entry[]>} */
    this.byNoun = new Map();
    /** @type {Map<string, Entry[]>} The best first. */
    this.byExtra = new Map();
    this.texts = frames.map(([name, definition, units, core = [], nouns = []]) => {
      const entry = { name, definition, units, core };
      this.entries.set(name, entry);
      for (const unit of units) append(this.byUnit, folded(unit), entry);
      for (const noun of nouns) append(this.byNoun, folded(noun), entry);
      const parts = { name: folded(name), units: units.map(folded), definition: folded(definition) };
      return { entry, ...parts, all: [parts.name, ...parts.units, parts.definition].join("\n") };
    });
    for (const [lemma, frame] of [...extra].sort((a, b) => b[2] - a[2])) {
      const entry = this.entries.get(frame);
      if (entry) append(this.byExtra, folded(lemma), entry);
    }
    this.relations = new Relations([...this.entries.keys()], relations, labels);
  }

  /**
   * Return how often reference records have a frame for these lemmas.
   *
   * @param {Set<string>} lemmas
   * @returns {Precedent[]}
   */
  chosenFor(lemmas) {
    const known = new Set([...lemmas].map(folded));
    return this.chosen.filter(({ lemma }) => known.has(folded(lemma)));
  }

  /**
   * Return the frames of a verb, the best first. schemes/frames/frame_ranking.py describes the order.
   *
   * @param {SuggestedVerb} verb
   * @param {Precedent[]} precedents
   * @returns {Suggestion[]}
   */
  suggest({ lemma, head, nouns = [], words = new Set() }, precedents) {
    const whole = folded(lemma);
    const others = whole.split(" ").slice(1);
    /** @type {Map<string, {entry: Entry, reasons: string[], scores: number[]}>} */
    const offers = new Map();
    let kind = 0;
    const score = (/** @type {Entry | undefined} */ entry, /** @type {number} */ value, reason = "") => {
      if (!entry) return;
      const offer = offers.get(entry.name) ?? { entry, reasons: [], scores: [] };
      offers.set(entry.name, offer);
      offer.scores[kind] = Math.max(offer.scores[kind] ?? 0, value);
      if (reason && !offer.reasons.includes(reason)) offer.reasons.push(reason);
    };
    const scoreNouns = (/** @type {string[]} */ list) => {
      for (const noun of list) {
        for (const entry of this.byNoun.get(noun) ?? []) score(entry, 1, t`noun “${noun}”`);
      }
      kind += 1;
    };
    const scoreLemma = (/** @type {string} */ known) => {
      const chosen = precedents.filter((precedent) => folded(precedent.lemma) === known);
      for (const precedent of chosen) score(this.entries.get(precedent.frame), precedent.count, chosenText(precedent));
      kind += 1;
      for (const { frame, words: own = [] } of chosen) {
        score(this.entries.get(frame), own.filter((word) => words.has(word)).length);
      }
      kind += 1;
      for (const entry of this.byUnit.get(known) ?? []) score(entry, 1, t`lexical unit “${known}”`);
      kind += 1;
    };
    const scoreExtra = (/** @type {string} */ known) => {
      const extra = this.byExtra.get(known) ?? [];
      for (const [at, entry] of extra.entries()) score(entry, extra.length - at, t`extra lexical unit “${known}”`);
      kind += 1;
    };
    scoreLemma(whole);
    scoreNouns(others.slice(-1));
    scoreLemma(folded(head));
    scoreNouns(nouns);
    scoreExtra(whole);
    scoreExtra(folded(head));
    for (const precedent of precedents)
      score(this.entries.get(precedent.frame), precedent.count, chosenText(precedent));
    return [...offers.values()].sort(byScores).map(({ entry, reasons }) => ({ entry, reason: reasons.join(", ") }));
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

/** @param {Precedent} precedent */
function chosenText({ count, lemma }) {
  const often = count === 1 ? t`once` : t`${count} times`;
  return t`chosen ${often} for “${folded(lemma)}”`;
}

/**
 * Compare two offers by their scores, in the order of the kinds, and then by name.
 *
 * @param {{entry: Entry, scores: number[]}} a
 * @param {{entry: Entry, scores: number[]}} b
 */
function byScores(a, b) {
  for (let kind = 0; kind < Math.max(a.scores.length, b.scores.length); kind += 1) {
    const difference = (b.scores[kind] ?? 0) - (a.scores[kind] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.entry.name < b.entry.name ? -1 : 1;
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
