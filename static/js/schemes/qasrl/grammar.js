// A recognizer of the question template. It returns continuations, locates errors and reads questions.
// It must behave exactly like schemes/qasrl/walker.py, and a test compares the two.
//
//   const walker = new Walker(shared, item)   // both from the page's data
//   walker.complete("who wo")   -> [{text, ends, goesOn}, ...]
//   walker.check("who runned")  -> {state, start, end, nearest}
//   walker.read("Who ran?")     -> {slots, tense, ...} or null
//   new Suggester(walker, ranking).suggest("who r", asked) -> [{question, cost}, ...]

/** @import { Automaton, Check, Completion, Form, ItemTable, Path, Step, Transition, Word } from "./grammar-types.js" */

/** @typedef {ReturnType<typeof readingOf>} Reading */

/**
 * An item's costs of the parts of a question, from schemes/qasrl/ranking.py.
 *
 * @typedef {object} RankingCosts
 * @property {Record<string, number>} wh
 * @property {Record<string, number>} tense
 * @property {Record<string, number>} shape
 * @property {Record<string, number>} preposition
 * @property {{asked: number, nothing: number, away: number, named: number}} object
 * @property {number} negated
 * @property {number} plain
 */

/** @typedef {RankingCosts & {"to do": number}} Ranking */

const BLANKS = " \t\n\r\u00a0";
const COMPARED = 24;
const NEAREST = 5;

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
    this.forms = item.forms;
    this.pairs = item.pairs;
    this.prepositions = item.prepositions;
    this.classNames = shared.class_names;
    this.slotNames = shared.slots;
    this.states = shared.states;
    /** @type {Map<string, Map<string, Transition[]>>} */
    this.transitions = new Map();
    /** @type {Record<string, string[]>} */
    this.words = { ...shared.classes, preposition: item.prepositions };
    for (const [name, form] of Object.entries(item.forms)) this.words[name] = [form.toLowerCase()];
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
    const near = legal
      .map((candidate) => ({ candidate, cost: nearness(candidate, word.text) }))
      .sort((a, b) => a.cost - b.cost)
      .slice(0, NEAREST)
      .map(({ candidate }) => candidate);
    const mark = this.ends(paths) ? ["?"] : [];
    return { state: "wrong", start: word.start, end: word.end, nearest: [...near, ...mark] };
  }

  /**
   * Return the reading of a finished question, with or without its "?", or null.
   *
   * @param {string} text
   */
  read(text) {
    const paths = this.walk(split(text).words.map((word) => word.text));
    const path = paths.find(({ state }) => this.states[state][0] === 1);
    return path ? readingOf(path.steps, this.forms) : null;
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

/** @param {Step[]} steps @param {Record<Form, string>} forms */
function readingOf(steps, forms) {
  const words = (/** @type {string} */ name) => steps.filter(([slot]) => slot === name).map(([, , word]) => word);
  const form = steps.find(([slot]) => slot === "verb")?.[1] ?? "";
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

/** @param {string} form @param {Record<Form, string>} forms */
function inflectionOf(form, forms) {
  let name = form;
  if (name === "pastParticiple" && forms.pastParticiple === forms.past) name = "past";
  if (name === "past" && forms.past === forms.stem) name = "stem";
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

// --- suggestions: the same as schemes/qasrl/suggestions.py -----------------------------------

const AGENT = "agent";
const PATIENT = "patient";
/** @type {Record<string, string>} */
const FILLER = { who: "someone", what: "something" };
const BUDGETS = [20, 35, 50, 70, 100, 140];
const MOST_STEPS = 6000;
const TAKEN = 60;
/** @type {Record<string, Record<string, number>>} */
const USUAL_FILLERS = {
  agent: { someone: 3, something: 13 },
  patient: { someone: 9, something: 5 },
};
/** @type {Record<string, number>} */
const OTHER_WH = { what: 4, who: 20 };
/** @type {Record<string, number>} */
const RARE_ROLES = { obj2: 30, obj: 24 };
const BE = ["is", "was", "isn't", "wasn't", "be", "being", "been"];
const PERFECT = ["has", "had", "hasn't", "hadn't"];
/**
 * A question that is not finished yet.
 *
 * @typedef {object} Clause
 * @property {string} wh
 * @property {string} aux
 * @property {string} subj
 * @property {string[]} chain
 * @property {string} form
 * @property {string} obj
 * @property {string} prep
 * @property {string} obj2
 */

/** @typedef {ReturnType<typeof factsOf>} Facts */

/** @type {Clause} */
const EMPTY = { wh: "", aux: "", subj: "", chain: [], form: "", obj: "", prep: "", obj2: "" };

/** A source of questions that a good annotator would ask next, cheapest first, without repeats. */
export class Suggester {
  /** @param {Walker} walker @param {Ranking} table */
  constructor(walker, table) {
    this.walker = walker;
    this.table = table;
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
    const words = typed.words.map((word) => word.text);
    const begun = (typed.isOpen && words.pop()) || "";
    const paths = this.walker.walk(words);
    const facts = factsOf(asked, this.walker);
    /** @type {Map<string, number>} */
    let found = new Map();
    for (const budget of BUDGETS) {
      found = new Search(this.walker, this.table, facts, budget).run(paths, begun);
      if (found.size >= limit) break;
    }
    return [...found]
      .sort((a, b) => a[1] - b[1])
      .slice(0, limit)
      .map(([question, cost]) => ({ question: finished(question), cost }));
  }
}

/**
 * Return facts about the earlier questions: texts, roles, and the words for participants.
 *
 * @param {string[]} asked
 * @param {Walker} walker
 */
function factsOf(asked, walker) {
  /** @type {() => Set<string>} */
  const empty = () => new Set();
  const facts = {
    texts: empty(),
    roles: empty(),
    fillers: /** @type {Record<string, string>} */ ({}),
    tenses: empty(),
    shapes: empty(),
    prepositions: empty(),
    isBare: false,
  };
  for (const text of asked) {
    facts.texts.add(
      split(text)
        .words.map((word) => word.text)
        .join(" "),
    );
    const reading = walker.read(text);
    if (reading !== null) addReading(facts, reading);
  }
  return facts;
}

/** @param {Facts} facts @param {Reading} reading */
function addReading(facts, reading) {
  const slots = reading.slots;
  const passive = slots.is_passive;
  facts.tenses.add(reading.tense);
  facts.shapes.add(shapeName(reading.is_perfect, reading.is_progressive, passive));
  const role = roleOf(slots, passive);
  facts.roles.add(role);
  facts.prepositions.add(slots.prep);
  if (!passive && !slots.obj && role !== PATIENT) facts.isBare = true;
  facts.fillers[passive ? PATIENT : AGENT] ??= slots.subj || FILLER[slots.wh];
  if (slots.obj && !passive) facts.fillers[PATIENT] ??= slots.obj;
  else if (role === PATIENT && slots.wh in FILLER) facts.fillers[PATIENT] ??= FILLER[slots.wh];
}

/** @param {boolean} perfect @param {boolean} progressive @param {boolean} passive */
function shapeName(perfect, progressive, passive) {
  const names = [];
  if (perfect) names.push("perfect");
  if (progressive) names.push("progressive");
  if (passive) names.push("passive");
  return names.join(" ");
}

/**
 * Name the role that a question asks for. A good annotator asks for each role once.
 *
 * @param {{wh: string, subj: string, obj: string, prep: string, obj2: string}} asked
 * @param {boolean} passive
 */
function roleOf(asked, passive) {
  if (!(asked.wh in FILLER)) return asked.wh;
  if (!asked.subj) return passive ? PATIENT : AGENT;
  if (asked.prep && !asked.obj2) return passive && asked.prep === "by" ? AGENT : `prep ${asked.prep}`;
  if (asked.obj2 === "do" || asked.obj2 === "doing") return "do";
  if (asked.obj) return "obj2";
  return passive ? "obj" : PATIENT;
}

/** @param {Clause} clause @param {Step} step @returns {Clause} */
function extended(clause, [slot, wordClass, word]) {
  if (slot === "verb") return { ...clause, form: wordClass };
  if (slot === "prefix") return { ...clause, chain: [...clause.chain, word] };
  const before = clause[/** @type {"wh" | "aux" | "subj" | "obj" | "prep" | "obj2"} */ (slot)];
  return { ...clause, [slot]: before ? `${before} ${word}` : word };
}

/** @param {Clause} clause */
function clauseIsPassive(clause) {
  const before = clause.chain.findLast((word) => word !== "not") ?? clause.aux;
  return clause.form === "pastParticiple" && BE.includes(before);
}

/**
 * A depth-first search for all ways to finish a question within a budget. The costs are of the added
 * words, and of what the whole question repeats.
 */
class Search {
  /** @param {Walker} walker @param {Ranking} table @param {Facts} facts @param {number} budget */
  constructor(walker, table, facts, budget) {
    this.walker = walker;
    this.table = table;
    this.facts = facts;
    this.budget = budget;
    this.stepsLeft = MOST_STEPS;
    /** @type {Map<string, number>} */
    this.found = new Map();
  }

  /** @param {Path[]} paths @param {string} begun */
  run(paths, begun) {
    for (const path of paths) {
      this.goOn(path, path.steps.reduce(extended, EMPTY), 0, begun);
    }
    return this.found;
  }

  /**
   * @param {Path} path
   * @param {Clause} clause
   * @param {number} spent
   * @param {string} begun  the beginning of the next word
   */
  goOn(path, clause, spent, begun) {
    if (!begun && this.walker.ends([path])) this.finish(path, clause, spent);
    for (const [word, transitions] of this.walker.transitionsOf(path)) {
      if (!word.startsWith(begun)) continue;
      for (const [wordClass, slot, target] of transitions) {
        if (this.stepsLeft <= 0) return;
        this.stepsLeft -= 1;
        /** @type {Step} */
        const step = [slot, wordClass, word];
        const longer = extended(clause, step);
        const cost = spent + this.stepCost(slot, clause, longer, word);
        if (cost <= this.budget) {
          this.goOn({ state: target, steps: [...path.steps, step] }, longer, cost, "");
        }
      }
    }
  }

  /** @param {Path} path @param {Clause} clause @param {number} spent */
  finish(path, clause, spent) {
    const cost = spent + this.endCost(clause);
    const question = path.steps.map(([, , word]) => word).join(" ");
    if (cost > this.budget || this.facts.texts.has(question)) return;
    this.found.set(question, Math.min(cost, this.found.get(question) ?? cost));
  }

  /** @param {Clause} clause */
  endCost(clause) {
    const passive = clauseIsPassive(clause);
    if (!(clause.wh in FILLER) || !clause.subj) {
      return clause.obj || passive ? 0 : this.awayCost(clause);
    }
    const role = roleOf(clause, passive);
    const asked = role === PATIENT ? this.table.object.asked : (RARE_ROLES[role] ?? 0);
    return asked + OTHER_WH[clause.wh] + (this.facts.roles.has(role) ? TAKEN : 0);
  }

  /**
   * Return the cost of an active verb without its object, which is odd after a question with one.
   *
   * @param {Clause} clause
   */
  awayCost(clause) {
    if (PATIENT in this.facts.fillers) return 16;
    const costs = this.table.object;
    const nothing = clause.prep || clause.obj2 ? 0 : costs.nothing;
    return nothing + (this.facts.isBare ? 0 : costs.away);
  }

  /** @param {string} slot @param {Clause} before @param {Clause} after @param {string} word */
  stepCost(slot, before, after, word) {
    switch (slot) {
      case "wh":
        return this.table.wh[word] ?? 24;
      case "aux": {
        const taken = this.facts.roles.has(before.wh) && !(before.wh in FILLER);
        return this.tenseCost(tenseOf(PLAIN[word] ?? word, "")) + (taken ? TAKEN : 0);
      }
      case "subj":
        return word === "it" ? 60 : 0;
      case "prefix":
        return word === "not" ? 6 : 0;
      case "verb":
        return this.verbCost(after);
      case "obj":
        return this.objectCost(before, word);
      case "prep":
        return this.prepositionCost(before, after, word);
      default:
        return this.secondObjectCost(before, word);
    }
  }

  /** @param {string} tense */
  tenseCost(tense) {
    return this.facts.tenses.has(tense) ? 0 : this.table.tense[tense];
  }

  /** @param {Clause} clause */
  verbCost(clause) {
    const passive = clauseIsPassive(clause);
    const negated = clause.chain.includes("not") || clause.aux.endsWith("n't");
    let cost = this.shapeCost(clause, passive) + this.subjectCost(clause, passive);
    if (!clause.aux) cost += this.tenseCost(tenseOf("", clause.form));
    cost += negated ? this.table.negated : this.table.plain;
    const stressed = ["does", "did"].includes(clause.aux) && !clause.subj && !negated;
    return cost + (stressed ? 45 : 0);
  }

  /** @param {Clause} clause @param {boolean} passive */
  shapeCost(clause, passive) {
    const perfect = PERFECT.includes(clause.aux) || clause.chain.includes("have");
    const progressive = clause.form === "presentParticiple" || clause.chain.includes("being");
    const shape = shapeName(perfect, progressive, passive);
    return this.facts.shapes.has(shape) ? 0 : (this.table.shape[shape] ?? 45);
  }

  /**
   * Return the cost of the subject's word, or of the question word that asks for the subject.
   *
   * @param {Clause} clause
   * @param {boolean} passive
   */
  subjectCost(clause, passive) {
    const role = passive ? PATIENT : AGENT;
    const filler = clause.subj || FILLER[clause.wh];
    const known = this.facts.fillers[role] ?? "";
    const usual = USUAL_FILLERS[role][filler] ?? 0;
    const cost = known === "" ? usual : known === filler ? 0 : 18;
    return cost + (!clause.subj && this.facts.roles.has(role) ? TAKEN : 0);
  }

  /** @param {Clause} before @param {string} word */
  objectCost(before, word) {
    if (clauseIsPassive(before)) return 26;
    const known = this.facts.fillers[PATIENT] ?? "";
    if (known) return known === word ? 1 : 20;
    const bare = this.facts.isBare ? 14 : 0;
    return this.table.object.named + bare + (word === "something" ? 1 : 14);
  }

  /** @param {Clause} before @param {Clause} after @param {string} word */
  prepositionCost(before, after, word) {
    if (word === "do" || word === "doing") return this.verbPhraseCost(before, 40);
    const cost = this.phraseCost(after.prep);
    if (before.prep) return Math.max(0, cost - this.phraseCost(before.prep));
    return word === "by" && clauseIsPassive(before) ? Math.min(24, cost) : cost;
  }

  /** @param {string} phrase */
  phraseCost(phrase) {
    const costs = this.table.preposition;
    const cost = Object.hasOwn(costs, phrase) ? costs[phrase] : 50;
    return this.facts.prepositions.has(phrase) ? Math.min(8, cost) : cost;
  }

  /** @param {Clause} clause @param {number} otherwise */
  verbPhraseCost(clause, otherwise) {
    return clause.prep === "to" || clause.prep.endsWith(" to") ? this.table["to do"] : otherwise;
  }

  /** @param {Clause} before @param {string} word */
  secondObjectCost(before, word) {
    if (word === "somewhere") return before.wh === "where" ? 45 : 24;
    if (word === "do" || word === "doing") return this.verbPhraseCost(before, 45);
    if (before.prep) return word === "something" ? 5 : 12;
    return 28;
  }
}
