// The consolidator's page: the boxes of several annotators become one grounding.

/** @import { ItemData, OnChange } from "../../work/contract.js" */
/** @import { Grounding, ShownBox, StoredGrounding } from "./grounding-types.js" */
/** @import { Choice, Row } from "./merging.js" */

import { capitalized, counted, element, t } from "../../html.js";
import { ignoresKey, keyHint } from "../../shortcuts.js";
import { boxText, isSame } from "./geometry.js";
import { GroundPage } from "./ground-page.js";
import { shortened } from "./grounding.js";
import {
  answerOf,
  choiceOf,
  choose,
  letterOf,
  meanBox,
  resume,
  rowsOf,
  sourceOf,
  takeAll,
  takeMeans,
  takeSource,
} from "./merging.js";

const RESULT_COLOUR = 3;
/** @type {Record<string, string>} */
const ANSWERS = { scene: t`nothing to box`, absent: t`not in the picture` };

export class MergePage extends GroundPage {
  /** @param {HTMLElement} root @param {ItemData} data @param {OnChange} onChange */
  constructor(root, data, onChange) {
    super(root, data, onChange);
    /** @type {StoredGrounding[]} */
    this.sources = data.sources;
    this.rows = rowsOf(data.layout, this.sources);
    this.takes = element("div", { class: "merge__takes", role: "group", "aria-label": t`Use the answer of` });
    this.table = element("div", { class: "merge__rows" });
    this.panel.extra.append(this.takes, this.table);
    this.painted = "";
  }

  /** @param {any} content @returns {Grounding} */
  resume(content) {
    const least = this.data.shared.agreedIou;
    return resume(content, { phrases: this.phrases, sources: this.sources, rows: this.rows, least });
  }

  // --- moves

  /** @param {number} source */
  take(source) {
    const { current } = this.state;
    const letter = letterOf(source);
    const next = takeSource(this.state, current, source, { sources: this.sources, rows: this.rows });
    if (next.phrases[current].state === "absent" && this.prevented().absent) return;
    if (this.change(next, t`${letter}’s answer to “${shortened(this.text)}”`)) {
      this.say(t`“${this.text}” has ${letter}’s answer. ${this.countText()}`);
    }
  }

  /** @param {Grounding} next @param {string} what */
  takeBoxes(next, what) {
    if (this.change(next, t`${what} for “${shortened(this.text)}”`)) this.say(`${what}. ${this.countText()}`);
  }

  /** @param {Row} row @param {Choice} choice @param {string} label */
  choose(row, choice, label) {
    const { current } = this.state;
    this.selected = null;
    if (this.change(choose(this.state, current, row, choice), t`${label} for “${shortened(this.text)}”`)) {
      this.say(`${capitalized(label)}. ${this.countText()}`);
    } else this.render();
  }

  // An annotator has to agree that the phrase is absent.
  prevented() {
    const { id } = this.phrases[this.state.current];
    const isPossible = this.sources.some((source) => answerOf(source, id)?.state === "absent");
    return isPossible ? {} : { absent: t`No annotator chose this.` };
  }

  /** @param {KeyboardEvent} event */
  keyDown(event) {
    if (this.takeByKey(event)) event.preventDefault();
    else super.keyDown(event);
  }

  /** @param {KeyboardEvent} event */
  takeByKey(event) {
    if (this.locked || ignoresKey(event, "input:not([type=radio]), select, textarea")) return false;
    const source = this.sources.findIndex((_, at) => event.key === String(at + 1));
    const { current } = this.state;
    if (source >= 0) this.take(source);
    else if (event.key === "m") this.takeBoxes(takeMeans(this.state, current, this.rows), t`The mean boxes`);
    else return false;
    return true;
  }

  // Beside those of the annotators.
  ownColour() {
    return RESULT_COLOUR;
  }

  // --- rendering

  listed() {
    return super.listed().map((row, at) => {
      const source = sourceOf(this.state.phrases[at], this.state.boxes, this.sources);
      return source === null ? row : { ...row, progress: `${row.progress} (${this.namesOf(at)})` };
    });
  }

  // The annotators who gave the answer that the result has.
  /** @param {number} at */
  namesOf(at) {
    const answer = this.state.phrases[at];
    const names = this.sources.flatMap((source, index) =>
      sourceOf(answer, this.state.boxes, [source]) === null ? [] : [letterOf(index)],
    );
    return names.join(", ");
  }

  renderPanel() {
    super.renderPanel();
    const { current } = this.state;
    const rows = this.rows[current];
    const choices = rows.map((row) => choiceOf(this.state, current, row));
    const taken = this.sources.map((source) => sourceOf(this.answer, this.state.boxes, [source]) !== null);
    const key = JSON.stringify([current, choices, taken, this.locked]);
    if (key === this.painted) return;
    this.painted = key;
    const focused = this.panel.extra.contains(document.activeElement)
      ? document.activeElement?.getAttribute("data-control")
      : null;
    this.takes.replaceChildren(...this.takeButtons(taken));
    this.table.replaceChildren(...rows.map((row, at) => this.rowField(row, at, choices[at])));
    const again = focused && this.panel.extra.querySelector(`[data-control="${CSS.escape(focused)}"]`);
    if (again instanceof HTMLElement) again.focus();
  }

  /** @param {boolean[]} taken */
  takeButtons(taken) {
    const { current } = this.state;
    const rows = this.rows[current];
    const buttons = this.sources.map((source, at) => {
      const answer = answerOf(source, this.phrases[current].id);
      const count = answer?.boxes.length ?? 0;
      const text =
        ANSWERS[answer?.state ?? ""] ?? (answer?.state === "group" ? t`a group box` : counted(count, "box", "boxes"));
      return element(
        "button",
        {
          type: "button",
          class: `merge__take merge__take--${at + 1}`,
          "aria-pressed": String(taken[at]),
          "data-control": `take ${at}`,
          "aria-keyshortcuts": at + 1,
          disabled: this.locked || !answer,
          onclick: () => this.take(at),
        },
        element("span", { class: "merge__letter" }, letterOf(at)),
        answer ? text : t`no answer`,
        " ",
        keyHint(String(at + 1)),
      );
    });
    if (rows.length === 0) return buttons;
    const all = element(
      "button",
      {
        type: "button",
        class: "quiet",
        "data-control": "take all",
        disabled: this.locked,
        onclick: () => this.takeBoxes(takeAll(this.state, current, this.rows), t`All boxes`),
      },
      t`All boxes`,
    );
    const hasPairs = rows.some((row) => meanBox(row));
    const means = element(
      "button",
      {
        type: "button",
        class: "quiet",
        "data-control": "take means",
        "aria-keyshortcuts": "m",
        disabled: this.locked,
        onclick: () => this.takeBoxes(takeMeans(this.state, current, this.rows), t`The mean boxes`),
      },
      t`Means `,
      keyHint("m"),
    );
    return hasPairs ? [...buttons, all, means] : [...buttons, all];
  }

  /** @param {Row} row @param {number} at @param {Choice | null} choice */
  rowField(row, at, choice) {
    const name = `row-${this.data.id}-${row.name}`;
    /** @type {[Choice, string][]} */
    const own = row.boxes.flatMap((box, source) => (box ? [[source, letterOf(source)]] : []));
    /** @type {[Choice, string][]} */
    const options = own.length > 1 ? [...own, ["mean", t`Mean`], ["all", own.length > 2 ? t`All` : t`Both`]] : own;
    options.push(["none", t`None`]);
    const overlap = row.iou === null ? t`drawn by one` : t`overlap ${Math.round(row.iou * 100)} %`;
    return element(
      "fieldset",
      { class: "merge__row" },
      element(
        "legend",
        {},
        t`Box ${at + 1} `,
        element("span", { class: "hint figure" }, choice === null ? t`${overlap}, changed by you` : overlap),
      ),
      ...options.map(([value, label]) =>
        element(
          "label",
          {},
          element("input", {
            type: "radio",
            name,
            value: String(value),
            checked: choice === value,
            disabled: this.locked,
            "data-control": `${row.name} ${value}`,
            onchange: () => this.choose(row, value, t`box ${at + 1}: ${label}`),
          }),
          label,
        ),
      ),
    );
  }

  // The annotators' boxes of the current phrase lie below those of the result.
  /** @returns {ShownBox[]} */
  shownBoxes() {
    const { current, boxes } = this.state;
    const kept = this.answer.keys.map((key) => boxes[key]);
    const annotatorBoxes = this.rows[current].flatMap((row, at) =>
      row.boxes.flatMap((box, source) => {
        if (!box || kept.some((own) => isSame(own, box))) return [];
        const letter = letterOf(source);
        return [
          {
            key: `${row.name}-source-${source}`,
            box,
            kind: `source box--source-${source + 1}`,
            colour: source + 1,
            tag: `${letter}${at + 1}`,
            locked: true,
            isTagBelow: source > 0,
            label: t`${letter}’s box ${at + 1} of ${this.text}, ${boxText(box)}`,
          },
        ];
      }),
    );
    const result = super.shownBoxes();
    const others = result.filter(({ kind }) => kind === "other");
    return [...others, ...annotatorBoxes, ...result.filter(({ kind }) => kind !== "other")];
  }

  // A selected box of an annotator can be taken.
  offers() {
    const offers = super.offers().filter(() => this.state.boxes[this.selected ?? ""] || this.selected === null);
    const match = /^(.+)-source-(\d+)$/.exec(this.selected ?? "");
    const row = match && this.rows[this.state.current].find(({ name }) => name === match[1]);
    if (!match || !row) return offers;
    const source = Number(match[2]);
    return [
      {
        label: t`Use this box of ${letterOf(source)}`,
        onclick: () => this.choose(row, source, `${letterOf(source)}’s box`),
      },
      ...offers,
    ];
  }

  /** @param {string} key */
  labelOf(key) {
    const shown = this.state.boxes[key] ? null : this.shownBoxes().find((box) => box.key === key);
    return shown?.label ?? super.labelOf(key);
  }

  /** @param {string} key */
  remove(key) {
    if (this.state.boxes[key]) super.remove(key);
  }
}
