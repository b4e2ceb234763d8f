// What the pages of verifiers and consolidators have in common: the sentence, in which words are
// picked for an argument, notes, problems and moves.

/** @import { Span } from "../../spans.js" */
/** @import { ItemData, OnChange } from "../../work/contract.js" */
/** @import { CaseProblem } from "./case-types.js" */

import { element, ref, setText, t } from "../../html.js";
import { source } from "./frame-source.js";
import { textOf, toggled } from "./record.js";
import { likelyRoles } from "./roles.js";
import { TokenPicker } from "./token-picker.js";

/**
 * Words that are being picked in the sentence.
 *
 * @typedef {{place: string, head: number[], onChange: (head: number[]) => void}} Picking
 */

/** @typedef {{head: number[], label: string, place: string}} Marked */

// The control of a part that gets the focus, the first one that is there.
const CONTROLS = [
  "input:checked:not(:disabled)",
  "input:not(:disabled)",
  "select:not(:disabled)",
  "button:not(:disabled)",
];

// The place at which the words of the verb are judged.
const VERB = "verb";

/** @template State */
export class CasePage {
  /** @param {HTMLElement} root @param {ItemData} data @param {OnChange} onChange @param {State} state */
  constructor(root, data, onChange, state) {
    this.root = root;
    this.data = data;
    this.onChange = onChange;
    this.locked = data.locked;
    this.tokens = data.tokens;
    /** @type {number[]} */
    this.verb = data.asked?.verb?.length ? data.asked.verb : data.target.verb;
    this.state = state;
    /** @type {Picking | null} */
    this.picking = null;
    this.loaded = () => {
      this.render();
      root.dispatchEvent(new Event("work-loaded", { bubbles: true }));
    };
    source.listeners.add(this.loaded);
    this.sentence = this.createSentence();
    const names = element("datalist", { id: `frames-${data.id}` });
    this.frameNames = names;
    root.append(names);
  }

  /** @param {string} name */
  ref(name) {
    return ref(this.root, name);
  }

  createSentence() {
    return new TokenPicker(this.ref("sentence"), {
      tokens: this.tokens,
      target: this.data.target.verb[0],
      onPick: (token) => this.pick(token),
      onToggle: (token) => this.pick(token),
      onChoose: ([start, end]) => this.pickWords(Array.from({ length: end - start }, (_, at) => start + at)),
      onRemove: (token) => this.pick(token),
      onLeave: () => this.leaveSentence(),
    });
  }

  /**
   * Return the likely roles of an argument, the most likely first.
   *
   * @param {{head: number[], element: string}} argument
   * @param {string} frame
   */
  likelyRoles({ head, element: name }, frame) {
    const { data, shared } = this.data;
    const facts = {
      ...{ tokens: this.tokens, target: this.data.target, ...data },
      ...{ elementRoles: shared.elementRoles, chosenRoles: source.chosenRoles },
    };
    return likelyRoles({ head, element: name, frame, held: [] }, facts).likely;
  }

  // --- for subclasses

  /** @returns {CaseProblem[]} */
  problems() {
    return [];
  }

  /** @returns {Marked[]} */
  marked() {
    return [];
  }

  /** @param {number[]} head */
  addArgument(head) {
    throw new Error(`No argument added for ${head}.`);
  }

  renderParts() {}

  // --- the contract of a work page

  isReady() {
    return this.problems().length === 0;
  }

  /** @param {CaseProblem} problem */
  focusProblem({ place }) {
    this.goTo(place);
  }

  /** @param {string} place */
  goTo(place) {
    const target = this.root.querySelector(`#${place}-${this.data.id}`);
    const control = CONTROLS.map((selector) => target?.querySelector(selector)).find(Boolean);
    if (control instanceof HTMLElement) control.focus();
    target?.scrollIntoView({ block: "nearest" });
  }

  /** @param {string} place */
  idOf(place) {
    return `${place}-${this.data.id}`;
  }

  shown() {
    setText(ref(document, "verb"), textOf(this.verb, this.tokens));
  }

  snapshot() {
    return this.state;
  }

  /** @param {State} state */
  restore(state) {
    this.state = state;
    this.picking = null;
    this.render();
  }

  lock() {
    this.locked = true;
    this.render();
  }

  destroy() {
    source.listeners.delete(this.loaded);
  }

  // --- changes

  /**
   * Make a move that can be undone. Moves with the same key are one.
   *
   * @param {State} next
   * @param {string} label
   * @param {string | null} [mergeKey]
   */
  change(next, label, mergeKey = null) {
    if (this.locked || next === this.state) return;
    this.state = next;
    this.render();
    this.onChange({ label, mergeKey });
  }

  // --- words of the sentence

  /**
   * Begin or end picking the words of an argument.
   *
   * @param {Picking} picking
   */
  togglePicking(picking) {
    this.picking = this.picking?.place === picking.place ? null : picking;
    this.render();
    if (this.picking) {
      this.sentence.focus();
      this.sentence.moveTo(picking.head[0] ?? this.verb[0]);
      this.say(t`Click words to add or remove them. Press Esc when done.`);
    }
  }

  /** @param {number} token */
  pick(token) {
    const argument = this.marked().find(({ head }) => head.includes(token));
    if (this.picking) this.pickWords([token]);
    else if (argument) this.goTo(argument.place);
    else this.pickWords([token]);
  }

  /** @param {number[]} words */
  pickWords(words) {
    if (this.locked) return;
    if (this.picking?.place === VERB) return this.pickVerb(words);
    const inVerb = words.find((at) => this.verb.includes(at));
    if (inVerb !== undefined) return this.refuse(`“${textOf([inVerb], this.tokens)}” belongs to the verb.`);
    if (!this.picking) return this.addArgument(words);
    const head = words.reduce(toggled, this.picking.head);
    if (head.length === 0) return this.refuse(t`An argument needs at least one word.`);
    this.picking = { ...this.picking, head };
    this.picking.onChange(head);
    this.render();
  }

  // The verb itself stays.
  /** @param {number[]} words */
  pickVerb(words) {
    const [verb] = this.data.target.verb;
    const others = words.filter((at) => at !== verb);
    if (!this.picking || others.length === 0) {
      return this.refuse(`“${textOf([verb], this.tokens)}” is the verb itself. Click its other words.`);
    }
    const head = others.reduce(toggled, this.picking.head);
    this.picking = { ...this.picking, head };
    this.picking.onChange(head);
    this.render();
  }

  leaveSentence() {
    const place = this.picking?.place;
    this.picking = null;
    this.render();
    if (place) this.goTo(place);
  }

  // --- rendering

  render() {
    this.renderParts();
    this.renderFrameNames();
    const { sentence } = this;
    if (sentence.disabled !== this.locked) sentence.disable(this.locked);
    sentence.chosen = this.picking?.head ?? [];
    sentence.paint(this.marks());
  }

  renderFrameNames() {
    const names = this.frameNames;
    if (!source.index || names.childElementCount > 0) return;
    names.append(...[...source.index.entries.keys()].map((name) => element("option", { value: name })));
  }

  /**
   * Say how a frame is related to one of the others.
   *
   * @param {HTMLElement} box
   * @param {string} name  of the frame, or ""
   * @param {string[]} others
   */
  renderRelation(box, name, others) {
    const text = name && source.index ? source.index.relations.describe(name, others) : "";
    box.hidden = text === "";
    setText(box, text && `${name}: ${text[0].toLowerCase()}${text.slice(1)}`);
  }

  /** @returns {import("../../sentence.js").Mark[]} */
  marks() {
    const words = this.picking?.place === VERB ? this.picking.head : this.verb;
    const verb = runs(words).map(([start, end]) => ({
      start,
      end,
      kind: /** @type {const} */ ("target"),
      label: t`the verb`,
    }));
    const others = this.marked().flatMap(({ head, label, place }) =>
      runs(head).map(([start, end]) => ({
        start,
        end,
        kind: /** @type {"own" | "other"} */ (place === this.picking?.place ? "own" : "other"),
        label,
      })),
    );
    return [...verb, ...others];
  }

  // --- messages

  /** @param {string} text */
  say(text, { isRefusal = false } = {}) {
    const note = this.ref("note");
    note.classList.toggle("sentence-note--refusal", isRefusal);
    setText(note, text);
  }

  /** @param {string} text */
  refuse(text) {
    this.say(text, { isRefusal: true });
  }
}

/**
 * Return positions as spans of words in a row.
 *
 * @param {number[]} positions
 */
function runs(positions) {
  /** @type {Span[]} */
  const spans = [];
  for (const at of positions) {
    const last = spans.at(-1);
    if (last && last[1] === at) last[1] = at + 1;
    else spans.push([at, at + 1]);
  }
  return spans;
}
