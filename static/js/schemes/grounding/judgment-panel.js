// The judgments of the current phrase: its answer, its boxes, and whether a box is missing.

/** @import { Judged } from "./validation.js" */
/** @import { Box, StoredPhrase } from "./grounding-types.js" */

import { element, setText, t } from "../../html.js";
import { keyHint } from "../../shortcuts.js";
import { boxRow, STATES } from "./phrase-panel.js";
import { canDraw, hasBoxes } from "./validation.js";

/**
 * @typedef {object} JudgmentMoves
 * @property {(valid: boolean) => void} onState
 * @property {(box: number, verdict: boolean) => void} onBox
 * @property {(missing: boolean) => void} onMissing
 * @property {(box: number) => void} onShow
 * @property {() => void} onAccept
 * @property {(key: string) => void} onSelect  a drawn box
 * @property {(key: string) => void} onRemove  a drawn box
 */

/** @typedef {{key: string, tag: string, box: Box, name: string, shared: string}} DrawnBox */

let lastName = 0;

export class JudgmentPanel {
  /** @param {HTMLElement} root @param {JudgmentMoves} moves */
  constructor(root, moves) {
    this.root = root;
    this.moves = moves;
    lastName += 1;
    this.name = `judged-${lastName}`;
    this.title = element("h2", { class: "panel__title" });
    this.answer = element("p", { class: "panel__progress" });
    this.accept = element(
      "button",
      { type: "button", "data-accept": true, "aria-keyshortcuts": "v", onclick: () => moves.onAccept() },
      t`Accept all `,
      keyHint("v"),
    );
    this.fields = element("div", { class: "panel__fields" });
    root.replaceChildren(this.title, this.answer, this.accept, this.fields);
    this.painted = "";
  }

  /** @param {{text: string, colour: number, asked: StoredPhrase, judged: Judged, number: number, selected: string | null, drawn: DrawnBox[], locked: boolean}} panel */
  show({ text, colour, asked, judged, number, selected, drawn, locked }) {
    this.root.dataset.colour = String(colour);
    setText(this.title, `“${text}”`);
    const answer = STATES.find(([state]) => state === asked.state)?.[1] ?? "";
    setText(this.answer, t`Answer: ${answer}`);
    this.accept.disabled = locked;
    const key = JSON.stringify([asked, judged, number, selected, locked]);
    if (key === this.painted) return;
    this.painted = key;
    const { activeElement } = document;
    const focused = this.fields.contains(activeElement) ? activeElement?.getAttribute("data-control") : null;
    this.fields.replaceChildren(
      this.choice(t`Is this the right answer?`, "state", [t`Yes`, t`No`], judged.valid, locked, (yes) =>
        this.moves.onState(yes),
      ),
      ...asked.boxes.map((box, at) =>
        this.boxField(box, `${number}.${at + 1}`, at, judged, selected === `box-${at}`, locked),
      ),
      ...(hasBoxes(asked)
        ? [
            this.choice(
              t`Is a box missing?`,
              "missing",
              [t`No`, t`Yes`],
              judged.missing === null ? null : !judged.missing,
              locked,
              (none) => this.moves.onMissing(!none),
            ),
          ]
        : []),
      ...(canDraw(asked) && judged.missing === true ? this.drawnFields(drawn, selected, locked) : []),
    );
    const again =
      focused &&
      (this.fields.querySelector(`[data-control="${CSS.escape(focused)}"]`) ??
        this.fields.querySelector("[data-control='missing 1']"));
    if (again instanceof HTMLElement) again.focus();
  }

  /** @param {number[]} box @param {string} tag @param {number} at @param {Judged} judged @param {boolean} isSelected @param {boolean} locked */
  boxField([x1, y1, x2, y2], tag, at, judged, isSelected, locked) {
    const show = element(
      "button",
      {
        type: "button",
        class: "panel__select quiet figure",
        "aria-pressed": String(isSelected),
        "aria-label": t`Show box ${at + 1}`,
        "data-control": `show ${at}`,
        onclick: () => this.moves.onShow(at),
      },
      element("span", { class: "panel__tag" }, tag),
      `${x2 - x1} × ${y2 - y1}`,
    );
    const field = this.choice(
      t`Is box ${at + 1} right?`,
      `box-${at}`,
      [t`Right`, t`Wrong`],
      judged.boxes[at],
      locked,
      (right) => this.moves.onBox(at, right),
    );
    field.querySelector("legend")?.classList.add("visually-hidden");
    return element("div", { class: "panel__judged" }, show, field);
  }

  // The missing boxes. To draw them is optional.
  /** @param {DrawnBox[]} drawn @param {string | null} selected @param {boolean} locked */
  drawnFields(drawn, selected, locked) {
    return [
      element(
        "p",
        { class: "hint panel__draw" },
        t`Draw it in the picture if you can`,
        element("span", { class: "key-hint" }, t`, or press `, element("kbd", {}, "b")),
        ".",
      ),
      element(
        "ol",
        { class: "panel__boxes", "aria-label": t`Boxes that you drew` },
        ...drawn.map((box) => boxRow(box, box.key === selected, locked, this.moves)),
      ),
    ];
  }

  /**
   * Return two radio buttons. The first one is that of `value`.
   *
   * @param {string} legend
   * @param {string} part
   * @param {[string, string]} labels
   * @param {boolean | null} value
   * @param {boolean} locked
   * @param {(first: boolean) => void} onChoose
   */
  choice(legend, part, labels, value, locked, onChoose) {
    const options = labels.map((label, at) =>
      element(
        "label",
        {},
        element("input", {
          type: "radio",
          name: `${this.name}-${part}`,
          checked: value === (at === 0),
          disabled: locked,
          "data-control": `${part} ${at}`,
          onchange: () => onChoose(at === 0),
        }),
        label,
      ),
    );
    return element("fieldset", { class: "panel__choice" }, element("legend", {}, legend), ...options);
  }

  // Focus the first part that is open, else the first one.
  focus() {
    const fields = [...this.fields.querySelectorAll("fieldset")];
    const open = fields.find((field) => !field.querySelector("input:checked")) ?? fields[0];
    const radio = open?.querySelector("input:checked") ?? open?.querySelector("input");
    if (radio instanceof HTMLElement) radio.focus();
  }
}
