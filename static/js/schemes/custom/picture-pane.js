// The picture of an item. Fields of boxes share the canvas on which boxes are drawn.

/** @import { Picture, ShownBox } from "../grounding/grounding-types.js" */
/** @import { PictureView } from "../grounding/picture.js" */
/** @import { BoxCard } from "./box-card.js" */
/** @import { FormPage } from "./form-page.js" */

import { element, t } from "../../html.js";

export class PicturePane {
  /** @param {FormPage} page @param {HTMLElement} root @param {Picture | null | undefined} image */
  constructor(page, root, image) {
    this.page = page;
    this.root = root;
    this.image = image ?? null;
    /** @type {string | null} */
    this.selected = null;
    /** @type {PictureView | null} */
    this.view = null;
    root.hidden = !image;
  }

  /** @returns {BoxCard[]} */
  get cards() {
    return this.page.boxCards();
  }

  // Show the picture, with the canvas if boxes are drawn on it.
  open() {
    const { image } = this;
    if (!image) return;
    if (this.cards.length === 0) {
      const { url, width, height } = image;
      this.root.append(
        element("img", { class: "picture-only", src: url, width, height, alt: t`The picture to annotate` }),
      );
    } else this.load(image);
  }

  /** @param {Picture} image */
  async load(image) {
    const { PictureView } = await import("../grounding/picture.js");
    if (this.isClosed) return;
    this.view = new PictureView(this.root, {
      image,
      description: t`Picture, ${image.width} by ${image.height} pixels. Enter starts a box.`,
      minSide: 3,
      canDraw: () => !this.page.isReadOnly && this.active() !== null,
      onDraw: (box) => this.active()?.draw(box),
      onChange: (key, box, how, options) =>
        this.owner(key)?.reshape(this.place(key), box, how, options?.isNudge ?? false),
      onSelect: (key) => this.select(key),
      onRemove: (key) => this.owner(key)?.removeAt(this.place(key)),
      onRefuse: (text) => this.page.refuse(text),
      say: (text) => this.page.say(text),
      sayBox: () => {},
    });
    this.page.render();
  }

  // The field whose boxes are drawn.
  active() {
    const { cards } = this;
    return cards.find(({ field }) => field.key === this.page.active) ?? cards[0] ?? null;
  }

  /** @param {string} key */
  owner(key) {
    return this.cards.find(({ field }) => field.key === key.split(":")[0]) ?? null;
  }

  /** @param {string} key */
  place(key) {
    return Number(key.split(":")[1]);
  }

  /** @param {string | null} key */
  select(key) {
    if (this.selected === key) return;
    const owner = key === null ? null : this.owner(key);
    if (key !== null && !owner) return this.page.pickBox(key);
    this.selected = key;
    if (owner) this.page.activate(owner.field.key);
    this.page.render();
  }

  render() {
    if (!this.view) return;
    const active = this.active();
    /** @type {ShownBox[]} */
    const boxes = [...this.page.otherBoxes(), ...this.cards.flatMap((card) => card.shown(card === active))];
    boxes.sort((a, b) => Number(a.kind === "own") - Number(b.kind === "own"));
    if (!boxes.some(({ key }) => key === this.selected)) this.selected = null;
    this.view.show(boxes, this.selected);
  }

  /** @param {string} key  of the field whose box it is */
  start(key) {
    this.page.activate(key);
    this.view?.keyboard.start();
  }

  /** @param {string} key */
  focusBox(key) {
    this.select(key);
    this.view?.focusBox(key);
  }

  focus() {
    this.view?.focusStage();
    return this.view !== null;
  }

  measure() {
    this.view?.measure();
  }

  // Give up a box that is not finished.
  reset() {
    this.selected = null;
    this.view?.reset();
  }

  close() {
    this.isClosed = true;
    this.view?.destroy();
  }
}
