// The validator's page: the answers of an annotator are judged, phrase by phrase and box by box.

/** @import { ItemData, OnChange, Work } from "../../work/contract.js" */
/** @import { Box, Phrase, PhraseProblem, ShownBox, StoredPhrase } from "./grounding-types.js" */
/** @import { Validation } from "./validation.js" */

import { counted, isTyping, ref, setText } from "../../html.js";
import { spanText } from "../../written-text.js";
import { Caption, watchCaption } from "./caption.js";
import { boxText } from "./geometry.js";
import { coloursOf, shortened, textOf } from "./grounding.js";
import { JudgmentPanel } from "./judgment-panel.js";
import { PhraseList } from "./phrase-list.js";
import { PictureView } from "./picture.js";
import {
  acceptRest,
  countDisputes,
  draftOf,
  hasBoxes,
  isJudged,
  judge,
  judgeBox,
  nextOpen,
  problemsOf,
  resume,
  submissionOf,
} from "./validation.js";

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
      onState: (valid) => this.judge({ valid }, valid ? "accepting the answer" : "disputing the answer"),
      onBox: (box, verdict) => this.judgeBox(box, verdict),
      onMissing: (missing) => this.judge({ missing }, missing ? "a missing box" : "no missing box"),
      onShow: (box) => this.picture?.focusBox(`box-${box}`),
      onAccept: () => this.accept(),
    });
    this.picture = this.createPicture();
    this.shortcuts = (/** @type {KeyboardEvent} */ event) => this.keyDown(event);
    document.addEventListener("keydown", this.shortcuts);
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
      this.ref("picture").textContent = "The picture of this caption is missing. Return the task.";
      return null;
    }
    return new PictureView(this.ref("picture"), {
      image,
      description: `Picture, ${image.width} by ${image.height} pixels`,
      leastSide: this.data.shared.leastSide,
      canDraw: () => false,
      onDraw: () => {},
      onChange: () => {},
      onSelect: (key) => this.select(key),
      onRemove: () => {},
      onRefuse: (text) => this.say(text),
      say: (text) => this.say(text),
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
    return [`${counted(judged, "phrase")} judged`, counted(disputes, "dispute")];
  }

  lock() {
    this.locked = true;
    this.render();
  }

  destroy() {
    document.removeEventListener("keydown", this.shortcuts);
    this.picture?.destroy();
  }

  // --- moves

  get text() {
    return this.texts[this.state.current];
  }

  get current() {
    return this.asked[this.state.current];
  }

  /** @param {Validation} next @param {string} label */
  change(next, label) {
    if (this.locked || next === this.state) return false;
    this.state = next;
    this.render();
    this.onChange({ label: `${label} of “${shortened(this.text)}”` });
    return true;
  }

  /** @param {Partial<import("./validation.js").Judged>} judged @param {string} label */
  judge(judged, label) {
    this.change(judge(this.state, judged), label);
  }

  /** @param {number} box @param {boolean} verdict */
  judgeBox(box, verdict) {
    this.selected = `box-${box}`;
    this.change(judgeBox(this.state, box, verdict), `${verdict ? "accepting" : "disputing"} box ${box + 1}`);
  }

  // Accept what is open, and go on.
  accept() {
    if (!isJudged(this.state.phrases[this.state.current], this.current)) {
      if (!this.change(acceptRest(this.state), "accepting all that was open")) return;
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
    return key?.startsWith("box-") ? this.current.boxes[Number(key.slice(4))] : null;
  }

  /** @param {number} at */
  goTo(at, { focuses = true } = {}) {
    if (!this.phrases[at]) return;
    if (at !== this.state.current) {
      this.state = { ...this.state, current: at };
      this.selected = null;
      this.render();
      if (!this.locked) this.onChange({ label: `going to “${shortened(this.text)}”`, passing: true });
    }
    if (focuses) this.panel.focus();
    this.picture?.bringIntoView();
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
    this.say("Every phrase is judged.");
  }

  /** @param {KeyboardEvent} event */
  keyDown(event) {
    const isHere = event.target === document.body || (event.target instanceof Node && this.root.contains(event.target));
    if (!this.root.isConnected || !isHere || event.defaultPrevented) return;
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event, "input:not([type=radio]), select, textarea"))
      return;
    if (this.press(event.key.toLowerCase())) event.preventDefault();
  }

  /** @param {string} key */
  press(key) {
    const { valid, missing, boxes } = this.state.phrases[this.state.current];
    const box = Number(key) - 1;
    if (key === "n") this.goOn();
    else if (key === "j") this.stepBy(1);
    else if (key === "k") this.stepBy(-1);
    else if (this.locked) return false;
    else if (key === "v") this.accept();
    else if (key === "d")
      this.judge({ valid: valid === false }, valid === false ? "accepting the answer" : "disputing the answer");
    else if (key === "m" && hasBoxes(this.current)) {
      this.judge({ missing: missing !== true }, missing === true ? "no missing box" : "a missing box");
    } else if (key !== "" && box >= 0 && box < boxes.length) this.judgeBox(box, boxes[box] === false);
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
          progress: judged[at] ? (disputes > 0 ? counted(disputes, "dispute") : "all right") : "to do",
          isDone: judged[at],
          hasWarning: disputes > 0,
        };
      }),
      state.current,
    );
    const open = judged.filter((isDone) => !isDone).length;
    setText(this.ref("summary"), open === 0 ? "Every phrase is judged." : `${open} of ${judged.length} phrases to do`);
    if (this.phrases.length === 0) return;
    this.panel.show({
      text: this.text,
      colour: this.colours[state.current],
      asked: this.current,
      judged: state.phrases[state.current],
      number: state.current + 1,
      selected: Number(this.selected?.slice(4) ?? -1),
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
        label: `${this.text}, box ${at + 1} of ${this.current.boxes.length}, ${boxText(box)}${state}`,
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
    return [...shown, ...own];
  }

  /** @param {string} text */
  say(text) {
    setText(this.ref("note"), text);
  }
}
