// The annotator's page: boxes are drawn for each phrase of the caption.

/** @import { ItemData, OnChange, Work } from "../../work/contract.js" */
/** @import { Box, Grounding, Phrase, PhraseProblem, PhraseState, ShownBox } from "./grounding-types.js" */

import { announceSettled, dropWaiting } from "../../announcements.js";
import { counted, ref, setText, t } from "../../html.js";
import { areSingleKeysOn, ignoresKey } from "../../shortcuts.js";
import { spanText } from "../../written-text.js";
import { Caption, watchCaption } from "./caption.js";
import { boxText, isSame } from "./geometry.js";
import {
  addBox,
  adopt,
  chainAnswers,
  changeBox,
  chooseState,
  coloursOf,
  copyAnswer,
  countBoxes,
  countWarning,
  draftOf,
  goTo,
  isAnswered,
  nextOpen,
  ownersOf,
  problemsOf,
  progressText,
  removeBox,
  resume,
  shortened,
  submissionOf,
  textOf,
} from "./grounding.js";
import { PhraseList } from "./phrase-list.js";
import { PhrasePanel, STATES } from "./phrase-panel.js";
import { PictureView } from "./picture.js";
import { bringIntoView, roomOf } from "./room.js";

/** @type {Record<string, PhraseState>} */
const STATE_KEYS = { g: "group", s: "scene", x: "absent" };

// The start of the keys of boxes that verifiers drew.
const PROPOSED = "proposed-";

/** @typedef {{id: string, state: boolean, boxes: Box[], missing: boolean, drawn?: Box[]}} Disputed */

/** @implements {Work} */
export class GroundPage {
  /** @param {HTMLElement} root @param {ItemData} data @param {OnChange} onChange */
  constructor(root, data, onChange) {
    this.root = root;
    this.data = data;
    /** @type {Disputed[]} What verifiers dispute, on the page of a revision. */
    this.disputed = data.disputes?.phrases ?? [];
    this.onChange = onChange;
    this.locked = data.locked;
    /** @type {Phrase[]} */
    this.phrases = data.target.phrases;
    this.facts = { tokens: data.tokens, phrases: this.phrases };
    this.texts = this.phrases.map((phrase) => textOf(phrase, data.tokens));
    this.colours = coloursOf(this.phrases);
    /** @type {Grounding} */
    this.state = { current: 0, boxes: {}, phrases: [] };
    /** @type {string | null} */
    this.selected = null;
    this.caption = new Caption(this.ref("caption"), {
      tokens: data.tokens,
      captions: data.data.captions,
      phrases: this.phrases,
      colours: this.colours,
      onChoose: (at) => this.goTo(at),
    });
    this.list = new PhraseList(this.ref("phrases"), this.phrases.length, (at) => this.goTo(at, { focuses: false }));
    this.panel = new PhrasePanel(this.ref("panel"), {
      onState: (name) => this.chooseState(name),
      onSelect: (key) => {
        this.select(key);
        this.picture?.focusBox(key);
      },
      onRemove: (key) => this.remove(key),
    });
    this.picture = this.createPicture();
    root.addEventListener("keydown", (event) => this.keyDown(event));
    this.ref("next-phrase").addEventListener("click", () => this.goOn());
    this.ref("previous-phrase").addEventListener("click", () => this.stepBy(-1));
    watchCaption(this.ref("hero"));
  }

  // Show the draft. Subclasses have built their parts by then.
  open() {
    this.state = this.resume(this.data.content);
    this.showDisputes();
    this.render();
    return this;
  }

  /** @param {string} name */
  ref(name) {
    return ref(this.root, name);
  }

  /** @param {any} content @returns {Grounding} */
  resume(content) {
    return resume(content, this.phrases);
  }

  createPicture() {
    const { image } = this.data.data;
    if (!image) {
      this.ref("picture").textContent = t`The picture of this caption is missing. Return the task.`;
      return null;
    }
    return new PictureView(this.ref("picture"), {
      image,
      description: t`Picture, ${image.width} by ${image.height} pixels. Enter starts a box.`,
      minSide: this.data.shared.minSide,
      canDraw: () => !this.locked,
      onDraw: (box) => this.draw(box),
      onChange: (key, box, how, options) => this.changeBox(key, box, how, options),
      onSelect: (key) => this.select(key),
      onRemove: (key) => this.remove(key),
      onRefuse: (text) => this.refuse(text),
      say: (text) => this.say(text),
      sayBox: (box) => this.sayBox(box),
      room: () => roomOf(this.root),
    });
  }

  // --- the contract of a work page

  content() {
    return draftOf(this.state);
  }

  submission() {
    return submissionOf(this.state);
  }

  /** @returns {PhraseProblem[]} */
  problems() {
    const problems = problemsOf(this.state, this.facts);
    const { maxItemBoxes } = this.data.shared;
    if (countBoxes(this.state) <= maxItemBoxes) return problems;
    return [...problems, { at: this.state.current, message: t`More than ${maxItemBoxes} boxes can’t be submitted.` }];
  }

  isReady() {
    return this.problems().length === 0;
  }

  /** @param {PhraseProblem} problem */
  focusProblem({ at }) {
    this.goTo(at);
  }

  /** @param {string} path @param {string} message @returns {PhraseProblem} */
  problemAt(path, message) {
    const at = Number(/^phrases\[(\d+)\]/.exec(path)?.[1] ?? NaN);
    if (!this.phrases[at]) return { at: this.state.current, message: `${path} ${message}` };
    return { at, message: `“${this.texts[at]}”: ${message}` };
  }

  /** @returns {import("../../work/contract.js").ItemStatus} */
  status() {
    const done = this.state.phrases.filter(isAnswered).length;
    if (done === this.phrases.length) return "done";
    return done > 0 ? "started" : "new";
  }

  title() {
    const [start, end] = this.data.data.captions[0];
    return spanText(this.data.tokens, [start, Math.min(end, start + 6)]);
  }

  units() {
    return countBoxes(this.state);
  }

  focus() {
    this.picture?.focusStage();
  }

  shown() {
    this.picture?.measure();
  }

  snapshot() {
    return this.state;
  }

  /** @param {Grounding} state */
  restore(state) {
    this.state = state;
    this.selected = null;
    this.picture?.reset();
    this.render();
  }

  /** @param {any} content */
  load(content) {
    this.restore(this.resume(content));
  }

  /** @param {any} content */
  describe(content) {
    const state = this.resume(content);
    return state.phrases
      .map((answer, at) => ({ answer, at }))
      .filter(({ answer }) => isAnswered(answer))
      .map(({ answer, at }) => `“${this.texts[at]}”: ${progressText(answer, this.phrases[at])}`);
  }

  lock() {
    this.locked = true;
    this.picture?.reset();
    this.render();
  }

  destroy() {
    this.picture?.destroy();
  }

  // --- moves

  /**
   * Make a move that can be undone. Moves with the same key are one.
   *
   * @param {Grounding} next
   * @param {string} label
   * @param {string | null} [mergeKey]
   */
  change(next, label, mergeKey = null) {
    if (this.locked || next === this.state) return false;
    this.state = next;
    this.render();
    this.onChange({ label, mergeKey });
    return true;
  }

  get text() {
    return this.texts[this.state.current];
  }

  get answer() {
    return this.state.phrases[this.state.current];
  }

  /** @param {Box} box */
  draw(box) {
    const { maxBoxes } = this.data.shared;
    if (this.answer.keys.length >= maxBoxes) return this.refuse(t`A phrase can have at most ${maxBoxes} boxes.`);
    if (this.answer.keys.some((key) => isSame(this.state.boxes[key], box)))
      return this.refuse(t`This phrase already has this box.`);
    const { state, key } = addBox(this.state, box);
    this.selected = key;
    if (!this.change(state, t`a box for “${shortened(this.text)}”`)) return;
    const { keys } = this.answer;
    this.say(`${this.nameOf(key)}, ${boxText(box)}. ${this.countText()}`);
    if (document.activeElement === this.picture?.stage && keys.length > 0) this.picture.focusBox(key);
  }

  countText() {
    const warning = countWarning(this.answer, this.phrases[this.state.current]);
    return warning || `${progressText(this.answer, this.phrases[this.state.current])}.`;
  }

  /** @param {string} key @param {Box} box @param {"move" | "resize"} how */
  changeBox(key, box, how, { isNudge = false } = {}) {
    const name = how === "move" ? "moving" : "resizing";
    const isChanged = this.change(
      changeBox(this.state, key, box),
      t`${name} a box of “${shortened(this.textOfBox(key))}”`,
      isNudge ? `${how} ${key}` : null,
    );
    if (!isChanged) this.picture?.layer.place();
    this.sayBox(this.state.boxes[key]);
  }

  /** @param {string} key */
  textOfBox(key) {
    return this.answer.keys.includes(key) ? this.text : this.texts[ownersOf(this.state, key)[0]];
  }

  /** @param {string} key */
  remove(key) {
    if (key.startsWith(PROPOSED)) return this.refuse(t`A verifier drew this box, and it isn't yours yet.`);
    if (!this.answer.keys.includes(key))
      return this.refuse(t`This box belongs to another phrase. Go to that phrase to remove it.`);
    const name = this.nameOf(key);
    if (this.selected === key) this.selected = null;
    const hadFocus = this.picture?.focusedKey() === key;
    if (!this.change(removeBox(this.state, key), t`removing a box of “${shortened(this.text)}”`)) return;
    if (hadFocus) this.picture?.focusStage();
    this.say(t`Removed ${name}.`);
  }

  /** @param {PhraseState} name */
  chooseState(name) {
    const { keys } = this.answer;
    const label = STATES.find(([state]) => state === name)?.[1] ?? name;
    const next = chooseState(this.state, name);
    this.selected = null;
    if (!this.change(next, `“${shortened(this.text)}”: ${label.toLowerCase()}`)) return this.render();
    const merged =
      name === "group" && keys.length > 1 ? t` The boxes were replaced by one box around all of them.` : "";
    const removed =
      keys.length > 0 && this.answer.keys.length === 0 ? t` ${counted(keys.length, "box", "boxes")} removed.` : "";
    this.say(`“${this.text}”: ${label.toLowerCase()}.${merged}${removed}`);
  }

  /** @param {string} key */
  adopt(key) {
    const from = this.textOfBox(key);
    if (this.change(adopt(this.state, key), t`the box of “${shortened(from)}” for “${shortened(this.text)}”`)) {
      this.say(t`“${this.text}” shares the box of “${from}”. ${this.countText()}`);
    }
  }

  /** @param {number} from */
  copyAnswer(from) {
    const { current } = this.state;
    if (
      this.change(
        copyAnswer(this.state, from),
        t`the answer of “${shortened(this.texts[from])}” for “${shortened(this.texts[current])}”`,
      )
    ) {
      this.say(t`“${this.text}” has the answer of “${this.texts[from]}”. ${this.countText()}`);
    }
  }

  // --- going through the phrases

  /** @param {string | null} key */
  select(key) {
    if (this.selected === key) return;
    this.selected = key;
    this.render();
    if (key !== null && this.picture?.focusedKey() !== key) this.say(this.labelOf(key));
  }

  /** @param {number} at */
  goTo(at, { focuses = true } = {}) {
    if (this.phrases[at] === undefined) return;
    if (at !== this.state.current) {
      this.state = goTo(this.state, at);
      this.selected = null;
      this.picture?.reset();
      this.render();
      if (!this.locked) this.onChange({ label: t`going to “${shortened(this.text)}”`, passing: true });
    }
    this.say(`“${this.text}”: ${progressText(this.answer, this.phrases[at])}.`);
    if (focuses) this.focus();
    if (this.picture) bringIntoView(this.picture.stage);
  }

  /** @param {number} by */
  stepBy(by) {
    const count = this.phrases.length;
    this.goTo((this.state.current + by + count) % count);
  }

  // Go to the next phrase without an answer, and from the last one to the button that submits.
  goOn() {
    const following = nextOpen(this.state);
    if (following >= 0 && following !== this.state.current) this.goTo(following);
    else if (following < 0) {
      const button = document.querySelector("[data-next]:not([hidden]), [data-submit]:not([hidden])");
      if (button instanceof HTMLElement) button.focus();
      this.say(t`Every phrase has an answer.`);
    } else this.goTo(this.state.current);
  }

  /** @param {KeyboardEvent} event */
  keyDown(event) {
    if (ignoresKey(event, "input:not([type=radio]), select, textarea")) return;
    const key = event.key.toLowerCase();
    if (key === "n") this.goOn();
    else if (key === "j") this.stepBy(1);
    else if (key === "k") this.stepBy(-1);
    else if (this.locked) return;
    else if (key === "b") this.picture?.keyboard.start();
    else if (key === "a") this.acceptOffer();
    else if (key === "o") this.selectOther();
    else if (STATE_KEYS[key]) this.chooseByKey(STATE_KEYS[key]);
    else return;
    event.preventDefault();
  }

  /** @param {PhraseState} name */
  chooseByKey(name) {
    const prevented = this.prevented()[name];
    if (prevented) this.refuse(prevented);
    else this.chooseState(name);
  }

  acceptOffer() {
    const [offer] = this.offers();
    if (offer) offer.onclick();
  }

  // Select the next box that the current phrase does not have.
  selectOther() {
    const others = this.shownBoxes().filter(({ kind }) => kind !== "own");
    if (others.length === 0) return this.refuse(t`No other phrase has a box.`);
    const at = others.findIndex(({ key }) => key === this.selected);
    const { key, box } = others[(at + 1) % others.length];
    this.focus();
    this.select(key);
    if (this.picture?.viewport.reveal(box)) this.picture.viewChanged();
    const [offer] = this.offers();
    const hint = offer && areSingleKeysOn() ? t`Press a: ${offer.label}.` : "";
    this.say(`${this.labelOf(key)}. ${hint}`);
  }

  // The colour of the current phrase's boxes.
  ownColour() {
    return this.colours[this.state.current];
  }

  // --- texts

  /** @param {string} key */
  nameOf(key) {
    const { keys } = this.answer;
    const at = keys.indexOf(key);
    if (key.startsWith(PROPOSED)) return t`a box that a verifier drew`;
    return at < 0 ? t`a box of ${this.textOfBox(key)}` : t`${this.text}, box ${at + 1} of ${keys.length}`;
  }

  /** @param {string} key */
  labelOf(key) {
    const proposal = this.proposals().find((proposed) => proposed.key === key);
    return `${this.nameOf(key)}, ${boxText(proposal?.box ?? this.state.boxes[key])}`;
  }

  // --- rendering

  render() {
    const { state } = this;
    const answered = state.phrases.map(isAnswered);
    if (this.selected !== null && !this.shownBoxes().some(({ key }) => key === this.selected)) this.selected = null;
    this.caption.show(state.current, answered);
    this.list.show(this.listed(), state.current);
    if (this.phrases.length > 0) this.renderPanel();
    this.picture?.show(this.shownBoxes(), this.selected);
    const open = answered.filter((isDone) => !isDone).length;
    setText(
      this.ref("summary"),
      open === 0 ? t`Every phrase has an answer.` : t`${open} of ${answered.length} phrases to do`,
    );
  }

  listed() {
    return this.state.phrases.map((answer, at) => ({
      text: this.texts[at],
      colour: this.colours[at],
      progress: progressText(answer, this.phrases[at]),
      isDone: isAnswered(answer),
      hasWarning: countWarning(answer, this.phrases[at]) !== "",
    }));
  }

  renderPanel() {
    const { state, answer } = this;
    const phrase = this.phrases[state.current];
    this.panel.show({
      text: this.text,
      colour: this.ownColour(),
      progress: progressText(answer, phrase),
      warning: countWarning(answer, phrase),
      state: answer.state,
      locked: this.locked,
      selected: this.selected,
      offers: this.locked ? [] : this.offers(),
      prevented: this.prevented(),
      boxes: answer.keys.map((key, at) => ({
        key,
        tag: `${state.current + 1}.${at + 1}`,
        box: state.boxes[key],
        name: this.nameOf(key),
        shared: this.sharedText(key),
      })),
    });
  }

  /** @param {string} key */
  sharedText(key) {
    const others = ownersOf(this.state, key).filter((at) => at !== this.state.current);
    return others.length > 0 ? t`also ${others.map((at) => "“" + this.texts[at] + "”").join(", ")}` : "";
  }

  // Why a state can't be chosen.
  /** @returns {Partial<Record<PhraseState, string>>} */
  prevented() {
    return {};
  }

  // What can be taken over with one click.
  offers() {
    const offers = chainAnswers(this.state, this.phrases).map((from) => {
      const { length } = this.state.phrases[from].keys;
      const label =
        length > 0
          ? t`Use the ${counted(length, "box", "boxes")} of “${this.texts[from]}”`
          : t`Use the answer of “${this.texts[from]}”`;
      return { label, onclick: () => this.copyAnswer(from) };
    });
    for (const { key, box } of this.proposals()) {
      const [x1, y1, x2, y2] = box;
      const label = t`Use the box of ${x2 - x1} × ${y2 - y1} that a verifier drew`;
      const offer = { label, onclick: () => this.draw(box) };
      if (key === this.selected) offers.unshift(offer);
      else offers.push(offer);
    }
    const { selected } = this;
    if (selected !== null && this.state.boxes[selected] && !this.answer.keys.includes(selected)) {
      offers.unshift({
        label: t`Use this box of “${this.textOfBox(selected)}” too`,
        onclick: () => this.adopt(selected),
      });
    }
    return offers;
  }

  // Boxes of other phrases lie below those of the current one.
  /** @returns {ShownBox[]} */
  shownBoxes() {
    const { boxes, current } = this.state;
    const shown = Object.entries(boxes).map(([key, box]) => {
      const owners = ownersOf(this.state, key);
      const own = this.answer.keys.indexOf(key);
      return {
        key,
        box,
        kind: own < 0 ? "other" : "own",
        colour: own < 0 ? this.colours[owners[0]] : this.ownColour(),
        tag: own < 0 ? owners.map((at) => at + 1).join(",") : `${current + 1}.${own + 1}`,
        locked: own < 0 || this.locked,
        own,
        ...(own >= 0 && { label: this.labelOf(key) }),
      };
    });
    const proposed = this.proposals().map(({ key, box }) => ({
      key,
      box,
      kind: "other box--drawn",
      colour: this.ownColour(),
      tag: "?",
      locked: true,
      own: -1,
    }));
    return [...shown, ...proposed].sort((a, b) => a.own - b.own);
  }

  // The boxes that verifiers drew for the current phrase, and that it lacks.
  proposals() {
    const answer = this.state.phrases[this.state.current];
    const drawn = this.disputed.find(({ id }) => id === answer?.id)?.drawn ?? [];
    return drawn
      .map((box, at) => ({ key: `${PROPOSED}${at}`, box }))
      .filter(({ box }) => !answer.keys.some((key) => isSame(this.state.boxes[key], box)));
  }

  showDisputes() {
    const lines = this.disputed.map(({ id, state, boxes, missing }) => {
      const text = this.texts[this.phrases.findIndex((phrase) => phrase.id === id)] ?? id;
      const parts = [
        state && t`the answer`,
        boxes.length > 0 && counted(boxes.length, "box", "boxes"),
        missing && t`a missing box`,
      ];
      return `“${text}”: ${parts.filter(Boolean).join(", ")}`;
    });
    const box = this.root.querySelector("[data-disputes]");
    if (!(box instanceof HTMLElement) || lines.length === 0) return;
    box.hidden = false;
    setText(ref(box, "disputes-text"), t`Other annotators dispute ${lines.join("; ")}.`);
  }

  // --- messages

  /** @param {string} text */
  say(text, { isRefusal = false } = {}) {
    dropWaiting();
    const note = this.ref("note");
    note.classList.toggle("sentence-note--refusal", isRefusal);
    setText(note, text);
  }

  // Not at every press of an arrow key.
  /** @param {Box} box */
  sayBox(box) {
    announceSettled(
      () => boxText(box),
      (text) => this.say(text),
    );
  }

  /** @param {string} text */
  refuse(text) {
    this.say(text, { isRefusal: true });
  }
}
