// The picture with its boxes, and the tools to draw and to look closely.

/** @import { Box, Picture, ShownBox } from "./grounding-types.js" */

import { element, setText, t } from "../../html.js";
import { BoxLayer } from "./box-layer.js";
import { Drawing } from "./drawing.js";
import { Keyboard } from "./keyboard.js";
import { Viewport } from "./viewport.js";

const ZOOM = 1.5;
const MIN_HEIGHT = 200;

/**
 * @typedef {object} PictureOptions
 * @property {Picture} image
 * @property {string} description  of the picture, for screen readers
 * @property {number} minSide
 * @property {() => boolean} canDraw
 * @property {(box: Box) => void} onDraw
 * @property {(key: string, box: Box, how: "move" | "resize", options?: {isNudge: boolean}) => void} onChange
 * @property {(key: string | null) => void} onSelect
 * @property {(key: string) => void} onRemove
 * @property {(text: string) => void} onRefuse
 * @property {(text: string) => void} say
 * @property {(box: Box) => void} sayBox  announce a box that the arrow keys change
 * @property {() => number} [room]  the height that the window has for the picture
 */

export class PictureView {
  /** @param {HTMLElement} root @param {PictureOptions} options */
  constructor(root, options) {
    this.options = options;
    this.viewport = new Viewport(options.image);
    /** @type {ShownBox[]} */
    this.boxes = [];
    /** @type {string | null} */
    this.selected = null;
    this.image = element("img", { class: "stage__image", alt: "", draggable: "false" });
    this.svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    this.svg.setAttribute("class", "stage__boxes");
    // As a picture, it could not have buttons.
    this.svg.setAttribute("role", "group");
    this.svg.setAttribute("aria-label", t`Boxes`);
    this.stage = element(
      "div",
      {
        class: "stage",
        tabindex: 0,
        role: "application",
        "aria-label": options.description,
        "data-stage": true,
      },
      this.image,
    );
    this.stage.append(this.svg);
    this.layer = new BoxLayer(this.svg, this.viewport);
    this.drawing = new Drawing(this);
    this.keyboard = new Keyboard(this);
    this.failed = element(
      "p",
      { class: "message message--error", role: "alert", hidden: true },
      t`The picture couldn't be loaded. `,
      element("button", { type: "button", onclick: () => this.load() }, t`Try again`),
    );
    this.addButton = button(t`Add box`, () => this.keyboard.start());
    this.placeButton = button(t`Place`, () => this.keyboard.enter());
    this.cancelButton = button(t`Cancel`, () => this.cancel());
    this.outButton = button(t`Zoom out`, () => this.zoomBy(1 / ZOOM), "−");
    this.inButton = button(t`Zoom in`, () => this.zoomBy(ZOOM), "+");
    this.fitButton = button(t`Show the whole picture`, () => this.fit(), t`Fit`);
    this.panButton = button(t`Drag the picture instead of drawing`, () => this.togglePan(), t`Pan`);
    this.zoomText = element("output", { class: "picture-tools__zoom figure", "aria-label": t`Zoom` });
    /** @type {Box | null} The box that keys have changed since the pointer was on the stage. */
    this.last = null;
    /** @type {number | undefined} */
    this.viewFrame = undefined;
    root.append(this.failed, this.stage, this.toolbar());
    this.listen();
    this.load();
    this.measure();
  }

  toolbar() {
    return element(
      "div",
      { class: "picture-tools", role: "group", "aria-label": t`Picture tools` },
      this.addButton,
      this.placeButton,
      this.cancelButton,
      element("span", { class: "picture-tools__space" }),
      this.outButton,
      this.zoomText,
      this.inButton,
      this.fitButton,
      this.panButton,
    );
  }

  listen() {
    this.observer = new ResizeObserver(() => this.measure());
    this.observer.observe(this.stage.parentElement ?? this.stage);
    this.image.addEventListener("error", () => {
      this.failed.hidden = false;
    });
    this.image.addEventListener("load", () => {
      this.failed.hidden = true;
    });
    this.stage.addEventListener("focusin", () => {
      const key = this.focusedKey();
      if (key !== null && key !== this.selected) this.options.onSelect(key);
    });
    // Assistive technology clicks without a pointer.
    this.stage.addEventListener("click", (event) => {
      const key = event.detail === 0 ? keyOf(event.target) : null;
      if (key !== null) this.options.onSelect(key);
    });
  }

  load() {
    const { url } = this.options.image;
    this.image.removeAttribute("src");
    this.image.src = url;
  }

  destroy() {
    this.observer?.disconnect();
  }

  // --- the view

  // The stage is as wide as its place, and never higher than its room, or most of the window if that is
  // unknown. It keeps its size until its width changes, so that nothing moves under the pointer.
  measure() {
    const width = this.stage.clientWidth;
    if (width === 0 || width === this.measured) return;
    /** @type {number | undefined} */
    this.measured = width;
    const { image } = this.options;
    const most = Math.max(MIN_HEIGHT, this.options.room?.() ?? innerHeight * 0.68);
    const height = Math.round(Math.min(most, Math.max(MIN_HEIGHT / 2, (width * image.height) / image.width)));
    this.stage.style.blockSize = `${height}px`;
    this.viewport.resize({ width, height });
    this.viewChanged();
  }

  viewSoon() {
    this.viewFrame ??= requestAnimationFrame(() => {
      this.viewFrame = undefined;
      this.viewChanged();
    });
  }

  viewChanged() {
    const { viewport, image } = this;
    image.style.inlineSize = `${viewport.image.width * viewport.scale}px`;
    image.style.blockSize = `${viewport.image.height * viewport.scale}px`;
    image.style.transform = `translate(${viewport.x}px, ${viewport.y}px)`;
    image.classList.toggle("stage__image--pixels", viewport.scale > 4);
    this.layer.place();
    if (this.keyboard.sketch) this.layer.showSketch(this.keyboard.sketch);
    setText(this.zoomText, `${viewport.zoom.toFixed(1).replace(".0", "")}×`);
    this.outButton.setAttribute("aria-disabled", String(viewport.zoom <= 1));
    this.fitButton.setAttribute("aria-disabled", String(viewport.zoom <= 1));
    this.inButton.setAttribute("aria-disabled", String(viewport.zoom >= 8));
  }

  /** @param {number} factor */
  zoomBy(factor) {
    const selected = this.keyboard.sketch ?? this.selectedBox()?.box;
    const middle = selected && this.viewport.toStage(selected);
    this.viewport.zoomBy(factor, middle && { x: (middle[0] + middle[2]) / 2, y: (middle[1] + middle[3]) / 2 });
    if (selected) this.viewport.reveal(selected);
    this.viewChanged();
    this.options.say(t`Zoom ${this.zoomText.textContent}.`);
  }

  fit() {
    this.viewport.fit();
    this.viewChanged();
    this.options.say(t`The whole picture is visible.`);
  }

  togglePan() {
    this.drawing.pans = !this.drawing.pans;
    this.panButton.setAttribute("aria-pressed", String(this.drawing.pans));
    this.stage.dataset.cursor = this.drawing.pans ? "pan" : "draw";
  }

  cancel() {
    if (!this.keyboard.escape()) return;
    this.focusStage();
  }

  // Give up a box that is not finished.
  reset() {
    this.keyboard.end();
    this.drawing.cancel();
  }

  busyChanged() {
    const isBusy = this.keyboard.sketch !== null || this.drawing.corner !== null;
    this.placeButton.hidden = this.keyboard.sketch === null;
    this.cancelButton.hidden = !isBusy;
    this.addButton.hidden = isBusy || !this.options.canDraw();
  }

  // --- boxes

  /**
   * Show these boxes, later ones above earlier ones.
   *
   * @param {ShownBox[]} boxes
   * @param {string | null} selected
   */
  show(boxes, selected) {
    this.boxes = boxes;
    if (this.selected !== selected) this.keyboard.resizes = false;
    this.selected = selected;
    this.layer.show(boxes, selected);
    this.busyChanged();
  }

  selectedBox() {
    return this.boxes.find(({ key }) => key === this.selected) ?? null;
  }

  // The key of the box that has the focus.
  focusedKey() {
    const { activeElement } = document;
    return activeElement && this.stage.contains(activeElement) ? keyOf(activeElement) : null;
  }

  focusStage() {
    this.stage.focus({ preventScroll: true });
  }

  /** @param {string} key */
  focusBox(key) {
    const target = this.layer.elementOf(key);
    const shown = this.boxes.find((box) => box.key === key);
    if (shown && this.viewport.reveal(shown.box)) this.viewChanged();
    if (target?.hasAttribute("tabindex")) target.focus({ preventScroll: true });
  }
}

/** @param {string} label @param {() => void} onclick */
function button(label, onclick, text = label) {
  const hasOtherName = label !== text;
  return element(
    "button",
    { type: "button", onclick, "aria-label": hasOtherName && label, title: hasOtherName && label },
    text,
  );
}

/** @param {EventTarget | null} target */
function keyOf(target) {
  return target instanceof Element ? (target.closest("[data-key]")?.getAttribute("data-key") ?? null) : null;
}
