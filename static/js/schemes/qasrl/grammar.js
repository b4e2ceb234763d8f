// A recognizer of the question template. It returns continuations, locates errors and reads questions.
// It must behave like schemes/qasrl/walker.py and tests/schemes/qasrl/checking_walker.py. A test compares them.
//
//   const walker = new Walker(shared, item)   // both from the page's data
//   walker.complete("who wo")   -> [{text, ends, goesOn}, ...]
//   walker.check("who runned")  -> {state, start, end, nearest}
//   walker.read("Who ran?")     -> {slots, tense, ...} or null
//   new Suggester(walker, sharedCosts, ranking).suggest("who r", asked) -> [{question, cost}, ...]

/** @import { Automaton, Check, Completion, ItemTable, Path, Step, Transition, Word } from "./grammar-types.js" */

/** @typedef {ReturnType<typeof readingOf>} Reading */

/**
 * Patterns and costs that are the same for all items, from schemes/qasrl/ranking.py.
 *
 * @typedef {object} SharedCosts
 * @property {string[]} patterns
 * @property {Record<string, number>} relations
 * @property {Record<"time" | "polarity", number>} changes
 * @property {Record<"True" | "False", number>} not
 * @property {Record<string, number>} used
 */

/**
 * An item's costs: by pattern, by preposition and use, and of the parts of a verb phrase.
 *
 * @typedef {object} Ranking
 * @property {number[]} patterns
 * @property {Record<string, number[]>} prepositions
 * @property {number[][]} time
 * @property {Record<"True" | "False", number>} negated
 */

const BLANKS = " \t\n\r\u00a0";
const COMPARED = 24;
const NEAREST = 5;

const FORM_NAMES = ["stem", "presentSingular3rd", "presentParticiple", "past", "pastParticiple"];
const SEPARATOR = "~!~";
/** @type {Record<string, string>} */
const CONTRACTED = {
  is: "isn't",
  was: "wasn't",
  does: "doesn't",
  did: "didn't",
  has: "hasn't",
  had: "hadn't",
  can: "can't",
  will: "won't",
  would: "wouldn't",
  should: "shouldn't",
};
const PLAIN = Object.fromEntries(Object.entries(CONTRACTED).map(([plain, not]) => [not, plain]));
const PRESENT = ["is", "does", "has"];
const MODALS = ["can", "will", "might", "would", "should"];

export class Walker {
  /** @param {Automaton} shared @param {ItemTable} item */
  constructor(shared, item) {
    this.spellings = item.forms;
    this.pairs = item.pairs;
    this.prepositions = item.prepositions;
    this.openers = item.openers;
    this.classNames = shared.class_names;
    this.slotNames = shared.slots;
    this.states = shared.states;
    this.substitutes = shared.substitutes;
    /** @type {Map<string, Map<string, Transition[]>>} */
    this.transitions = new Map();
    /** @type {Record<string, string[]>} */
    this.words = { ...shared.classes, preposition: item.prepositions };
    for (const [at, name] of FORM_NAMES.entries()) {
      this.words[name] = [...new Set(item.forms.map((forms) => forms[at]))];
    }
  }

  /** @returns {Path[]} */
  start() {
    return [{ state: 0, steps: [] }];
  }

  /**
   * Return the readings after one more word. Of two that reach the same state, the first one stays.
   *
   * @param {Path[]} paths
   * @param {string} word
   */
  step(paths, word) {
    /** @type {Map<number, Path>} */
    const reached = new Map();
    for (const path of paths) {
      for (const [wordClass, slot, target] of this.transitionsOf(path).get(word) ?? []) {
        if (!reached.has(target)) {
          reached.set(target, { state: target, steps: [...path.steps, [slot, wordClass, word]] });
        }
      }
    }
    return [...reached.values()];
  }

  /**
   * Return the words that may come next, in the grammar's order.
   *
   * @param {Path[]} paths
   */
  choices(paths) {
    return [...new Set(paths.flatMap((path) => [...this.transitionsOf(path).keys()]))];
  }

  /** @param {Path[]} paths */
  ends(paths) {
    return paths.some((path) => this.states[path.state][0] === 1);
  }

  /**
   * Return the transitions of each word, in the grammar's order.
   *
   * @param {Path} path
   */
  transitionsOf(path) {
    const last = path.steps.at(-1)?.[2] ?? "";
    const key = `${path.state} ${last}`;
    const known = this.transitions.get(key);
    if (known !== undefined) return known;
    /** @type {Map<string, Transition[]>} */
    const transitions = new Map();
    for (const [wordClass, slot, target] of this.states[path.state][1]) {
      const name = this.classNames[wordClass];
      for (const word of this.fillers(name, last)) {
        const edges = transitions.get(word) ?? [];
        edges.push([name, this.slotNames[slot], target]);
        transitions.set(word, edges);
      }
    }
    this.transitions.set(key, transitions);
    return transitions;
  }

  /** @param {string} wordClass @param {string} last */
  fillers(wordClass, last) {
    if (wordClass === "in" || wordClass === "for") return this.openers.filter((word) => word === wordClass);
    if (!wordClass.startsWith("second")) return this.words[wordClass];
    const seconds = this.seconds(last);
    if (wordClass === "second to") return seconds.includes("to") ? ["to"] : [];
    return seconds.filter((word) => word !== "to");
  }

  /** @param {string} first */
  seconds(first) {
    if (this.pairs === null) return [...this.prepositions, "to"];
    return Object.hasOwn(this.pairs, first) ? this.pairs[first] : [];
  }

  /** @param {string[]} words */
  walk(words) {
    return words.reduce((paths, word) => this.step(paths, word), this.start());
  }

  /**
   * Return the completions of the word being typed, each up to the next real choice. Return none for
   * a text that is wrong before that word, or ends with "?".
   *
   * @param {string} text
   * @returns {Completion[]}
   */
  complete(text) {
    const typed = split(text);
    if (typed.markAt !== null) return [];
    const words = typed.words.map((word) => word.text);
    const begun = (typed.isOpen && words.pop()) || "";
    const paths = this.walk(words);
    return this.choices(paths)
      .filter((word) => word.startsWith(begun))
      .map((word) => this.option(words, word, paths));
  }

  /** @param {string[]} words @param {string} word @param {Path[]} paths */
  option(words, word, paths) {
    const said = [...words, word];
    let reached = this.step(paths, word);
    let following = this.choices(reached);
    while (following.length === 1 && !this.ends(reached)) {
      said.push(following[0]);
      reached = this.step(reached, following[0]);
      following = this.choices(reached);
    }
    const text = finished(said.join(" ")).slice(0, -1);
    return { text, ends: this.ends(reached), goesOn: following.length > 0 };
  }

  /** @param {string} text @returns {Check} */
  check(text) {
    const typed = split(text);
    let paths = this.start();
    for (const [position, word] of typed.words.entries()) {
      const reached = this.step(paths, word.text);
      if (reached.length === 0) {
        const isLast = position === typed.words.length - 1 && typed.isOpen;
        return this.stopped(paths, word, isLast, text.length);
      }
      paths = reached;
    }
    /** @type {Omit<Check, "state">} */
    const here = { start: text.length, end: text.length, nearest: [] };
    if (this.ends(paths)) return { state: "complete", ...here };
    if (typed.markAt === null) return { state: "unfinished", ...here };
    const nearest = this.choices(paths).slice(0, NEAREST);
    return { state: "wrong", start: typed.markAt, end: typed.markAt + 1, nearest };
  }

  /**
   * @param {Path[]} paths
   * @param {Word} word
   * @param {boolean} isLast
   * @param {number} length
   * @returns {Check}
   */
  stopped(paths, word, isLast, length) {
    const legal = this.choices(paths);
    if (isLast && legal.some((candidate) => candidate.startsWith(word.text))) {
      return { state: "unfinished", start: length, end: length, nearest: [] };
    }
    const usual = Object.hasOwn(this.substitutes, word.text) ? this.substitutes[word.text] : "";
    const substitute = legal.includes(usual) ? usual : "";
    const near = legal
      .map((candidate) => ({ candidate, cost: candidate === substitute ? -1 : nearness(candidate, word.text) }))
      .sort((a, b) => a.cost - b.cost)
      .slice(0, NEAREST)
      .map(({ candidate }) => candidate);
    const mark = this.ends(paths) ? ["?"] : [];
    return { state: "wrong", start: word.start, end: word.end, nearest: [...near, ...mark], substitute };
  }

  /**
   * Return the reading of a finished question, with or without its "?", or null.
   *
   * @param {string} text
   */
  read(text) {
    const paths = this.walk(split(text).words.map((word) => word.text));
    const path = paths.find(({ state }) => this.states[state][0] === 1);
    return path ? readingOf(path.steps, this.spellings) : null;
  }
}

/**
 * Split a text into words with their positions, without a question mark at the end.
 *
 * @param {string} text
 */
export function split(text) {
  let body = trimEnd(text, BLANKS);
  let markAt = null;
  if (body.endsWith("?")) {
    body = trimEnd(body, `?${BLANKS}`);
    markAt = text.indexOf("?", body.length);
  }
  /** @type {Word[]} */
  const words = [];
  let at = 0;
  while (at < body.length) {
    let end = at;
    while (end < body.length && !BLANKS.includes(body[end])) end += 1;
    if (end > at) words.push({ text: folded(body.slice(at, end)), start: at, end });
    at = end + 1;
  }
  return { words, markAt, isOpen: words.length > 0 && body.length === text.length };
}

/** @param {string} text @param {string} characters */
function trimEnd(text, characters) {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1])) end -= 1;
  return text.slice(0, end);
}

/** @param {string} word */
function folded(word) {
  return word.toLowerCase().replaceAll("\u2019", "'");
}

/**
 * Return the distance of a typed word, 0 if it is the beginning of the legal one.
 *
 * @param {string} legal
 * @param {string} typed
 */
function nearness(legal, typed) {
  return legal.startsWith(typed) ? 0 : distance(legal, typed);
}

/**
 * Return the Levenshtein distance of the first 24 characters.
 *
 * @param {string} first
 * @param {string} second
 */
export function distance(first, second) {
  const a = Array.from(first).slice(0, COMPARED);
  const b = Array.from(second).slice(0, COMPARED);
  const row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (const [i, left] of a.entries()) {
    let above = row[0];
    row[0] = i + 1;
    for (const [j, right] of b.entries()) {
      const next = Math.min(above + (left === right ? 0 : 1), row[j + 1] + 1, row[j] + 1);
      above = row[j + 1];
      row[j + 1] = next;
    }
  }
  return row[b.length];
}

/**
 * Return words as a question is stored: a capital first, a question mark last.
 *
 * @param {string} words
 */
export function finished(words) {
  return `${capital(words)}?`;
}

/** @param {string} text */
export function capital(text) {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** @param {Step[]} steps @param {string[][]} spellings */
function readingOf(steps, spellings) {
  const words = (/** @type {string} */ name) => steps.filter(([slot]) => slot === name).map(([, , word]) => word);
  const [, form, verb] = /** @type {Step} */ (steps.find(([slot]) => slot === "verb"));
  const forms = /** @type {string[]} */ (spellings.find((row) => row[FORM_NAMES.indexOf(form)] === verb));
  const prefix = words("prefix");
  const aux = words("aux").join("");
  const subj = words("subj").join("");
  const separate = prefix.includes("not");
  const contracted = separate ? (CONTRACTED[aux] ?? "") : "";
  const chain = prefix.filter((word) => word !== "not");
  const plainAux = PLAIN[aux] ?? aux;
  return {
    slots: {
      wh: words("wh").join(" "),
      aux: contracted || aux,
      subj: subj === "it" ? "something" : subj,
      verb_prefix: prefix.filter((word) => word !== "not" || !contracted).join(SEPARATOR),
      verb_slot_inflection: inflectionOf(form, forms),
      obj: words("obj").join(""),
      prep: words("prep").join(" "),
      obj2: words("obj2").join(""),
      is_passive: isPassive(plainAux, chain, form),
      is_negated: separate || aux in PLAIN,
    },
    tense: tenseOf(plainAux, form),
    is_perfect: plainAux === "has" || plainAux === "had" || chain.includes("have"),
    is_progressive: form === "presentParticiple" || chain.includes("being"),
    verb_shape: [...chain, form].join(" "),
    has_separate_not: separate,
    has_it: subj === "it",
  };
}

/** @param {string} form @param {string[]} forms  in the order of FORM_NAMES */
function inflectionOf(form, forms) {
  const [stem, , , past, pastParticiple] = forms;
  let name = form;
  if (name === "pastParticiple" && pastParticiple === past) name = "past";
  if (name === "past" && past === stem) name = "stem";
  return capital(name);
}

/** @param {string | undefined} aux @param {string[]} chain @param {string} form */
function isPassive(aux, chain, form) {
  const before = chain.at(-1) ?? aux ?? "";
  return form === "pastParticiple" && ["is", "was", "be", "being", "been"].includes(before);
}

/** @param {string} aux @param {string} form */
function tenseOf(aux, form) {
  if (MODALS.includes(aux)) return aux;
  const present = PRESENT.includes(aux) || (aux === "" && form === "presentSingular3rd");
  return present ? "present" : "past";
}

// --- suggestions: the same as scripts/suggester.py and schemes/qasrl/patterns.py ---------------------

const AGENT = "agent";
const PATIENT = "patient";
/** @type {Record<string, string>} */
const FILLERS = { who: "someone", what: "something" };
// Stands for any preposition in a pattern.
const ANY = "P";
const VERB_PHRASES = ["do", "doing"];
const USES = ["asked", "filled", "particle", "do"].flatMap((use) => [use, `${use} passive`]);
const TENSES = ["past", "present", ...MODALS];
const SHAPES = ["", "progressive", "perfect", "perfect progressive"];
const TIMES = TENSES.flatMap((tense) => SHAPES.map((shape) => `${tense} ${shape}`));
// Prepositions that are no particles. Without their object, "Who arrived at?" is no question, but
// "What was looked at?" is one.
const NEVER_LAST = new Set(
  (
    "against amid amidst among amongst as astride at atop by concerning despite during except " +
    "excluding following for from given including into like minus next of onto per plus regarding " +
    "than till times to toward towards unlike until unto upon versus via with"
  ).split(" "),
);
const NEVER_LAST_PASSIVE = new Set("as by despite during except given since than till until".split(" "));
const ASKED = 60;
const SAME_ROLE = 8;
const CANDIDATES = 3;
const COMPLETED = 10_000;
const MAX_STEPS = 400;

/**
 * @typedef {object} Pattern
 * @property {string} wh
 * @property {string} subj
 * @property {boolean} isPassive
 * @property {string} obj
 * @property {string} prep
 * @property {string} obj2
 * @property {string} role
 * @property {string} use
 * @property {string} head
 */

/** @typedef {{text: string, time: string, isNegated: boolean, hasSeparateNot: boolean}} Phrase */

/** @typedef {{cost: number, text: string}} PricedPhrase */

/** @typedef {{cost: number, pattern: Pattern, text: string}} Tail */

/** @typedef {{cost: number, pattern: Pattern}} Candidate */

/** @typedef {ReturnType<typeof emptyFacts>} Facts */

/** A source of questions that a good annotator would ask next, cheapest first, without repeats. */
export class Suggester {
  /** @param {Walker} walker @param {SharedCosts} shared @param {Ranking} table */
  constructor(walker, shared, table) {
    this.walker = walker;
    this.shared = shared;
    this.table = table;
    this.patterns = shared.patterns.map(patternOf);
    /** @type {Map<string, Phrase[]>} */
    this.allPhrases = new Map();
    /** @type {{key: string, facts: Facts, tails: Tail[]} | null} */
    this.known = null;
  }

  /**
   * Return finished questions that begin with `text`, none if it ends with "?".
   *
   * @param {string} text
   * @param {string[]} asked  the texts of the other questions
   */
  suggest(text, asked, limit = 8) {
    const typed = split(text);
    if (typed.markAt !== null) return [];
    const words = typed.words.map((word) => word.text).join(" ");
    const begun = typed.isOpen || words === "" ? words : `${words} `;
    const { facts, tails } = this.after(asked);
    const costs = this.cheapest(begun, facts, tails, limit);
    if (costs.size < limit) this.complete(begun, facts, costs, limit);
    return [...costs]
      .sort((a, b) => a[1] - b[1])
      .slice(0, limit)
      .map(([question, cost]) => ({ question: finished(question), cost }));
  }

  /**
   * Return what follows from the questions asked so far. The last result is stored.
   *
   * @param {string[]} asked
   */
  after(asked) {
    const key = JSON.stringify(asked);
    if (this.known?.key === key) return this.known;
    const facts = emptyFacts();
    for (const text of asked) {
      facts.texts.add(wordsOf(text));
      const reading = this.walker.read(text);
      if (reading !== null) addReading(facts, reading);
    }
    this.known = { key, facts, tails: this.tails(facts) };
    return this.known;
  }

  /**
   * Return the cheapest questions from patterns, with their costs.
   *
   * @param {string} begun
   * @param {Facts} facts
   * @param {Tail[]} tails
   * @param {number} limit
   */
  cheapest(begun, facts, tails, limit) {
    /** @type {Map<string, PricedPhrase[]>} */
    const byHead = new Map();
    /** @type {Map<string, Candidate>} */
    const candidates = new Map();
    const count = CANDIDATES * limit;
    let worst = COMPLETED;
    for (const tail of tails) {
      if (tail.cost >= worst) break;
      const { pattern } = tail;
      const phrases = byHead.get(pattern.head) ?? this.phrases(pattern, begun, facts);
      byHead.set(pattern.head, phrases);
      for (const phrase of phrases) {
        const cost = tail.cost + phrase.cost;
        if (cost >= worst) break;
        const question = phrase.text + tail.text;
        if (!question.startsWith(begun) || facts.texts.has(question) || isOdd(question)) continue;
        const known = candidates.get(question);
        if (known === undefined || cost < known.cost) candidates.set(question, { cost, pattern });
        if (candidates.size >= count) worst = costAt(candidates, count - 1);
      }
    }
    return varied(candidates, limit);
  }

  /**
   * Return the ends of questions, after the verb, cheapest first.
   *
   * @param {Facts} facts
   */
  tails(facts) {
    /** @type {Tail[]} */
    const tails = [];
    for (const [at, pattern] of this.patterns.entries()) {
      let cost = this.table.patterns[at];
      for (const name of relationsOf(pattern, facts)) cost += this.shared.relations[name];
      for (const { more, phrase } of this.prepositions(pattern, facts)) {
        const words = [pattern.obj, pattern.prep.replace(ANY, phrase), pattern.obj2];
        const text = words.map((word) => (word ? ` ${word}` : "")).join("");
        tails.push({ cost: cost + more, pattern, text });
      }
    }
    tails.sort((a, b) => a.cost - b.cost);
    const least = tails[0].cost;
    for (const tail of tails) tail.cost -= least;
    return tails;
  }

  /** @param {Pattern} pattern @param {Facts} facts */
  prepositions(pattern, facts) {
    if (!pattern.prep.includes(ANY)) return [{ more: 0, phrase: "" }];
    const use = USES.indexOf(pattern.use);
    const fitting = [];
    for (const [phrase, costs] of Object.entries(this.table.prepositions)) {
      if (!fits(pattern, phrase)) continue;
      let more = costs[use];
      if (facts.prepositions.has(phrase)) more += this.shared.used[pattern.use];
      if (pattern.role === "prep" && facts.roles.has(roleWith(pattern, phrase))) more += ASKED;
      fitting.push({ more, phrase });
    }
    return fitting;
  }

  /**
   * Return the costs and texts of a pattern's verb phrases that agree with the typed text.
   *
   * @param {Pattern} pattern
   * @param {string} begun
   * @param {Facts} facts
   */
  phrases(pattern, begun, facts) {
    const all = this.allPhrases.get(pattern.head) ?? phrasesOf(pattern, this.walker.spellings[0]);
    this.allPhrases.set(pattern.head, all);
    return all
      .filter(({ text }) => text.startsWith(begun.slice(0, text.length)))
      .map((phrase) => ({
        cost: this.phraseCost(phrase, pattern.isPassive, facts),
        text: phrase.text,
      }))
      .sort((a, b) => a.cost - b.cost);
  }

  /** @param {Phrase} phrase @param {boolean} isPassive @param {Facts} facts */
  phraseCost({ time, isNegated, hasSeparateNot }, isPassive, facts) {
    const { changes } = this.shared;
    const any = facts.count > 0;
    let cost = 0;
    if (!facts.times.has(time)) {
      cost += this.table.time[Number(isPassive)][TIMES.indexOf(time)] + (any ? changes.time : 0);
    }
    if (!facts.polarities.has(isNegated)) {
      cost += this.table.negated[isNegated ? "True" : "False"] + (any ? changes.polarity : 0);
    }
    if (isNegated) cost += this.shared.not[hasSeparateNot ? "True" : "False"];
    return cost;
  }

  /**
   * Add the shortest questions that the grammar allows, in its order.
   *
   * @param {string} begun
   * @param {Facts} facts
   * @param {Map<string, number>} costs
   * @param {number} limit
   */
  complete(begun, facts, costs, limit) {
    const words = begun.split(" ");
    let last = words.pop() ?? "";
    let paths = this.walker.walk(words);
    let steps = 0;
    while (paths.length > 0 && steps < MAX_STEPS) {
      /** @type {Path[]} */
      const longer = [];
      for (const path of paths) {
        if (last === "" && this.walker.ends([path])) {
          const question = path.steps.map(([, , word]) => word).join(" ");
          const isNew = !facts.texts.has(question) && !costs.has(question) && !isOdd(question);
          if (isNew) costs.set(question, COMPLETED + path.steps.length);
          if (costs.size >= limit) return;
        }
        for (const [word, transitions] of this.walker.transitionsOf(path)) {
          for (const [wordClass, slot, target] of transitions) {
            steps += 1;
            if (!word.startsWith(last)) continue;
            longer.push({ state: target, steps: [...path.steps, [slot, wordClass, word]] });
          }
        }
      }
      paths = longer;
      last = "";
    }
  }
}

/** @param {Map<string, Candidate>} candidates @param {number} position */
function costAt(candidates, position) {
  return [...candidates.values()].map(({ cost }) => cost).sort((a, b) => a - b)[position];
}

/**
 * Return the cheapest questions. A role asked with a verb phrase costs more without one.
 *
 * @param {Map<string, Candidate>} candidates
 * @param {number} limit
 */
function varied(candidates, limit) {
  const withVerbPhrase = emptySet();
  /** @type {[string, number][]} */
  const costs = [];
  for (const [question, { cost, pattern }] of [...candidates].sort((a, b) => a[1].cost - b[1].cost)) {
    const { role } = pattern;
    const isVerbPhrase = hasVerbPhrase(pattern);
    if (isVerbPhrase) withVerbPhrase.add(role);
    const isParticle = pattern.use.startsWith("particle");
    const isRepeated = !isVerbPhrase && !isParticle && withVerbPhrase.has(role);
    costs.push([question, cost + (isRepeated ? SAME_ROLE : 0)]);
  }
  return new Map(costs.sort((a, b) => a[1] - b[1]).slice(0, limit));
}

/** @param {string} text */
function wordsOf(text) {
  return split(text)
    .words.map((word) => word.text)
    .join(" ");
}

/**
 * Return true for "do" without something, such as "Who wanted to do" or "When did someone do".
 *
 * @param {string} question
 */
function isOdd(question) {
  if (question.endsWith(" do") || question.endsWith(" doing")) return !question.startsWith("what ");
  return question.endsWith(" do someone") || question.endsWith(" doing someone");
}

/** @param {string} name @returns {Pattern} */
function patternOf(name) {
  const [wh, subj, voice, obj, prep, obj2] = name.split("|");
  return createPattern({ wh, subj, isPassive: voice === "passive", obj, prep, obj2 });
}

/** @param {{wh: string, subj: string, isPassive: boolean, obj: string, prep: string, obj2: string}} slots */
function createPattern(slots) {
  const role = roleOf(slots);
  const head = `${slots.wh}|${slots.subj}|${slots.isPassive}`;
  return { ...slots, role, use: useOf(slots, role), head };
}

/** @param {{wh: string, subj: string, isPassive: boolean, obj: string, prep: string, obj2: string}} slots */
function roleOf({ wh, subj, isPassive, obj, prep, obj2 }) {
  if (!(wh in FILLERS)) return wh;
  if (!subj) return isPassive ? PATIENT : AGENT;
  if (prep && !obj2) return "prep";
  if (VERB_PHRASES.includes(obj2)) return "do";
  if (obj) return "obj2";
  return isPassive ? "obj" : PATIENT;
}

/** @param {{isPassive: boolean, prep: string, obj2: string}} slots @param {string} role */
function useOf({ isPassive, prep, obj2 }, role) {
  if (!prep.includes(ANY)) return "";
  let use = role === "prep" ? "asked" : "particle";
  if (obj2) use = VERB_PHRASES.includes(obj2) || prep !== ANY ? "do" : "filled";
  return isPassive ? `${use} passive` : use;
}

/** @param {Pattern} pattern */
function hasVerbPhrase({ prep, obj2 }) {
  return VERB_PHRASES.includes(obj2) || VERB_PHRASES.includes(prep.split(" ").at(-1) ?? "");
}

/** @param {Pattern} pattern */
function tailOf({ obj, prep, obj2 }) {
  return `${obj}|${prep}|${obj2}`;
}

/**
 * Return the role with its preposition. "by" in a passive asks for the agent.
 *
 * @param {Pattern} pattern
 * @param {string} phrase
 */
function roleWith({ role, isPassive }, phrase) {
  if (role !== "prep") return role;
  return isPassive && phrase === "by" ? AGENT : `prep ${phrase}`;
}

/**
 * Return true if the preposition gives a grammatical question in the pattern.
 *
 * @param {Pattern} pattern
 * @param {string} phrase
 */
function fits({ wh, prep, obj2, use, isPassive }, phrase) {
  const words = [...prep.split(" ").slice(1), obj2];
  const isPair = phrase.endsWith(" to");
  if (words.includes("do")) return isPair || phrase === "to";
  if (words.includes("doing")) return !isPair;
  if (!use.startsWith("particle") || wh === "where") return true;
  return !isPair && !(isPassive ? NEVER_LAST_PASSIVE : NEVER_LAST).has(phrase.split(" ").at(-1) ?? "");
}

/** @returns {Set<string>} */
function emptySet() {
  return new Set();
}

/** Return the facts when nothing has been asked. */
function emptyFacts() {
  return {
    count: 0,
    texts: emptySet(),
    roles: emptySet(),
    fillers: /** @type {Record<string, string>} */ ({}),
    tails: emptySet(),
    voices: /** @type {Set<boolean>} */ (new Set()),
    prepositions: emptySet(),
    times: emptySet(),
    polarities: /** @type {Set<boolean>} */ (new Set()),
    hasVerbPhrase: false,
    hasObject: false,
  };
}

/** @param {Facts} facts @param {Reading} reading */
function addReading(facts, reading) {
  const { slots } = reading;
  const words = slots.prep === "" ? [] : slots.prep.split(" ");
  const last = VERB_PHRASES.includes(words.at(-1) ?? "") ? words.splice(-1) : [];
  const prep = [...(words.length > 0 ? [ANY] : []), ...last].join(" ");
  const { wh, subj, obj, obj2, is_passive: isPassive } = slots;
  const pattern = createPattern({ wh, subj, isPassive, obj, prep, obj2 });
  const preposition = words.join(" ");
  facts.count += 1;
  facts.roles.add(roleWith(pattern, preposition));
  facts.fillers[isPassive ? PATIENT : AGENT] ??= subj || FILLERS[wh];
  if (obj && !isPassive) facts.fillers[PATIENT] ??= obj;
  else if (pattern.role === PATIENT) facts.fillers[PATIENT] ??= FILLERS[wh];
  if ((obj && !isPassive) || pattern.role === PATIENT) facts.hasObject = true;
  facts.tails.add(tailOf(pattern));
  facts.voices.add(isPassive);
  if (preposition) facts.prepositions.add(preposition);
  if (hasVerbPhrase(pattern)) facts.hasVerbPhrase = true;
  const shape = SHAPES[(reading.is_perfect ? 2 : 0) + (reading.is_progressive ? 1 : 0)];
  facts.times.add(`${reading.tense} ${shape}`);
  facts.polarities.add(slots.is_negated);
}

/**
 * Return the relations of a pattern to the questions asked so far.
 *
 * @param {Pattern} pattern
 * @param {Facts} facts
 */
function relationsOf(pattern, facts) {
  const { wh, subj, role, isPassive } = pattern;
  const isArgument = wh in FILLERS;
  if (facts.count === 0) {
    if (isArgument && !subj) return ["first agent"];
    return [role === PATIENT ? "first patient" : "first other"];
  }
  const names = [];
  if (facts.roles.has(role)) names.push("role asked");
  const known = facts.fillers[isPassive ? PATIENT : AGENT];
  if (known) names.push(known === (subj || FILLERS[wh]) ? "subject agrees" : "subject differs");
  if (!isPassive && role !== PATIENT) names.push(...objectRelation(pattern, facts));
  if (role !== PATIENT) names.push(facts.tails.has(tailOf(pattern)) ? "tail agrees" : "tail differs");
  names.push(facts.voices.has(isPassive) ? "voice agrees" : "voice differs");
  if (facts.hasVerbPhrase) names.push(hasVerbPhrase(pattern) ? "verb phrase agrees" : "verb phrase dropped");
  else if (hasVerbPhrase(pattern)) names.push("verb phrase added");
  const isLater = [...facts.roles].some((asked) => asked !== AGENT && asked !== PATIENT);
  if (!isArgument && isLater) names.push("adverbial asked before");
  return names;
}

/** @param {Pattern} pattern @param {Facts} facts */
function objectRelation({ obj }, facts) {
  const known = facts.fillers[PATIENT];
  if (obj && known) return [known === obj ? "object agrees" : "object differs"];
  if (obj) return ["object added"];
  return facts.hasObject ? ["object dropped"] : [];
}

/**
 * Return all verb phrases that the template allows after a question word, in a fixed order.
 *
 * @param {Pattern} pattern
 * @param {string[]} forms  in the order of FORM_NAMES
 */
function phrasesOf({ wh, subj, isPassive }, forms) {
  /** @type {Phrase[]} */
  const phrases = [];
  for (const tense of TENSES) {
    for (const shape of SHAPES) {
      const chain = chainOf(tense, shape, isPassive);
      if (chain === null) continue;
      const time = `${tense} ${shape}`;
      for (const negation of ["", "n't", "not"]) {
        const text = phraseText({ wh, subj, tense, negation, chain, forms });
        if (text === "") continue;
        phrases.push({ text, time, isNegated: negation !== "", hasSeparateNot: negation === "not" });
      }
    }
  }
  return phrases;
}

/**
 * Return the words up to the verb, or "" if the auxiliary has no contraction.
 *
 * @param {{wh: string, subj: string, tense: string, negation: string, chain: string[], forms: string[]}} parts
 */
function phraseText({ wh, subj, tense, negation, chain, forms }) {
  const [aux, ...rest] = chain;
  const middle = rest.slice(0, -1);
  const [stem, third, ing, past, participle] = forms;
  /** @type {Record<string, string>} */
  const byName = { stem, ing, participle };
  if (negation === "n't" && !(aux in CONTRACTED)) return "";
  const isBare = (aux === "does" || aux === "did") && !subj && !negation;
  if (isBare) return `${wh} ${tense === "past" ? past : third}`;
  const helper = negation === "n't" ? CONTRACTED[aux] : aux;
  const verb = byName[rest[rest.length - 1]];
  return [wh, helper, subj, negation === "not" ? "not" : "", ...middle, verb].filter(Boolean).join(" ");
}

/**
 * Return the auxiliary, the words in the middle and the name of the verb's form, or null.
 *
 * @param {string} tense
 * @param {string} shape
 * @param {boolean} isPassive
 */
function chainOf(tense, shape, isPassive) {
  const isPerfect = shape.startsWith("perfect");
  const isProgressive = shape.endsWith("progressive");
  const isModal = MODALS.includes(tense);
  if (isProgressive && isPassive && (isPerfect || isModal)) return null;
  const form = isProgressive && !isPassive ? "ing" : "participle";
  const hasBe = isProgressive || isPassive;
  const isPresent = tense === "present";
  if (!isPerfect && !hasBe) return [isModal ? tense : isPresent ? "does" : "did", "stem"];
  const been = hasBe ? ["been"] : [];
  if (isModal) return isPerfect ? [tense, "have", ...been, form] : [tense, "be", form];
  if (isPerfect) return [isPresent ? "has" : "had", ...been, form];
  const being = isProgressive && isPassive ? ["being"] : [];
  return [isPresent ? "is" : "was", ...being, form];
}
