// The answer to the current phrase: its state, its boxes, and boxes that it can share.

/** @import { Box, PhraseState } from "./grounding-types.js" */

import { element, setText, t } from "../../html.js";

/** @type {[Exclude<PhraseState, "">, string, string][]} */
export const STATES = [
  ["boxes", t`A box for each individual`, ""],
  ["group", t`One box for the group`, t`Individuals can’t be distinguished.`],
  ["scene", t`Nothing to box`, t`A scene, an event, a quality.`],
  ["absent", t`Not in the picture`, ""],
];

/**
 * What the panel shows. `prevented` explains why a state can't be chosen.
 *
 * @typedef {object} Panel
 * @property {string} text
 * @property {number} colour
 * @property {string} progress
 * @property {string} warning
 * @property {PhraseState} state
 * @property {boolean} locked
 * @property {{key: string, tag: string, box: Box, name: string, shared: string}[]} boxes
 * @property {string | null} selected
 * @property {{label: string, onclick: () => void}[]} offers
 * @property {Partial<Record<PhraseState, string>>} [prevented]
 */

/**
 * @typedef {object} PanelMoves
 * @property {(state: PhraseState) => void} onState
 * @property {(key: string) => void} onSelect
 * @property {(key: string) => void} onRemove
 */

/**
 * Return the row of a box, with the buttons that select and remove it.
 *
 * @param {{key: string, tag: string, box: Box, name: string, shared: string}} shown
 * @param {boolean} isSelected
 * @param {boolean} locked
 * @param {{onSelect: (key: string) => void, onRemove: (key: string) => void}} moves
 */
export function boxRow({ key, tag, box: [x1, y1, x2, y2], name, shared }, isSelected, locked, moves) {
  const size = `${x2 - x1} × ${y2 - y1}`;
  return element(
    "li",
    { class: "panel__box" },
    element(
      "button",
      {
        type: "button",
        class: "panel__select quiet figure",
        "aria-pressed": String(isSelected),
        "aria-label": t`Select ${name}`,
        "data-control": `select ${key}`,
        onclick: () => moves.onSelect(key),
      },
      element("span", { class: "panel__tag" }, tag),
      element("span", {}, size, shared && element("span", { class: "hint" }, ` ${shared}`)),
    ),
    element(
      "button",
      {
        type: "button",
        class: "quiet",
        "aria-label": t`Remove ${name}`,
        disabled: locked,
        "data-control": `remove ${key}`,
        onclick: () => moves.onRemove(key),
      },
      t`Remove`,
    ),
  );
}

let lastName = 0;

export class PhrasePanel {
  /** @param {HTMLElement} root @param {PanelMoves} moves */
  constructor(root, moves) {
    this.moves = moves;
    lastName += 1;
    const name = `state-${lastName}`;
    this.title = element("h2", { class: "panel__title" });
    this.progress = element("p", { class: "panel__progress figure" });
    this.warning = element("p", { class: "panel__warning" });
    this.radios = new Map(
      STATES.map(([state]) => [
        state,
        element("input", { type: "radio", name, value: state, onchange: () => moves.onState(state) }),
      ]),
    );
    this.hints = new Map(
      STATES.map(([state, , hint]) => [state, element("span", { class: "hint panel__hint" }, hint)]),
    );
    const options = STATES.map(([state, label]) =>
      element(
        "label",
        { class: "panel__state" },
        /** @type {Node} */ (this.radios.get(state)),
        element("span", {}, label, " ", /** @type {Node} */ (this.hints.get(state))),
      ),
    );
    this.states = element(
      "fieldset",
      { class: "panel__states" },
      element("legend", { class: "visually-hidden" }, t`Answer`),
      ...options,
    );
    this.offers = element("div", { class: "panel__offers" });
    this.boxes = element("ol", { class: "panel__boxes" });
    this.extra = element("div", { class: "panel__extra" });
    // What comes and goes is below what an annotator points at.
    const rest = element("div", { class: "panel__rest" }, this.warning, this.offers, this.boxes);
    root.replaceChildren(this.title, this.progress, this.extra, this.states, rest);
    this.root = root;
    this.painted = "";
  }

  /** @param {Panel} panel */
  show(panel) {
    this.root.dataset.colour = String(panel.colour);
    setText(this.title, `“${panel.text}”`);
    this.title.title = panel.text;
    setText(this.progress, panel.progress);
    setText(this.warning, panel.warning);
    this.warning.hidden = !panel.warning;
    for (const [state, radio] of this.radios) {
      radio.checked = panel.state === state;
      radio.disabled = panel.locked || Boolean(panel.prevented?.[state]);
      const hint = STATES.find(([name]) => name === state)?.[2] ?? "";
      setText(/** @type {HTMLElement} */ (this.hints.get(state)), panel.prevented?.[state] ?? hint);
    }
    this.showOffers(panel);
    this.showBoxes(panel);
  }

  /** @param {Panel} panel */
  showOffers({ offers, locked }) {
    const hadFocus = this.offers.contains(document.activeElement);
    this.offers.replaceChildren(
      ...offers.map(({ label, onclick }) => element("button", { type: "button", onclick, disabled: locked }, label)),
    );
    const [next] = this.offers.children;
    if (hadFocus) /** @type {HTMLElement} */ (next ?? this.firstRadio()).focus();
  }

  // The list is made again only if it changed, so that the focus stays.
  /** @param {Panel} panel */
  showBoxes({ boxes, selected, locked }) {
    const key = JSON.stringify([boxes, selected, locked]);
    if (key === this.painted) return;
    this.painted = key;
    const focused = this.boxes.contains(document.activeElement)
      ? document.activeElement?.getAttribute("data-control")
      : null;
    this.boxes.replaceChildren(...boxes.map((shown) => boxRow(shown, shown.key === selected, locked, this.moves)));
    if (focused) this.focusAgain(focused);
  }

  /** @param {string} control */
  focusAgain(control) {
    const again =
      this.boxes.querySelector(`[data-control="${CSS.escape(control)}"]`) ??
      this.boxes.querySelector("[data-control^=remove]") ??
      this.firstRadio();
    if (again instanceof HTMLElement) again.focus();
  }

  firstRadio() {
    const radios = [...this.radios.values()];
    return radios.find(({ checked, disabled }) => checked && !disabled) ?? radios[0];
  }

  focus() {
    this.firstRadio().focus();
  }
}
