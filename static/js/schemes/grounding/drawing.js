// Pointers on the picture: draw, move and resize boxes, choose them, pan, and zoom by wheel or pinch.

/** @import { Box, Handle, Point } from "./grounding-types.js" */
/** @import { PictureView } from "./picture.js" */

import { t } from "../../html.js";
import { boxBetween, hitTest, isLargeEnough, moved, resized } from "./geometry.js";

// A pointer that moves less than this many CSS pixels is a click.
const CLICK = 4;
const WHEEL_STEP = 1.0015;

/**
 * What a pressed pointer does. `start` is on the stage, and `from` is in the image.
 *
 * @typedef {object} Press
 * @property {"draw" | "move" | "resize" | "pan" | "corner"} kind
 * @property {number} id
 * @property {Point} start
 * @property {Point} from
 * @property {boolean} isDrag
 * @property {boolean} addsCorner
 * @property {string} [key]
 * @property {Handle} [handle]
 * @property {Box} [box]
 * @property {Point} [last]
 */

export class Drawing {
  /** @param {PictureView} view */
  constructor(view) {
    this.view = view;
    /** @type {Press | null} */
    this.press = null;
    /** @type {Point | null} The first of two clicked corners, in the image. */
    this.corner = null;
    /** @type {Map<number, Point>} */
    this.touches = new Map();
    this.pans = false;
    this.holdsSpace = false;
    this.hasPanned = false;
    this.pinch = false;
    this.isTouch = false;
    /** @type {Point | null} */
    this.pointer = null;
    this.frame = 0;
    this.listen();
  }

  listen() {
    const { stage } = this.view;
    stage.addEventListener("pointerdown", (event) => this.down(event));
    stage.addEventListener("pointermove", (event) => this.move(event));
    stage.addEventListener("pointerup", (event) => this.up(event));
    stage.addEventListener("pointercancel", (event) => this.abort(event));
    stage.addEventListener("pointerleave", () => this.leave());
    stage.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    // The image is not dragged out of the page, and a long touch opens no menu.
    stage.addEventListener("dragstart", (event) => event.preventDefault());
    stage.addEventListener("contextmenu", (event) => {
      if (/** @type {PointerEvent} */ (event).pointerType === "touch") event.preventDefault();
    });
  }

  // The place of an event on the stage, which a new box starts from.
  /** @param {MouseEvent} event @returns {Point} */
  pointOf(event) {
    const { left, top } = this.view.stage.getBoundingClientRect();
    this.pointer = { x: event.clientX - left, y: event.clientY - top };
    this.view.last = null;
    return this.pointer;
  }

  get isBusy() {
    return this.press !== null || this.corner !== null;
  }

  // --- pointers

  /** @param {PointerEvent} event */
  down(event) {
    const point = this.pointOf(event);
    if (event.pointerType === "touch") {
      this.touches.set(event.pointerId, point);
      if (this.touches.size > 1) return this.beginPinch();
    }
    if (this.press || (event.button !== 0 && event.button !== 1)) return;
    if (this.view.keyboard.sketch && event.button === 0 && !this.pans) this.view.keyboard.end();
    this.view.stage.setPointerCapture(event.pointerId);
    this.press = this.pressAt(point, event);
    if (event.button === 1) event.preventDefault();
    this.view.focusStage();
  }

  /** @param {Point} point @param {PointerEvent} event @returns {Press} */
  pressAt(point, event) {
    const { layer, viewport, options } = this.view;
    const base = {
      id: event.pointerId,
      start: point,
      from: viewport.toImage(point),
      isDrag: false,
      addsCorner: event.shiftKey,
    };
    if (event.button === 1 || this.pans || this.holdsSpace) return { ...base, kind: "pan", last: point };
    if (this.corner) return { ...base, kind: "corner" };
    const selected = this.view.selectedBox();
    const canChange = options.canDraw() && selected && !selected.locked;
    const handle = canChange ? layer.handleAt(point) : null;
    if (handle) return { ...base, kind: "resize", key: selected?.key, box: selected?.box, handle };
    if (canChange && hitTest([selected], base.from).length > 0) {
      return { ...base, kind: "move", key: selected.key, box: selected.box };
    }
    return { ...base, kind: "draw" };
  }

  /** @param {PointerEvent} event */
  move(event) {
    const point = this.pointOf(event);
    if (this.touches.has(event.pointerId)) {
      if (this.pinch) this.pinchTo(event.pointerId, point);
      this.touches.set(event.pointerId, point);
    }
    if (this.press && this.press.id !== event.pointerId) return;
    this.isTouch = event.pointerType === "touch";
    this.frame ||= requestAnimationFrame(() => this.draw());
  }

  // Once per frame, whatever the pointer's rate.
  draw() {
    this.frame = 0;
    const { press, pointer } = this;
    if (!pointer) return;
    const { layer, viewport } = this.view;
    if (!press) return this.hover(pointer);
    press.isDrag ||= Math.hypot(pointer.x - press.start.x, pointer.y - press.start.y) >= CLICK;
    if (!press.isDrag) return;
    if (press.kind === "pan") {
      const last = /** @type {Point} */ (press.last);
      viewport.panBy({ x: pointer.x - last.x, y: pointer.y - last.y });
      press.last = pointer;
      this.hasPanned = true;
      this.view.viewChanged();
    } else if (press.key) {
      layer.preview(press.key, this.changed(press, pointer));
    } else if (this.view.options.canDraw()) {
      layer.showSketch(this.drawn(press, pointer));
      if (!this.isTouch) layer.showGuides(pointer);
    }
  }

  /** @param {Point} pointer */
  hover(pointer) {
    const { layer, viewport, stage, options } = this.view;
    const canDraw = options.canDraw();
    if (this.corner) layer.showSketch(boxBetween(this.corner, viewport.toImage(pointer), viewport.image));
    const selected = this.view.selectedBox();
    const handle = canDraw && selected && !this.corner ? layer.handleAt(pointer) : null;
    const isInside =
      selected && !selected.locked && !this.corner && hitTest([selected], viewport.toImage(pointer)).length > 0;
    stage.dataset.cursor =
      this.pans || this.holdsSpace ? "pan" : (handle ?? (canDraw && isInside ? "move" : canDraw ? "draw" : "choose"));
    if (canDraw && !this.isTouch && stage.dataset.cursor === "draw") layer.showGuides(pointer);
    else layer.hideGuides();
  }

  /** @param {Press} press @param {Point} pointer @returns {Box} */
  drawn(press, pointer) {
    const { viewport } = this.view;
    return boxBetween(this.corner ?? press.from, viewport.toImage(pointer), viewport.image);
  }

  /** @param {Press} press @param {Point} pointer @returns {Box} */
  changed({ from, box, handle }, pointer) {
    const { viewport, options } = this.view;
    const to = viewport.toImage(pointer);
    const by = { x: to.x - from.x, y: to.y - from.y };
    const own = /** @type {Box} */ (box);
    return handle ? resized(own, handle, by, viewport.image, options.minSide) : moved(own, by, viewport.image);
  }

  /** @param {PointerEvent} event */
  up(event) {
    this.touches.delete(event.pointerId);
    if (this.touches.size < 2) this.pinch = false;
    const { press } = this;
    if (!press || press.id !== event.pointerId) return;
    const point = this.pointOf(event);
    press.isDrag ||= Math.hypot(point.x - press.start.x, point.y - press.start.y) >= CLICK;
    this.press = null;
    this.cancelFrame();
    this.finish(press, point);
    if (event.pointerType === "touch") this.view.layer.hideGuides();
  }

  /** @param {Press} press @param {Point} pointer */
  finish(press, pointer) {
    const { options } = this.view;
    if (press.kind === "pan") return;
    if (press.kind === "corner" || (press.kind === "draw" && press.isDrag)) {
      const box = this.drawn(press, pointer);
      this.cancelSketch();
      if (options.canDraw()) this.place(box);
    } else if (press.key && press.isDrag) {
      options.onChange(press.key, this.changed(press, pointer), press.handle ? "resize" : "move");
    } else if (!press.isDrag) {
      this.click(press);
    }
  }

  /** @param {Box} box */
  place(box) {
    const { options, viewport } = this.view;
    const { minSide } = options;
    if (isLargeEnough(box, minSide, viewport.image)) return options.onDraw(box);
    options.onRefuse(t`A box needs at least ${minSide} pixels in each direction. Draw a larger box, or zoom in.`);
  }

  // A click chooses the box under it. On a chosen box, it chooses the next one below. Elsewhere it sets a
  // corner.
  /** @param {Press} press */
  click({ from, addsCorner }) {
    const { options, selected } = this.view;
    const hits = addsCorner ? [] : hitTest(this.view.boxes, from);
    if (hits.length > 0) {
      const at = hits.findIndex(({ key }) => key === selected);
      options.onSelect(hits[(at + 1) % hits.length].key);
      return;
    }
    if (selected !== null) options.onSelect(null);
    if (!options.canDraw()) return;
    this.corner = from;
    this.view.busyChanged();
    options.say(t`First corner set. Click the opposite corner, or press Esc.`);
  }

  /** @param {PointerEvent} event */
  abort(event) {
    this.touches.delete(event.pointerId);
    this.pinch = false;
    this.cancel();
  }

  leave() {
    if (!this.press) this.view.layer.hideGuides();
  }

  // --- giving up

  // End what a pointer has begun. Return true if there was something.
  cancel() {
    const wasBusy = this.isBusy;
    this.press = null;
    this.cancelFrame();
    this.cancelSketch();
    this.view.layer.place();
    return wasBusy;
  }

  cancelSketch() {
    this.corner = null;
    this.view.layer.showSketch(null);
    this.view.busyChanged();
  }

  cancelFrame() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
  }

  // --- zoom

  /** @param {WheelEvent} event */
  wheel(event) {
    const { viewport } = this.view;
    // At the smallest zoom, the wheel scrolls the page.
    if (viewport.zoom === 1 && event.deltaY > 0 && !event.ctrlKey) return;
    event.preventDefault();
    const pixels = event.deltaMode === 0 ? event.deltaY : event.deltaY * 33;
    if (event.shiftKey) viewport.panBy({ x: -(event.deltaX || pixels), y: 0 });
    else viewport.zoomBy(WHEEL_STEP ** -(pixels * (event.ctrlKey ? 5 : 1)), this.pointOf(event));
    this.view.viewChanged();
  }

  beginPinch() {
    const corner = this.corner;
    this.cancel();
    this.corner = corner;
    this.pinch = true;
  }

  /** @param {number} id @param {Point} point */
  pinchTo(id, point) {
    const other = [...this.touches].find(([touch]) => touch !== id)?.[1];
    const before = this.touches.get(id);
    if (!other || !before) return;
    const { viewport } = this.view;
    const distance = (/** @type {Point} */ a) => Math.max(1, Math.hypot(a.x - other.x, a.y - other.y));
    const middle = (/** @type {Point} */ a) => ({ x: (a.x + other.x) / 2, y: (a.y + other.y) / 2 });
    const [from, to] = [middle(before), middle(point)];
    viewport.panBy({ x: to.x - from.x, y: to.y - from.y });
    viewport.zoomBy(distance(point) / distance(before), to);
    this.view.viewSoon();
  }
}
