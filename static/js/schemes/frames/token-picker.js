// The sentence of which single words are picked, also several with gaps between them. Words in a row
// can be dragged over, or chosen with Shift and arrow keys.

/** @import { Span } from "../../spans.js" */

import { t } from "../../html.js";
import { Sentence } from "../../sentence.js";
import { contains } from "../../spans.js";

/**
 * @typedef {object} PickerCalls
 * @property {(token: number) => void} onPick  a click, a tap or Enter
 * @property {(token: number) => void} onToggle  a click with Ctrl or Shift, or the space bar
 * @property {(span: Span) => void} onChoose  words in a row
 * @property {(token: number) => void} onRemove  Backspace
 * @property {() => void} onLeave  Escape without a selection
 */

export class TokenPicker extends Sentence {
  /** @param {HTMLElement} box @param {{tokens: string[], target: number} & PickerCalls} options */
  constructor(box, { onPick, onToggle, ...options }) {
    super(box, { ...options, targetLabel: t`the verb`, onSelect: () => {} });
    this.onPick = onPick;
    this.onToggle = onToggle;
    /** @type {number[]} The words of the unit that is being marked. */
    this.chosen = [];
    this.toggles = false;
  }

  /** @param {number} token */
  isSelected(token) {
    // The first rendering precedes the fields of this class.
    return Boolean(this.chosen?.includes(token) || (this.selection && contains(this.selection, token)));
  }

  /** @param {PointerEvent} event */
  pointerUp(event) {
    this.toggles = event.ctrlKey || event.metaKey || event.shiftKey;
    super.pointerUp(event);
  }

  // A click on one word. Nothing waits for a second one.
  /** @param {number} token */
  begin(token) {
    this.moveTo(token);
    if (this.toggles) this.onToggle(token);
    else this.onPick(token);
  }

  /** @param {KeyboardEvent} event */
  keyDown(event) {
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!this.disabled && isPlain && event.key === " " && !this.selection) {
      this.onToggle(this.cursor ?? 0);
      event.preventDefault();
    } else {
      super.keyDown(event);
    }
  }

  keyTake() {
    if (this.selection) this.choose(this.selection);
    else this.onPick(this.cursor ?? 0);
  }
}
