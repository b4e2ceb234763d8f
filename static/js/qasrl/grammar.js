// Walks the question template over a text: what can come next, where it goes wrong, how it reads.
// The same walk as schemes/qasrl/walker.py; a test holds the two against each other.
//
//   const walker = new Walker(shared, item)   // both from the server: page data of the scheme
//   walker.complete("who wo")   -> [{text, ends, goesOn}, ...]
//   walker.check("who runned")  -> {state, start, end, nearest}
//   walker.read("Who ran?")     -> {slots, tense, ...} or null
//   new Suggester(walker, ranking).suggest("who r", asked) -> [{question, cost}, ...]

const BLANKS = " \t\n\r\u00a0";
const COMPARED = 24;
const NEAREST = 5;

const SEPARATOR = "~!~";
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
const INFLECTIONS = {
  stem: "Stem",
  presentSingular3rd: "PresentSingular3rd",
  presentParticiple: "PresentParticiple",
  past: "Past",
  pastParticiple: "PastParticiple",
};

export class Walker {
  // `shared` is the automaton, the same for every item; `item` has forms, prepositions and pairs,
  // null for `pairs` where any two prepositions may stand together.
  constructor(shared, item) {
    this.forms = item.forms;
    this.pairs = item.pairs;
    this.prepositions = item.prepositions;
    this.classNames = shared.class_names;
    this.slotNames = shared.slots;
    this.states = shared.states;
    this.exits = new Map();
    this.words = { ...shared.classes, preposition: item.prepositions };
    for (const name of Object.keys(INFLECTIONS)) this.words[name] = [item.forms[name].toLowerCase()];
  }

  start() {
    return [{ state: 0, steps: [] }];
  }

  // The readings after one more word; of two that meet in a state the first one stays.
  step(threads, word) {
    const reached = new Map();
    for (const thread of threads) {
      for (const [wordClass, slot, target] of this.exitsOf(thread).get(word) ?? []) {
        if (!reached.has(target)) {
          reached.set(target, { state: target, steps: [...thread.steps, [slot, wordClass, word]] });
        }
      }
    }
    return [...reached.values()];
  }

  // The words that may come next, in the grammar's order, each once.
  choices(threads) {
    return [...new Set(threads.flatMap((thread) => [...this.exitsOf(thread).keys()]))];
  }

  ends(threads) {
    return threads.some((thread) => this.states[thread.state][0] === 1);
  }

  // The edges that each word may take, in the grammar's order: word -> [[class, slot, state], ...]
  exitsOf(thread) {
    const last = thread.steps.at(-1)?.[2] ?? "";
    const key = `${thread.state} ${last}`;
    const known = this.exits.get(key);
    if (known !== undefined) return known;
    const exits = new Map();
    for (const [wordClass, slot, target] of this.states[thread.state][1]) {
      const name = this.classNames[wordClass];
      for (const word of this.fillers(name, last)) {
        if (!exits.has(word)) exits.set(word, []);
        exits.get(word).push([name, this.slotNames[slot], target]);
      }
    }
    this.exits.set(key, exits);
    return exits;
  }

  fillers(wordClass, last) {
    if (!wordClass.startsWith("second")) return this.words[wordClass];
    const seconds = this.seconds(last);
    if (wordClass === "second to") return seconds.includes("to") ? ["to"] : [];
    return seconds.filter((word) => word !== "to");
  }

  seconds(first) {
    if (this.pairs === null) return [...this.prepositions, "to"];
    return Object.hasOwn(this.pairs, first) ? this.pairs[first] : [];
  }

  walk(words) {
    return words.reduce((threads, word) => this.step(threads, word), this.start());
  }

  // The ways to finish the word being typed, each carried on to the next real choice. Empty where
  // the text goes wrong before that word, and for a text that has its "?".
  complete(text) {
    const typed = split(text);
    if (typed.markAt !== null) return [];
    const words = typed.words.map((word) => word.text);
    const begun = typed.isOpen ? words.pop() : "";
    const threads = this.walk(words);
    return this.choices(threads)
      .filter((word) => word.startsWith(begun))
      .map((word) => this.option(words, word, threads));
  }

  option(words, word, threads) {
    const said = [...words, word];
    let reached = this.step(threads, word);
    let following = this.choices(reached);
    while (following.length === 1 && !this.ends(reached)) {
      said.push(following[0]);
      reached = this.step(reached, following[0]);
      following = this.choices(reached);
    }
    const text = finished(said.join(" ")).slice(0, -1);
    return { text, ends: this.ends(reached), goesOn: following.length > 0 };
  }

  // `state` is complete, unfinished or wrong; start and end mark the word that goes wrong (or the
  // question mark that comes too soon), `nearest` the legal words there.
  check(text) {
    const typed = split(text);
    let threads = this.start();
    for (const [position, word] of typed.words.entries()) {
      const reached = this.step(threads, word.text);
      if (reached.length === 0) {
        const isLast = position === typed.words.length - 1 && typed.isOpen;
        return this.stopped(threads, word, isLast, text.length);
      }
      threads = reached;
    }
    const here = { start: text.length, end: text.length, nearest: [] };
    if (this.ends(threads)) return { state: "complete", ...here };
    if (typed.markAt === null) return { state: "unfinished", ...here };
    const nearest = this.choices(threads).slice(0, NEAREST);
    return { state: "wrong", start: typed.markAt, end: typed.markAt + 1, nearest };
  }

  stopped(threads, word, isLast, length) {
    const legal = this.choices(threads);
    if (isLast && legal.some((each) => each.startsWith(word.text))) {
      return { state: "unfinished", start: length, end: length, nearest: [] };
    }
    const near = legal
      .map((each) => [nearness(each, word.text), each])
      .sort((a, b) => a[0] - b[0])
      .slice(0, NEAREST)
      .map(([, each]) => each);
    const mark = this.ends(threads) ? ["?"] : [];
    return { state: "wrong", start: word.start, end: word.end, nearest: [...near, ...mark] };
  }

  // The reading of a finished question, with or without its "?"; null if it is none.
  read(text) {
    const threads = this.walk(split(text).words.map((word) => word.text));
    const thread = threads.find((each) => this.states[each.state][0] === 1);
    return thread ? readingOf(thread.steps, this.forms) : null;
  }
}

// Words at their places; a question mark at the end, even after a blank, is none of them.
export function split(text) {
  let body = trimEnd(text, BLANKS);
  let markAt = null;
  if (body.endsWith("?")) {
    body = trimEnd(body, `?${BLANKS}`);
    markAt = text.indexOf("?", body.length);
  }
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

function trimEnd(text, characters) {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1])) end -= 1;
  return text.slice(0, end);
}

function folded(word) {
  return word.toLowerCase().replaceAll("\u2019", "'");
}

// The lower the nearer; a word that only wants its end is nearest.
function nearness(legal, typed) {
  return legal.startsWith(typed) ? 0 : distance(legal, typed);
}

// Levenshtein's, over the first 24 characters of each.
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

// Words as a question is stored: a capital first, a question mark last.
export function finished(words) {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}?`;
}

function readingOf(steps, forms) {
  const words = (slot) => steps.filter(([each]) => each === slot).map(([, , word]) => word);
  const form = steps.find(([slot]) => slot === "verb")[1];
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

function inflectionOf(form, forms) {
  let name = form;
  if (name === "pastParticiple" && forms.pastParticiple === forms.past) name = "past";
  if (name === "past" && forms.past === forms.stem) name = "stem";
  return INFLECTIONS[name];
}

function isPassive(aux, chain, form) {
  const before = chain.length > 0 ? chain.at(-1) : aux;
  return form === "pastParticiple" && ["is", "was", "be", "being", "been"].includes(before);
}

function tenseOf(aux, form) {
  if (MODALS.includes(aux)) return aux;
  const present = PRESENT.includes(aux) || (aux === "" && form === "presentSingular3rd");
  return present ? "present" : "past";
}

// --- suggestions: the same as schemes/qasrl/suggestions.py -----------------------------------

const AGENT = "agent";
const PATIENT = "patient";
const FILLER = { who: "someone", what: "something" };
const BUDGETS = [20, 35, 50, 70, 100, 140];
const MOST_STEPS = 6000;
const TAKEN = 60;
const USUAL_FILLERS = {
  agent: { someone: 3, something: 13 },
  patient: { someone: 9, something: 5 },
};
const OTHER_WH = { what: 4, who: 20 };
const RARE_ROLES = { obj2: 30, obj: 24 };
const BE = ["is", "was", "isn't", "wasn't", "be", "being", "been"];
const PERFECT = ["has", "had", "hasn't", "hadn't"];
const EMPTY = { wh: "", aux: "", subj: "", chain: [], form: "", obj: "", prep: "", obj2: "" };

// Questions that a good annotator would ask next, cheapest first, never one already asked.
export class Suggester {
  // `table` is the item's ranking, from the server.
  constructor(walker, table) {
    this.walker = walker;
    this.table = table;
  }

  // Finished questions that begin with `text` as typed: [{question, cost}, ...]; empty for a text
  // with its "?". `asked` are the texts of the other questions.
  suggest(text, asked, limit = 8) {
    const typed = split(text);
    if (typed.markAt !== null) return [];
    const words = typed.words.map((word) => word.text);
    const begun = typed.isOpen ? words.pop() : "";
    const threads = this.walker.walk(words);
    const facts = factsOf(asked, this.walker);
    let found = new Map();
    for (const budget of BUDGETS) {
      found = new Search(this.walker, this.table, facts, budget).run(threads, begun);
      if (found.size >= limit) break;
    }
    return [...found]
      .sort((a, b) => a[1] - b[1])
      .slice(0, limit)
      .map(([words, cost]) => ({ question: finished(words), cost }));
  }
}

// Of the questions asked so far: their texts, the roles they ask for, what fills each participant.
function factsOf(asked, walker) {
  const facts = {
    texts: new Set(),
    roles: new Set(),
    fillers: {},
    tenses: new Set(),
    shapes: new Set(),
    prepositions: new Set(),
    isBare: false,
  };
  for (const text of asked) {
    facts.texts.add(split(text).words.map((word) => word.text).join(" "));
    const reading = walker.read(text);
    if (reading !== null) addReading(facts, reading);
  }
  return facts;
}

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

function shapeName(perfect, progressive, passive) {
  const names = [];
  if (perfect) names.push("perfect");
  if (progressive) names.push("progressive");
  if (passive) names.push("passive");
  return names.join(" ");
}

// A name for what a question asks for; of two questions with one name, one is too many.
function roleOf(asked, passive) {
  if (!(asked.wh in FILLER)) return asked.wh;
  if (!asked.subj) return passive ? PATIENT : AGENT;
  if (asked.prep && !asked.obj2) return passive && asked.prep === "by" ? AGENT : `prep ${asked.prep}`;
  if (asked.obj2 === "do" || asked.obj2 === "doing") return "do";
  if (asked.obj) return "obj2";
  return passive ? "obj" : PATIENT;
}

function extended(clause, [slot, wordClass, word]) {
  if (slot === "verb") return { ...clause, form: wordClass };
  if (slot === "prefix") return { ...clause, chain: [...clause.chain, word] };
  return { ...clause, [slot]: clause[slot] ? `${clause[slot]} ${word}` : word };
}

function clauseIsPassive(clause) {
  const before = clause.chain.findLast((word) => word !== "not") ?? clause.aux;
  return clause.form === "pastParticiple" && BE.includes(before);
}

// All ways to finish a question within a budget, depth first; costs count what is added, and what
// the whole question repeats.
class Search {
  constructor(walker, table, facts, budget) {
    this.walker = walker;
    this.table = table;
    this.facts = facts;
    this.budget = budget;
    this.stepsLeft = MOST_STEPS;
    this.found = new Map();
  }

  run(threads, begun) {
    for (const thread of threads) {
      this.goOn(thread, thread.steps.reduce(extended, EMPTY), 0, begun);
    }
    return this.found;
  }

  goOn(thread, clause, spent, begun) {
    if (!begun && this.walker.ends([thread])) this.finish(thread, clause, spent);
    for (const [word, exits] of this.walker.exitsOf(thread)) {
      if (!word.startsWith(begun)) continue;
      for (const [wordClass, slot, target] of exits) {
        if (this.stepsLeft <= 0) return;
        this.stepsLeft -= 1;
        const step = [slot, wordClass, word];
        const longer = extended(clause, step);
        const cost = spent + this.stepCost(slot, clause, longer, word);
        if (cost <= this.budget) {
          this.goOn({ state: target, steps: [...thread.steps, step] }, longer, cost, "");
        }
      }
    }
  }

  finish(thread, clause, spent) {
    const cost = spent + this.endCost(clause);
    const question = thread.steps.map(([, , word]) => word).join(" ");
    if (cost > this.budget || this.facts.texts.has(question)) return;
    this.found.set(question, Math.min(cost, this.found.get(question) ?? cost));
  }

  endCost(clause) {
    const passive = clauseIsPassive(clause);
    if (!(clause.wh in FILLER) || !clause.subj) {
      return clause.obj || passive ? 0 : this.awayCost(clause);
    }
    const role = roleOf(clause, passive);
    const asked = role === PATIENT ? this.table.object.asked : (RARE_ROLES[role] ?? 0);
    return asked + OTHER_WH[clause.wh] + (this.facts.roles.has(role) ? TAKEN : 0);
  }

  // An active verb without its object: odd once a question has named one.
  awayCost(clause) {
    if (PATIENT in this.facts.fillers) return 16;
    const costs = this.table.object;
    const nothing = clause.prep || clause.obj2 ? 0 : costs.nothing;
    return nothing + (this.facts.isBare ? 0 : costs.away);
  }

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

  tenseCost(tense) {
    return this.facts.tenses.has(tense) ? 0 : this.table.tense[tense];
  }

  verbCost(clause) {
    const passive = clauseIsPassive(clause);
    const negated = clause.chain.includes("not") || clause.aux.endsWith("n't");
    let cost = this.shapeCost(clause, passive) + this.subjectCost(clause, passive);
    if (!clause.aux) cost += this.tenseCost(tenseOf("", clause.form));
    cost += negated ? this.table.negated : this.table.plain;
    const stressed = ["does", "did"].includes(clause.aux) && !clause.subj && !negated;
    return cost + (stressed ? 45 : 0);
  }

  shapeCost(clause, passive) {
    const perfect = PERFECT.includes(clause.aux) || clause.chain.includes("have");
    const progressive = clause.form === "presentParticiple" || clause.chain.includes("being");
    const shape = shapeName(perfect, progressive, passive);
    return this.facts.shapes.has(shape) ? 0 : (this.table.shape[shape] ?? 45);
  }

  // The subject's word, or the question's where it asks for the subject.
  subjectCost(clause, passive) {
    const role = passive ? PATIENT : AGENT;
    const filler = clause.subj || FILLER[clause.wh];
    const known = this.facts.fillers[role] ?? "";
    const usual = USUAL_FILLERS[role][filler] ?? 0;
    const cost = known === "" ? usual : known === filler ? 0 : 18;
    return cost + (!clause.subj && this.facts.roles.has(role) ? TAKEN : 0);
  }

  objectCost(before, word) {
    if (clauseIsPassive(before)) return 26;
    const known = this.facts.fillers[PATIENT] ?? "";
    if (known) return known === word ? 1 : 20;
    const bare = this.facts.isBare ? 14 : 0;
    return this.table.object.named + bare + (word === "something" ? 1 : 14);
  }

  prepositionCost(before, after, word) {
    if (word === "do" || word === "doing") return this.verbPhraseCost(before, 40);
    const cost = this.phraseCost(after.prep);
    if (before.prep) return Math.max(0, cost - this.phraseCost(before.prep));
    return word === "by" && clauseIsPassive(before) ? Math.min(24, cost) : cost;
  }

  phraseCost(phrase) {
    const costs = this.table.preposition;
    const cost = Object.hasOwn(costs, phrase) ? costs[phrase] : 50;
    return this.facts.prepositions.has(phrase) ? Math.min(8, cost) : cost;
  }

  verbPhraseCost(clause, otherwise) {
    return clause.prep === "to" || clause.prep.endsWith(" to") ? this.table["to do"] : otherwise;
  }

  secondObjectCost(before, word) {
    if (word === "somewhere") return before.wh === "where" ? 45 : 24;
    if (word === "do" || word === "doing") return this.verbPhraseCost(before, 45);
    if (before.prep) return word === "something" ? 5 : 12;
    return 28;
  }
}
