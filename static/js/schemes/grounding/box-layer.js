// The boxes on the picture, in SVG. A box that is being dragged changes only its own elements.

/** @import { Box, Handle, Point, ShownBox } from "./grounding-types.js" */
/** @import { Viewport } from "./viewport.js" */

const SVG = "http://www.w3.org/2000/svg";
/** @type {Handle[]} */
const HANDLES = ["nw", "n", "ne", "e", "se", "s", "sw", "w"];
// Half the length of a handle's target, in CSS pixels, and of what is visible of it.
const REACH = 14;
const KNOB = 5;
// A shorter side has no handle in its middle.
const SHORT = 72;
// Between the handles of a shorter side, there would be no place to move the box. They lie outside of it.
const NARROW = 44;
const TAG_HEIGHT = 18;
const DIGIT = 8;

/** @typedef {{group: SVGElement, casing: SVGElement, line: SVGElement, tag: SVGElement, plate: SVGElement, text: SVGElement, shown: ShownBox}} Node */

export class BoxLayer {
  /** @param {SVGElement} svg @param {Viewport} viewport */
  constructor(svg, viewport) {
    this.viewport = viewport;
    this.list = create("g", {});
    this.guides = create("g", { class: "guides", "aria-hidden": "true" });
    this.lines = [create("line", { class: "guides__line" }), create("line", { class: "guides__line" })];
    this.guides.append(...this.lines);
    this.sketch = create("g", { class: "sketch", "aria-hidden": "true", visibility: "hidden" });
    this.sketchRects = [create("rect", { class: "box__casing" }), create("rect", { class: "box__line sketch__line" })];
    this.sketch.append(...this.sketchRects);
    this.handles = create("g", { class: "handles", "aria-hidden": "true", visibility: "hidden" });
    this.knobs = new Map(
      HANDLES.map((handle) => {
        const target = create("rect", { class: `handle handle--${handle}`, width: 2 * REACH, height: 2 * REACH });
        const knob = create("rect", { class: "handle__knob", width: 2 * KNOB, height: 2 * KNOB, rx: 2 });
        this.handles.append(target, knob);
        return [handle, { target, knob }];
      }),
    );
    svg.replaceChildren(this.list, this.sketch, this.handles, this.guides);
    this.hideGuides();
    /** @type {Map<string, Node>} */
    this.nodes = new Map();
    /** @type {string | null} */
    this.selected = null;
  }

  /**
   * Show these boxes, later ones above earlier ones.
   *
   * @param {ShownBox[]} boxes
   * @param {string | null} selected
   */
  show(boxes, selected) {
    const keys = new Set(boxes.map(({ key }) => key));
    for (const [key, { group }] of this.nodes) {
      if (keys.has(key)) continue;
      group.remove();
      this.nodes.delete(key);
    }
    for (const shown of boxes) this.paint(shown, shown.key === selected);
    const order = boxes.map(({ key }) => /** @type {Node} */ (this.nodes.get(key)).group);
    const isInOrder = order.every((group, at) => this.list.children[at] === group);
    if (!isInOrder) this.reorder(order);
    this.selected = selected;
    this.place();
  }

  // Elements lose the focus when they move in the document.
  /** @param {SVGElement[]} order */
  reorder(order) {
    const focused = document.activeElement;
    this.list.append(...order);
    if (focused instanceof SVGElement && order.includes(focused)) focused.focus();
  }

  /** @param {ShownBox} shown @param {boolean} isSelected */
  paint(shown, isSelected) {
    const node = this.nodes.get(shown.key) ?? this.add(shown);
    node.shown = shown;
    const { group, text, plate } = node;
    set(group, { class: `box box--${shown.kind}${isSelected ? " box--selected" : ""}`, "data-colour": shown.colour });
    if (shown.label) set(group, { tabindex: 0, role: "button", "aria-label": shown.label, "aria-pressed": isSelected });
    else for (const name of ["tabindex", "role", "aria-label", "aria-pressed"]) group.removeAttribute(name);
    if (text.textContent !== shown.tag) text.textContent = shown.tag;
    set(plate, { width: shown.tag ? shown.tag.length * DIGIT + 8 : 0 });
  }

  /** @param {ShownBox} shown @returns {Node} */
  add(shown) {
    const group = create("g", { "data-key": shown.key });
    const casing = create("rect", { class: "box__casing" });
    const line = create("rect", { class: "box__line" });
    const tag = create("g", { class: "box__tag", "aria-hidden": "true" });
    const plate = create("rect", { class: "box__plate", height: TAG_HEIGHT, rx: 3 });
    const text = create("text", { class: "box__text", x: 4, y: 13 });
    tag.append(plate, text);
    group.append(casing, line, tag);
    this.list.append(group);
    const node = { group, casing, line, tag, plate, text, shown };
    this.nodes.set(shown.key, node);
    return node;
  }

  // Put everything where the view shows it.
  place() {
    for (const node of this.nodes.values()) this.placeNode(node, node.shown.box);
    const node = this.selected === null ? undefined : this.nodes.get(this.selected);
    this.placeHandles(node && !node.shown.locked ? node.shown.box : null);
  }

  /**
   * Show the selected box at another place.
   *
   * @param {string} key
   * @param {Box} box
   */
  preview(key, box) {
    const node = this.nodes.get(key);
    if (!node) return;
    this.placeNode(node, box);
    this.placeHandles(box);
  }

  /** @param {Node} node @param {Box} box */
  placeNode({ casing, line, tag, shown }, box) {
    const [x1, y1, x2, y2] = this.viewport.toStage(box);
    setRect(casing, x1, y1, x2, y2);
    setRect(line, x1, y1, x2, y2);
    // Above the box, or inside if there is no place above it.
    const above = y1 >= TAG_HEIGHT ? y1 - TAG_HEIGHT : y1;
    const y = shown.isTagBelow ? y2 : above;
    tag.setAttribute("transform", `translate(${Math.max(0, x1)} ${Math.max(0, y)})`);
  }

  /** @param {Box | null} box */
  placeHandles(box) {
    this.handles.setAttribute("visibility", box ? "visible" : "hidden");
    if (!box) return;
    for (const [handle, point] of handlePoints(this.viewport.toStage(box))) {
      const { target, knob } = /** @type {{target: SVGElement, knob: SVGElement}} */ (this.knobs.get(handle));
      const display = point ? "inline" : "none";
      set(target, { display });
      set(knob, { display });
      if (!point) continue;
      set(target, { x: point.x - REACH, y: point.y - REACH });
      set(knob, { x: point.x - KNOB, y: point.y - KNOB });
    }
  }

  /**
   * Return the handle of the selected box at a point of the stage.
   *
   * @param {Point} point
   * @returns {Handle | null}
   */
  handleAt({ x, y }) {
    const node = this.selected === null ? undefined : this.nodes.get(this.selected);
    if (!node || node.shown.locked) return null;
    const points = handlePoints(this.viewport.toStage(node.shown.box));
    const near = points.filter(([, at]) => at && Math.max(Math.abs(at.x - x), Math.abs(at.y - y)) <= REACH);
    const distance = (/** @type {Point | null} */ at) => (at ? Math.hypot(at.x - x, at.y - y) : 0);
    near.sort(([, a], [, b]) => distance(a) - distance(b));
    return near[0]?.[0] ?? null;
  }

  /** @param {Box | null} box */
  showSketch(box) {
    this.sketch.setAttribute("visibility", box ? "visible" : "hidden");
    if (!box) return;
    const [x1, y1, x2, y2] = this.viewport.toStage(box);
    for (const rect of this.sketchRects) setRect(rect, x1, y1, x2, y2);
  }

  /** @param {Point} point  of the stage */
  showGuides({ x, y }) {
    const { width, height } = this.viewport.stage;
    set(this.lines[0], { x1: 0, x2: width, y1: y, y2: y });
    set(this.lines[1], { x1: x, x2: x, y1: 0, y2: height });
    this.guides.setAttribute("visibility", "visible");
  }

  hideGuides() {
    this.guides.setAttribute("visibility", "hidden");
  }

  /** @param {string} key */
  elementOf(key) {
    return this.nodes.get(key)?.group ?? null;
  }
}

/**
 * Return the place of each handle on the stage, or null where the box is too small for it.
 *
 * @param {Box} box  on the stage
 * @returns {[Handle, Point | null][]}
 */
function handlePoints([x1, y1, x2, y2]) {
  const isNarrow = x2 - x1 < SHORT;
  const isLow = y2 - y1 < SHORT;
  const out = [x2 - x1, y2 - y1].map((side) => Math.min(REACH - 2, Math.max(0, (NARROW - side) / 2)));
  const [left, right] = [x1 - out[0], x2 + out[0]];
  const [top, bottom] = [y1 - out[1], y2 + out[1]];
  const [x, y] = [(x1 + x2) / 2, (y1 + y2) / 2];
  return [
    ["nw", { x: left, y: top }],
    ["n", isNarrow ? null : { x, y: top }],
    ["ne", { x: right, y: top }],
    ["e", isLow ? null : { x: right, y }],
    ["se", { x: right, y: bottom }],
    ["s", isNarrow ? null : { x, y: bottom }],
    ["sw", { x: left, y: bottom }],
    ["w", isLow ? null : { x: left, y }],
  ];
}

/** @param {string} name @param {Record<string, string | number | boolean>} attributes */
function create(name, attributes) {
  const created = /** @type {SVGElement} */ (document.createElementNS(SVG, name));
  set(created, attributes);
  return created;
}

/** @param {SVGElement} target @param {Record<string, string | number | boolean>} attributes */
function set(target, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (target.getAttribute(name) !== String(value)) target.setAttribute(name, String(value));
  }
}

/** @param {SVGElement} rect @param {number} x1 @param {number} y1 @param {number} x2 @param {number} y2 */
function setRect(rect, x1, y1, x2, y2) {
  rect.setAttribute("x", String(x1));
  rect.setAttribute("y", String(y1));
  rect.setAttribute("width", String(Math.max(0, x2 - x1)));
  rect.setAttribute("height", String(Math.max(0, y2 - y1)));
}
