// The part of the image that the stage shows. Points of the stage are in CSS pixels.

/** @import { Box, Point, Size } from "./grounding-types.js" */

import { clamp } from "./geometry.js";

export const MAX_ZOOM = 8;
// What stays free around a box that comes into view.
const MARGIN = 16;

export class Viewport {
  /** @param {Size} image */
  constructor(image) {
    this.image = image;
    /** @type {Size} */
    this.stage = { width: image.width, height: image.height };
    this.zoom = 1;
    this.x = 0;
    this.y = 0;
  }

  // Stage pixels per image pixel. At zoom 1, the whole image is visible.
  get scale() {
    const { image, stage } = this;
    return Math.min(stage.width / image.width, stage.height / image.height) * this.zoom;
  }

  /**
   * Set the size of the stage. The image's point in its middle stays there.
   *
   * @param {Size} stage
   */
  resize(stage) {
    const middle = this.toImage({ x: this.stage.width / 2, y: this.stage.height / 2 });
    this.stage = stage;
    this.x = stage.width / 2 - middle.x * this.scale;
    this.y = stage.height / 2 - middle.y * this.scale;
    this.keepInside();
  }

  /** @param {Point} point @returns {Point} */
  toImage({ x, y }) {
    return { x: (x - this.x) / this.scale, y: (y - this.y) / this.scale };
  }

  /** @param {Box} box @returns {Box} */
  toStage([x1, y1, x2, y2]) {
    const { scale, x, y } = this;
    return [x + x1 * scale, y + y1 * scale, x + x2 * scale, y + y2 * scale];
  }

  /**
   * Zoom by a factor. The image's point at `fixed` stays there.
   *
   * @param {number} factor
   * @param {Point} [fixed]  by default the middle of the stage
   */
  zoomBy(factor, fixed = { x: this.stage.width / 2, y: this.stage.height / 2 }) {
    const point = this.toImage(fixed);
    this.zoom = clamp(this.zoom * factor, 1, MAX_ZOOM);
    this.x = fixed.x - point.x * this.scale;
    this.y = fixed.y - point.y * this.scale;
    this.keepInside();
  }

  /** @param {Point} by */
  panBy({ x, y }) {
    this.x += x;
    this.y += y;
    this.keepInside();
  }

  fit() {
    this.zoom = 1;
    this.keepInside();
  }

  /**
   * Pan until a box is visible, or its top left corner if it is larger than the stage. Return true if
   * the view changed.
   *
   * @param {Box} box
   */
  reveal(box) {
    const [x1, y1, x2, y2] = this.toStage(box);
    const { width, height } = this.stage;
    const before = [this.x, this.y];
    this.panBy({ x: shift(x1, x2, width), y: shift(y1, y2, height) });
    return before[0] !== this.x || before[1] !== this.y;
  }

  /**
   * Return the visible part of the image.
   *
   * @returns {Box}
   */
  visible() {
    const { width, height } = this.image;
    const a = this.toImage({ x: 0, y: 0 });
    const b = this.toImage({ x: this.stage.width, y: this.stage.height });
    return [clamp(a.x, 0, width), clamp(a.y, 0, height), clamp(b.x, 0, width), clamp(b.y, 0, height)];
  }

  // An image that is smaller than the stage is in its middle. A larger one fills it.
  keepInside() {
    const { image, stage, scale } = this;
    this.x = kept(this.x, stage.width, image.width * scale);
    this.y = kept(this.y, stage.height, image.height * scale);
  }
}

/** @param {number} offset @param {number} stage @param {number} image */
function kept(offset, stage, image) {
  return image <= stage ? (stage - image) / 2 : clamp(offset, stage - image, 0);
}

/** @param {number} low @param {number} high @param {number} length */
function shift(low, high, length) {
  if (low < MARGIN || high - low > length - 2 * MARGIN) return low < MARGIN || low > length - MARGIN ? MARGIN - low : 0;
  return high > length - MARGIN ? length - MARGIN - high : 0;
}
