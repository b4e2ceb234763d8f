// The page on which the records of several annotators become one.

/** @import { ItemData, OnChange, Work } from "../../work/contract.js" */
/** @import { CaseProblem, Merge, Row, StoredRecord } from "./case-types.js" */

import { counted, element, setText, t } from "../../html.js";
import { ignoresKey } from "../../shortcuts.js";
import { CasePage } from "./case-page.js";
import { source } from "./frame-source.js";
import { frameDetails, retry, runsText } from "./frame-text.js";
import { MergeRow } from "./merge-row.js";
import {
  addRow,
  agreedFrame,
  changeRow,
  draftOf,
  isAgreed,
  keepAgreed,
  letterOf,
  problemsOf,
  refusal,
  resume,
  submissionOf,
} from "./merge-state.js";
import { CONFIDENCES, textOf } from "./record.js";

/**
 * @implements {Work}
 * @extends {CasePage<Merge>}
 */
export class MergePage extends CasePage {
  /** @param {HTMLElement} root @param {ItemData} data @param {OnChange} onChange */
  constructor(root, data, onChange) {
    super(root, data, onChange, resume(data.content, data.sources, data.layout.rows));
    /** @type {StoredRecord[]} */
    this.sources = data.sources;
    this.roles = data.data.roles;
    this.coreOnly = Boolean(data.data.coreOnly);
    /** @type {{key: string, label: string}[]} */
    this.skips = data.shared.skips;
    /** @type {Map<number, MergeRow>} */
    this.rows = new Map();
    this.otherFrame = element("input", {
      id: this.idOf("other-frame"),
      type: "text",
      list: this.frameNames.id,
      maxlength: 200,
      autocomplete: "off",
      onchange: () => this.chooseFrame(this.otherFrame.value.trim().replaceAll(/\s+/g, "_")),
    });
    this.frameDetails = element("div", { class: "frame-details", hidden: true });
    this.relation = element("p", { class: "frame-relation", hidden: true });
    const frames = new Set(this.sources.map(({ frame }) => frame).filter(Boolean));
    const about = { class: "merge-choice__labels hint" };
    this.definitions = new Map([...frames].map((frame) => [frame, element("span", about)]));
    this.frameRadios = this.createFrames();
    this.confidences = this.createConfidences(data.shared.confidence);
    this.reasons = this.createSkips();
    this.detailsPainted = "";
    root.addEventListener("keydown", (event) => this.keyDown(event));
    this.ref("keep-agreed").addEventListener("click", () => this.keepAgreed());
    this.ref("add").addEventListener("click", () => this.focusSentence());
    for (const { frame } of this.sources) source.request(frame);
    source.request(this.state.frame);
    this.render();
  }

  // --- building

  createFrames() {
    const names = [...this.definitions.keys()];
    const name = this.idOf("frame-choice");
    const radios = names.map((frame) =>
      element("input", { type: "radio", name, value: frame, onchange: () => this.chooseFrame(frame) }),
    );
    const labels = names.map((frame, at) => {
      const letters = this.sources.flatMap((record, place) => (record.frame === frame ? [letterOf(place)] : []));
      const [first, second] = letters;
      const text = second ? t`both ${first} and ${second}` : t`annotator ${first}`;
      return element(
        "label",
        { class: "merge-choice" },
        radios[at],
        element(
          "span",
          {},
          element("strong", {}, frame),
          ` – ${text}`,
          /** @type {HTMLElement} */ (this.definitions.get(frame)),
        ),
      );
    });
    const skipped = this.sources.flatMap(({ skip }, at) =>
      skip ? [element("p", {}, t`Annotator ${letterOf(at)} skipped this record: ${this.reasonOf(skip)}.`)] : [],
    );
    const legend = agreedFrame(this.sources) ? t`Both chose the same frame` : t`Which frame is right?`;
    this.ref("frame").append(
      ...skipped,
      element(
        "fieldset",
        { class: "judgment", id: this.idOf("frame") },
        element("legend", {}, names.length > 0 ? legend : t`No annotator chose a frame`),
        element("div", { class: "merge-row" }, ...labels),
        element(
          "p",
          { class: "field" },
          element("label", { for: this.otherFrame.id }, t`Another frame`),
          this.otherFrame,
        ),
      ),
      this.relation,
      this.frameDetails,
    );
    return radios;
  }

  /** @param {string[]} texts */
  createConfidences(texts) {
    const name = this.idOf("confidence-choice");
    const radios = CONFIDENCES.map((value) =>
      element("input", { type: "radio", name, value, onchange: () => this.rate(value) }),
    );
    const labels = CONFIDENCES.map((value, at) => element("label", {}, radios[at], ` ${value} ${texts[at] ?? ""}`));
    const box = this.ref("confidence");
    box.id = this.idOf("confidence");
    box.append(...labels);
    return radios;
  }

  createSkips() {
    const name = this.idOf("skip-choice");
    const radios = this.skips.map(({ key }) =>
      element("input", { type: "radio", name, value: key, onchange: () => this.skip(key) }),
    );
    this.ref("skips").append(...this.skips.map(({ label }, at) => element("label", {}, radios[at], ` ${label}`)));
    this.ref("unskip").addEventListener("click", () => this.skip(""));
    return radios;
  }

  // --- the contract of a work page

  content() {
    return draftOf(this.state);
  }

  submission() {
    return submissionOf(this.state, this.verb);
  }

  // The verb as the annotators marked it. They rarely differ.
  verbOfRecord() {
    const chosen = this.sources.find(({ frame }) => frame === this.state.frame) ?? this.sources[0];
    return chosen?.verb?.length ? chosen.verb : this.data.target.verb;
  }

  /** @returns {CaseProblem[]} */
  problems() {
    const frame = source.frame(this.state.frame);
    const isUnknown = this.state.frame && source.index && !source.index.entries.has(this.state.frame);
    const unknown = { place: "frame", message: t`The lexicon has no frame ${this.state.frame}. Choose another one.` };
    return [...(isUnknown ? [unknown] : []), ...problemsOf(this.state, this.tokens, frame)];
  }

  /** @param {string} path @param {string} message @returns {CaseProblem} */
  problemAt(path, message) {
    const kept = this.state.rows.filter(({ choice }) => choice === "kept");
    const row = kept[Number(/^arguments\[(\d+)\]/.exec(path)?.[1] ?? NaN)];
    if (row) return { place: `row-${row.key}`, message: `“${textOf(row.head, this.tokens)}”: ${message}` };
    return { place: path === "confidence" ? "confidence" : "frame", message };
  }

  step() {
    return "merge";
  }

  units() {
    if (this.state.skip) return 0;
    return this.state.rows.filter(({ choice, base }) => choice === "kept" && base !== null).length;
  }

  focus() {
    this.goTo("frame");
  }

  /** @param {any} content */
  load(content) {
    this.restore(resume(content, this.sources, this.data.layout.rows));
  }

  /** @param {any} content */
  describe(content) {
    const state = resume(content, this.sources, this.data.layout.rows);
    if (state.skip) return [t`Skipped: ${this.reasonOf(state.skip)}`];
    const kept = state.rows.filter(({ choice }) => choice === "kept").length;
    return [state.frame ? t`Frame ${state.frame}` : t`No frame yet`, t`${counted(kept, "argument")} kept`];
  }

  // --- moves

  /** @param {string} key */
  reasonOf(key) {
    return this.data.shared.skips.find((/** @type {{key: string}} */ skip) => skip.key === key)?.label ?? key;
  }

  /** @param {string} frame */
  chooseFrame(frame) {
    if (frame === this.state.frame) return;
    source.request(frame, { again: true });
    this.change({ ...this.state, frame }, frame ? t`choosing the frame ${frame}` : t`choosing no frame`);
  }

  /** @param {number} confidence */
  rate(confidence) {
    this.change({ ...this.state, confidence }, t`confidence ${confidence}`);
  }

  /** @param {string} skip */
  skip(skip) {
    this.change(
      { ...this.state, skip },
      skip ? t`skipping the record: ${this.reasonOf(skip)}` : t`merging it after all`,
    );
  }

  keepAgreed() {
    const next = keepAgreed(this.state, this.sources);
    source.request(next.frame);
    if (next === this.state) return this.say(t`Nothing else matches in both annotations.`);
    this.change(next, t`keeping what both agree on`);
    this.say(t`Kept everything that both agree on.`);
    const [open] = this.problems();
    if (open) this.goTo(open.place);
  }

  /** @param {number} key @param {Partial<Row>} change @param {string} label */
  changeRow(key, change, label) {
    this.change(changeRow(this.state, key, change), label);
  }

  /** @param {Row} row @param {number[]} head */
  changeHead(row, head) {
    const reason = refusal(this.state, head, row.key, { tokens: this.tokens, verb: this.verb });
    if (reason) return this.refuse(reason);
    this.change(
      changeRow(this.state, row.key, { head }),
      t`changing the words to “${textOf(head, this.tokens)}”`,
      `head-${row.key}`,
    );
  }

  /** @param {number[]} head */
  addArgument(head) {
    const reason = refusal(this.state, head, null, { tokens: this.tokens, verb: this.verb });
    if (reason) return this.refuse(reason);
    const words = `“${textOf(head, this.tokens)}”`;
    const next = addRow(this.state, head);
    this.change(next, t`adding ${words}`);
    this.say(t`${words} is added. Choose its element and its role.`);
    this.goTo(`row-${next.rows.at(-1)?.key}`);
  }

  focusSentence() {
    this.sentence.focus();
    this.say(t`Click a word to add an argument, or go to it and press Enter.`);
  }

  /** @param {number} key */
  goOn(key) {
    const at = this.state.rows.findIndex((row) => row.key === key);
    const following = this.state.rows.slice(at + 1).find(({ choice }) => !choice);
    if (following) this.goTo(`row-${following.key}`);
    else if (this.state.confidence === null) this.goTo("confidence");
  }

  /** @param {KeyboardEvent} event */
  keyDown(event) {
    if (ignoresKey(event, "input[type=text], textarea, select")) return;
    const inSentence = this.sentence.box.contains(/** @type {Node} */ (event.target));
    if (event.key === "G") this.keepAgreed();
    else if (event.key === "m" && !inSentence) this.focusSentence();
    else return;
    event.preventDefault();
  }

  // --- rendering

  marked() {
    const shown = this.state.rows.filter(({ choice }) => choice !== "dropped");
    return shown.map(({ key, head, element: name, role }) => {
      const place = `row-${key}`;
      const words = this.picking?.place === place ? this.picking.head : head;
      return { head: words, label: t`argument ${[name, role].filter(Boolean).join(", ")}`, place };
    });
  }

  renderParts() {
    const { state } = this;
    this.verb = this.verbOfRecord();
    for (const radio of this.frameRadios) radio.checked = radio.value === state.frame;
    const isOther = state.frame !== "" && !this.frameRadios.some(({ checked }) => checked);
    if (document.activeElement !== this.otherFrame) {
      this.otherFrame.value = isOther ? state.frame : "";
    }
    for (const radio of this.confidences) radio.checked = Number(radio.value) === state.confidence;
    for (const radio of this.reasons) radio.checked = radio.value === state.skip;
    for (const control of [...this.frameRadios, ...this.confidences, ...this.reasons, this.otherFrame]) {
      control.disabled = this.locked;
    }
    this.ref("skipped").hidden = !state.skip;
    this.ref("merge").hidden = state.skip !== "";
    setText(this.ref("skipped-reason"), t`This record is skipped: ${this.reasonOf(state.skip)}.`);
    this.renderDefinitions();
    this.renderRelation(this.relation, state.frame, [...this.definitions.keys()]);
    this.renderDetails();
    this.renderRows();
    const open = state.rows.filter((row) => !row.choice && isAgreed(row, this.sources)).length;
    this.ref("keep-agreed").hidden = open === 0 && (state.frame !== "" || !agreedFrame(this.sources));
    const left = this.problems().length;
    setText(this.ref("summary"), left > 0 ? t`${left} to do` : t`Everything is decided`);
  }

  // Of all frames, so that they can be compared. The chosen one is shown as a whole.
  renderDefinitions() {
    for (const [name, about] of this.definitions) {
      const frame = source.frame(name);
      if (frame && about.childNodes.length === 0) about.append(...runsText(frame.definition, frame.elements));
    }
  }

  renderDetails() {
    const { frame } = this.state;
    const loaded = source.frames.get(frame);
    const key = `${frame} ${typeof loaded === "object" ? "loaded" : loaded}`;
    if (key === this.detailsPainted) return;
    this.detailsPainted = key;
    this.frameDetails.hidden = !loaded || loaded === "loading";
    if (typeof loaded === "object") this.frameDetails.replaceChildren(...frameDetails(loaded));
    else if (loaded === "failed") this.frameDetails.replaceChildren(...retry(frame));
  }

  renderRows() {
    const keys = new Set(this.state.rows.map(({ key }) => key));
    for (const [key, row] of this.rows) {
      if (keys.has(key)) continue;
      row.box.remove();
      this.rows.delete(key);
    }
    const list = this.ref("rows");
    for (const [position, row] of this.state.rows.entries()) {
      const shown = this.rows.get(row.key) ?? new MergeRow(row, this);
      this.rows.set(row.key, shown);
      shown.update(row);
      if (list.children[position] !== shown.box) list.insertBefore(shown.box, list.children[position] ?? null);
    }
    this.ref("no-rows").hidden = this.state.rows.length > 0;
  }
}
