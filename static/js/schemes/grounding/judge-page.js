// The validator's page: the answers of an annotator are judged, phrase by phrase and box by box.

/** @import { ItemData, OnChange, Work } from "../../work/contract.js" */
/** @import { Box, Phrase, PhraseProblem, ShownBox, StoredPhrase } from "./grounding-types.js" */
/** @import { Validation } from "./validation.js" */

import { announceSettled, dropWaiting } from "../../announcements.js";
import { counted, ref, setText, t } from "../../html.js";
import { areSingleKeysOn, ignoresKey } from "../../shortcuts.js";
import { spanText } from "../../written-text.js";
import { Caption, watchCaption } from "./caption.js";
import { boxText } from "./geometry.js";
import { coloursOf, shortened, textOf } from "./grounding.js";
import { JudgmentPanel } from "./judgment-panel.js";
import { PhraseList } from "./phrase-list.js";
import { PictureView } from "./picture.js";
import { bringIntoView, roomOf } from "./room.js";
import {
  acceptRest,
  canDraw,
  changeDrawn,
  countDisputes,
  draftOf,
  drawBox,
  drawingProblem,
  hasBoxes,
  isJudged,
  judge,
  judgeBox,
  judgeMissing,
  nextOpen,
  problemsOf,
  removeDrawn,
  resume,
  submissionOf,
} from "./validation.js";

// The start of the keys of boxes that the validator draws.
const DRAWN = "drawn-";

/** @implements {Work} */
export class JudgePage {
  /** @param {HTMLElement} root @param {ItemData} data @param {OnChange} onChange */
  constructor(root, data, onChange) {
    this.root = root;
    this.data = data;
    this.onChange = onChange;
    this.locked = data.locked;
    /** @type {StoredPhrase[]} */
    this.asked = data.asked.phrases;
    /** @type {Phrase[]} */
    const phrases = data.target.phrases;
    const colours = coloursOf(phrases);
    const places = this.asked.map(({ id }) => phrases.findIndex((phrase) => phrase.id === id));
    /** @type {Phrase[]} */
    this.phrases = places.map((at) => phrases[at]);
    this.texts = this.phrases.map((phrase) => textOf(phrase, data.tokens));
    this.colours = places.map((at) => colours[at]);
    this.state = resume(data.content, this.asked);
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
    this.panel = new JudgmentPanel(this.ref("panel"), {
      onState: (valid) => this.judge({ valid }, valid ? t`accepting the answer` : t`disputing the answer`),
      onBox: (box, verdict) => this.judgeBox(box, verdict),
      onMissing: (missing) => this.judgeMissing(missing),
      onShow: (box) => this.picture?.focusBox(`box-${box}`),
      onAccept: () => this.accept(),
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
    this.render();
  }

  /** @param {string} name */
  ref(name) {
    return ref(this.root, name);
  }

  createPicture() {
    const { image } = this.data.data;
    if (!image) {
      this.ref("picture").textContent = t`The picture of this caption is missing. Return the task.`;
      return null;
    }
    return new PictureView(this.ref("picture"), {
      image,
      description: t`Picture, ${image.width} by ${image.height} pixels. If a box is missing, Enter starts it.`,
      minSide: this.data.shared.minSide,
      canDraw: () => this.canDraw(),
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
    return submissionOf(this.state, this.asked);
  }

  /** @returns {PhraseProblem[]} */
  problems() {
    return problemsOf(this.state, this.asked, this.texts);
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
    const open = this.problems().length;
    if (open === 0) return "done";
    return open < this.phrases.length ? "started" : "new";
  }

  title() {
    const [start, end] = this.data.data.captions[0];
    return spanText(this.data.tokens, [start, Math.min(end, start + 6)]);
  }

  units() {
    return new Set(this.asked.flatMap(({ boxes }) => boxes.map((box) => box.join()))).size;
  }

  focus() {
    this.panel.focus();
  }

  shown() {
    this.picture?.measure();
  }

  snapshot() {
    return this.state;
  }

  /** @param {Validation} state */
  restore(state) {
    this.state = state;
    this.selected = null;
    this.picture?.reset();
    this.render();
  }

  /** @param {any} content */
  load(content) {
    this.restore(resume(content, this.asked));
  }

  /** @param {any} content */
  describe(content) {
    const { phrases } = resume(content, this.asked);
    const judged = phrases.filter((phrase, at) => isJudged(phrase, this.asked[at])).length;
    const disputes = phrases.reduce((sum, phrase) => sum + countDisputes(phrase), 0);
    const drawn = phrases.reduce((sum, phrase) => sum + phrase.drawn.length, 0);
    return [
      t`${counted(judged, "phrase")} judged`,
      counted(disputes, "dispute"),
      ...(drawn > 0 ? [counted(drawn, "drawn box", "drawn boxes")] : []),
    ];
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

  get text() {
    return this.texts[this.state.current];
  }

  get current() {
    return this.asked[this.state.current];
  }

  get judged() {
    return this.state.phrases[this.state.current];
  }

  // Moves with the same key are one.
  /** @param {Validation} next @param {string} label @param {string | null} [mergeKey] */
  change(next, label, mergeKey = null) {
    if (this.locked || next === this.state) return false;
    this.state = next;
    this.render();
    this.onChange({ label: t`${label} of “${shortened(this.text)}”`, mergeKey });
    return true;
  }

  /** @param {Partial<import("./validation.js").Judged>} judged @param {string} label */
  judge(judged, label) {
    this.change(judge(this.state, judged), label);
  }

  /** @param {number} box @param {boolean} verdict */
  judgeBox(box, verdict) {
    this.selected = `box-${box}`;
    const action = verdict ? t`accepting` : t`disputing`;
    this.change(judgeBox(this.state, box, verdict), t`${action} box ${box + 1}`);
  }

  /** @param {boolean} missing */
  judgeMissing(missing) {
    const { drawn } = this.judged;
    if (!missing) this.picture?.reset();
    if (!missing && this.selected?.startsWith(DRAWN)) this.selected = null;
    this.change(judgeMissing(this.state, missing), missing ? t`a missing box` : t`no missing box`);
    const byKey = areSingleKeysOn() ? t`, or press b` : "";
    if (missing && this.canDraw()) this.say(t`A box is missing. Draw it in the picture${byKey}.`);
    else if (drawn.length > 0) this.say(t`${counted(drawn.length, "drawn box", "drawn boxes")} removed.`);
  }

  // --- missing boxes

  // The picture's tools work as soon as a box is reported missing.
  canDraw() {
    return !this.locked && this.judged?.missing === true && canDraw(this.current);
  }

  startBox() {
    if (!canDraw(this.current))
      return this.refuse(t`A box can be added only to a phrase with a box for each individual.`);
    if (this.judged.missing !== true) this.judgeMissing(true);
    this.picture?.keyboard.start();
  }

  /** @param {Box} box */
  draw(box) {
    const problem = drawingProblem(this.state, this.asked, box, this.data.shared);
    if (problem) return this.refuse(problem);
    const key = `${DRAWN}${this.judged.drawn.length}`;
    this.selected = key;
    if (!this.change(drawBox(this.state, box), t`drawing a missing box`)) return;
    this.say(`${this.nameOf(key)}, ${boxText(box)}.`);
    if (document.activeElement === this.picture?.stage) this.picture?.focusBox(key);
  }

  /** @param {string} key @param {Box} box @param {"move" | "resize"} how */
  changeBox(key, box, how, { isNudge = false } = {}) {
    const at = Number(key.slice(DRAWN.length));
    const problem = drawingProblem(this.state, this.asked, box, this.data.shared, at);
    if (problem) {
      this.picture?.layer.place();
      return this.refuse(problem);
    }
    const label = `${how === "move" ? "moving" : "resizing"} a missing box`;
    this.change(changeDrawn(this.state, at, box), label, isNudge ? `${how} ${key}` : null);
    this.sayBox(box);
  }

  /** @param {string} key */
  remove(key) {
    if (!key.startsWith(DRAWN)) return this.refuse(t`This box is the annotator’s. Dispute it if it is wrong.`);
    const name = this.nameOf(key);
    const hadFocus = this.picture?.focusedKey() === key;
    this.selected = null;
    if (!this.change(removeDrawn(this.state, Number(key.slice(DRAWN.length))), t`removing a missing box`)) return;
    if (hadFocus) this.picture?.focusStage();
    this.say(t`Removed ${name}.`);
  }

  /** @param {string} key */
  nameOf(key) {
    return t`${this.text}, missing box ${Number(key.slice(DRAWN.length)) + 1}`;
  }

  // --- going through the phrases

  // Accept what is open, and go on.
  accept() {
    if (!isJudged(this.judged, this.current)) {
      if (!this.change(acceptRest(this.state), t`accepting all that was open`)) return;
    }
    this.goOn();
  }

  /** @param {string | null} key */
  select(key) {
    if (this.selected === key) return;
    this.selected = key;
    this.render();
    const box = this.boxOf(key);
    if (box) this.say(`${this.text}, ${boxText(box)}`);
  }

  /** @param {string | null} key */
  boxOf(key) {
    return this.shownBoxes().find((shown) => shown.key === key && shown.label)?.box ?? null;
  }

  /** @param {number} at */
  goTo(at, { focuses = true } = {}) {
    if (!this.phrases[at]) return;
    if (at !== this.state.current) {
      this.state = { ...this.state, current: at };
      this.selected = null;
      this.picture?.reset();
      this.render();
      if (!this.locked) this.onChange({ label: t`going to “${shortened(this.text)}”`, passing: true });
    }
    if (focuses) this.panel.focus();
    if (this.picture) bringIntoView(this.picture.stage);
    this.say(`“${this.text}”, ${counted(this.current.boxes.length, "box", "boxes")}.`);
  }

  /** @param {number} by */
  stepBy(by) {
    const count = this.phrases.length;
    this.goTo((this.state.current + by + count) % count);
  }

  goOn() {
    const following = nextOpen(this.state, this.asked);
    if (following >= 0) return this.goTo(following);
    const button = document.querySelector("[data-next]:not([hidden]), [data-submit]:not([hidden])");
    if (button instanceof HTMLElement) button.focus();
    this.say(t`Every phrase is judged.`);
  }

  /** @param {KeyboardEvent} event */
  keyDown(event) {
    if (ignoresKey(event, "input:not([type=radio]), select, textarea")) return;
    if (this.press(event.key.toLowerCase())) event.preventDefault();
  }

  /** @param {string} key */
  press(key) {
    const { valid, missing, boxes } = this.judged;
    const box = Number(key) - 1;
    if (key === "n") this.goOn();
    else if (key === "j") this.stepBy(1);
    else if (key === "k") this.stepBy(-1);
    else if (this.locked) return false;
    else if (key === "v") this.accept();
    else if (key === "d")
      this.judge({ valid: valid === false }, valid === false ? t`accepting the answer` : t`disputing the answer`);
    else if (key === "m" && hasBoxes(this.current)) this.judgeMissing(missing !== true);
    else if (key === "b") this.startBox();
    else if (key !== "" && box >= 0 && box < boxes.length) this.judgeBox(box, boxes[box] === false);
    else return false;
    return true;
  }

  // --- rendering

  render() {
    const { state } = this;
    const judged = state.phrases.map((phrase, at) => isJudged(phrase, this.asked[at]));
    this.caption.show(state.current, judged);
    this.list.show(
      state.phrases.map((phrase, at) => {
        const disputes = countDisputes(phrase);
        return {
          text: this.texts[at],
          colour: this.colours[at],
          progress: judged[at] ? (disputes > 0 ? counted(disputes, "dispute") : t`all right`) : t`to do`,
          isDone: judged[at],
          hasWarning: disputes > 0,
        };
      }),
      state.current,
    );
    const open = judged.filter((isDone) => !isDone).length;
    setText(
      this.ref("summary"),
      open === 0 ? t`Every phrase is judged.` : t`${open} of ${judged.length} phrases to do`,
    );
    if (this.phrases.length === 0) return;
    this.panel.show({
      text: this.text,
      colour: this.colours[state.current],
      asked: this.current,
      judged: this.judged,
      number: state.current + 1,
      selected: this.selected,
      drawn: this.drawnBoxes().map(({ key, tag, box }) => ({ key, tag, box, name: this.nameOf(key), shared: "" })),
      locked: this.locked,
    });
    this.picture?.show(this.shownBoxes(), this.selected);
  }

  // Boxes of other phrases lie below those of the current one.
  /** @returns {ShownBox[]} */
  shownBoxes() {
    const { current, phrases } = this.state;
    const own = this.current.boxes.map((box, at) => {
      const verdict = phrases[current].boxes[at];
      const state = verdict === null ? "" : verdict ? ", right" : ", wrong";
      return {
        key: `box-${at}`,
        box,
        kind: verdict === false ? "own box--rejected" : "own",
        colour: this.colours[current],
        tag: `${current + 1}.${at + 1}${verdict === null ? "" : verdict ? " ✓" : " ✕"}`,
        locked: true,
        label: t`${this.text}, box ${at + 1} of ${this.current.boxes.length}, ${boxText(box)}${state}`,
      };
    });
    const names = new Set(this.current.boxes.map((box) => box.join()));
    /** @type {Map<string, {box: Box, owners: number[]}>} */
    const others = new Map();
    for (const [at, { boxes }] of this.asked.entries()) {
      for (const box of boxes) {
        const name = box.join();
        if (names.has(name)) continue;
        others.set(name, { box, owners: [...(others.get(name)?.owners ?? []), at] });
      }
    }
    const shown = [...others].map(([name, { box, owners }]) => ({
      key: `other ${name}`,
      box,
      kind: "other",
      colour: this.colours[owners[0]],
      tag: owners.map((at) => at + 1).join(","),
      locked: true,
    }));
    return [...shown, ...own, ...this.drawnBoxes()];
  }

  // The missing boxes, which are numbered after those of the annotator.
  drawnBoxes() {
    const { current } = this.state;
    return this.judged.drawn.map((box, at) => {
      const key = `${DRAWN}${at}`;
      return {
        key,
        box,
        kind: "own box--drawn",
        colour: this.colours[current],
        tag: `${current + 1}.${this.current.boxes.length + at + 1} +`,
        locked: this.locked,
        label: `${this.nameOf(key)}, ${boxText(box)}`,
      };
    });
  }

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
