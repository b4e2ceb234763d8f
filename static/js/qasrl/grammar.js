// Walks the question template over a text: what can come next, where it goes wrong, how it reads.
// The same walk as schemes/qasrl/walker.py; a test holds the two against each other.
//
//   const walker = new Walker(shared, item)   // both from the server: page data of the scheme
//   walker.complete("who wo")   -> [{text, ends, goesOn}, ...]
//   walker.check("who runned")  -> {state, start, end, nearest}
//   walker.read("Who ran?")     -> {slots, tense, ...} or null

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
      for (const [wordClass, slot, target] of this.edges(thread)) {
        if (!reached.has(target) && this.fillers(wordClass, thread).includes(word)) {
          reached.set(target, { state: target, steps: [...thread.steps, [slot, wordClass, word]] });
        }
      }
    }
    return [...reached.values()];
  }

  // The words that may come next, in the grammar's order, each once.
  choices(threads) {
    const words = new Set();
    for (const thread of threads) {
      for (const [wordClass] of this.edges(thread)) {
        for (const word of this.fillers(wordClass, thread)) words.add(word);
      }
    }
    return [...words];
  }

  ends(threads) {
    return threads.some((thread) => this.states[thread.state][0] === 1);
  }

  edges(thread) {
    return this.states[thread.state][1].map(([wordClass, slot, target]) => [
      this.classNames[wordClass],
      this.slotNames[slot],
      target,
    ]);
  }

  fillers(wordClass, thread) {
    if (!wordClass.startsWith("second")) return this.words[wordClass];
    const seconds = this.seconds(thread.steps.at(-1)[2]);
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
