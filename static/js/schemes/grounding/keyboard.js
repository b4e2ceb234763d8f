// Boxes by keyboard alone. A new box starts where the last gesture was, or in the middle of the view, and the
// arrow keys move it. Their steps are pixels of the screen, so that they are small in a close view.

/** @import { Box, Point } from "./grounding-types.js" */
/** @import { PictureView } from "./picture.js" */

import { t } from "../../html.js";
import { ignoresKey } from "../../shortcuts.js";
import { boxText, isLargeEnough, moved, resized } from "./geometry.js";

/** @type {Record<string, Point>} */
const ARROWS = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};
const FAST = 10;
const PAN = 40;
const ZOOM = 1.25;

export class Keyboard {
  /** @param {PictureView} view */
  constructor(view) {
    this.view = view;
    /** @type {Box | null} A box that is not placed yet. */
    this.sketch = null;
    this.resizes = false;
    view.stage.addEventListener("keydown", (event) => {
      if (!this.keyDown(event)) return;
      event.preventDefault();
      event.stopPropagation();
    });
    view.stage.addEventListener("keyup", (event) => {
      if (event.key === " ") this.releaseSpace();
    });
    view.stage.addEventListener("focusout", () => {
      view.drawing.holdsSpace = false;
    });
  }

  /**
   * Handle a key on the picture. Return true if it has a meaning.
   *
   * @param {KeyboardEvent} event
   */
  keyDown(event) {
    if (ignoresKey(event)) return false;
    const arrow = ARROWS[event.key];
    // A pixel of the screen, or of the image if that is larger
    const step = Math.max(1, Math.round(1 / this.view.viewport.scale));
    if (arrow) return this.arrow(arrow, step * (event.shiftKey ? FAST : 1));
    switch (event.key) {
      case "Enter":
        return this.enter();
      case "Escape":
        return this.escape();
      case " ":
        return this.space(event);
      case "Delete":
      case "Backspace":
        return this.remove();
      default:
        return this.zoomKey(event.key);
    }
  }

  /** @param {string} key */
  zoomKey(key) {
    const { view } = this;
    if (key === "+" || key === "=") view.zoomBy(ZOOM);
    else if (key === "-") view.zoomBy(1 / ZOOM);
    else if (key === "0") view.fit();
    else return false;
    return true;
  }

  // --- a new box

  start() {
    const { view } = this;
    if (!view.options.canDraw()) return;
    view.drawing.cancel();
    view.options.onSelect(null);
    const visible = /** @type {Box} */ (view.viewport.visible().map(Math.round));
    const { image } = view.viewport;
    const side = (/** @type {number} */ at, /** @type {number} */ most) =>
      Math.min(most, Math.max(view.options.minSide, Math.round((visible[at + 2] - visible[at]) / 4)));
    const [w, h] = [side(0, image.width), side(1, image.height)];
    const [x1, y1, x2, y2] = view.last ?? visible;
    const { pointer } = view.drawing;
    const ofBox = { x: (x1 + x2) / 2, y: (y1 + y2) / 2 };
    const middle = view.last || !pointer ? ofBox : view.viewport.toImage(pointer);
    this.sketch = moved([0, 0, w, h], { x: middle.x - w / 2, y: middle.y - h / 2 }, image);
    this.resizes = false;
    view.focusStage();
    this.showSketch();
    view.options.say(
      t`New box, ${boxText(this.sketch)}. Arrow keys move it, Space switches to its size, Enter places it, Esc cancels.`,
    );
  }

  showSketch() {
    this.view.layer.showSketch(this.sketch);
    if (this.sketch && this.view.viewport.reveal(this.sketch)) this.view.viewChanged();
    this.view.busyChanged();
  }

  enter() {
    const { options, viewport } = this.view;
    if (!this.sketch) {
      if (this.view.focusedKey() === null) this.start();
      return true;
    }
    const box = this.sketch;
    if (!isLargeEnough(box, options.minSide, viewport.image)) return true;
    this.end();
    this.view.last = box;
    options.onDraw(box);
    return true;
  }

  escape() {
    const { view } = this;
    if (this.sketch) {
      this.end();
      view.options.say(t`The new box is cancelled.`);
    } else if (view.drawing.cancel()) {
      view.options.say("Cancelled.");
    } else if (view.selected !== null) {
      view.focusStage();
      view.options.onSelect(null);
    } else return false;
    return true;
  }

  end() {
    this.sketch = null;
    this.resizes = false;
    this.view.layer.showSketch(null);
    this.view.busyChanged();
  }

  // --- moving and resizing

  /** @param {Point} arrow @param {number} step */
  arrow({ x, y }, step) {
    const { view } = this;
    const by = { x: x * step, y: y * step };
    const selected = view.selectedBox();
    if (this.sketch) {
      this.sketch = this.changed(this.sketch, by);
      this.showSketch();
      view.options.sayBox(this.sketch);
    } else if (selected && !selected.locked && view.options.canDraw()) {
      const box = this.changed(selected.box, by);
      view.last = box;
      view.options.onChange(selected.key, box, this.resizes ? "resize" : "move", { isNudge: true });
      if (view.viewport.reveal(box)) view.viewChanged();
    } else if (view.viewport.zoom > 1) {
      view.viewport.panBy({ x: -x * PAN, y: -y * PAN });
      view.viewChanged();
    } else return false;
    return true;
  }

  /** @param {Box} box @param {Point} by */
  changed(box, by) {
    const { viewport, options } = this.view;
    if (this.resizes) return resized(box, "se", by, viewport.image, options.minSide);
    return moved(box, by, viewport.image);
  }

  // Space and a drag pan the picture. Space alone switches between moving and resizing.
  /** @param {KeyboardEvent} event */
  space(event) {
    const { drawing } = this.view;
    if (!event.repeat) {
      drawing.holdsSpace = true;
      drawing.hasPanned = false;
    }
    return true;
  }

  releaseSpace() {
    const { drawing, options } = this.view;
    const wasHeld = drawing.holdsSpace;
    drawing.holdsSpace = false;
    const selected = this.view.selectedBox();
    const canChange = this.sketch !== null || (selected && !selected.locked && options.canDraw());
    if (!wasHeld || drawing.hasPanned || !canChange) return;
    this.resizes = !this.resizes;
    options.say(this.resizes ? t`Arrow keys change the size.` : t`Arrow keys move the box.`);
  }

  remove() {
    const { view } = this;
    if (this.sketch) return this.escape();
    if (view.selected === null || !view.options.canDraw()) return false;
    view.options.onRemove(view.selected);
    return true;
  }
}
