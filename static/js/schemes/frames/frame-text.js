// Parts of the lexicon as elements of the page.

/** @import { Frame, FrameElement, Runs } from "./frame-types.js" */

import { counted, element, t } from "../../html.js";
import { readPage } from "../../work/page.js";
import { source } from "./frame-source.js";
import { isCore } from "./record.js";

const MAX_EXAMPLES = 2;
const COLOURS = 6;

/**
 * Return the text with its mentions of elements coloured, each element in the same colour.
 *
 * @param {Runs} runs
 * @param {FrameElement[]} elements
 */
export function runsText(runs, elements) {
  return runs.map(([text, mark]) => {
    const at = elements.findIndex(({ name }) => name === mark);
    return mark ? element("span", { class: "mention", "data-colour": (Math.max(at, 0) % COLOURS) + 1 }, text) : text;
  });
}

/**
 * Return a list of elements with their definitions.
 *
 * @param {FrameElement[]} chosen
 * @param {FrameElement[]} all  which give the colours
 */
export function elementList(chosen, all) {
  const entries = chosen.map(({ name, definition }) =>
    element(
      "div",
      {},
      element("dt", {}, ...runsText([[name, name]], all)),
      element("dd", {}, ...runsText(definition, all)),
    ),
  );
  return element("dl", { class: "elements-list" }, ...entries);
}

/**
 * Return what the lexicon says about a frame: definition, elements and two examples.
 *
 * @param {Frame} frame
 */
export function frameDetails({ definition, elements, examples }) {
  const core = elements.filter(isCore);
  const others = elements.filter((frameElement) => !isCore(frameElement));
  /** @type {HTMLElement[]} */
  const parts = [element("p", {}, ...runsText(definition, elements))];
  if (core.length > 0) parts.push(element("h3", {}, t`Core elements`), elementList(core, elements));
  const shown = examples.slice(0, MAX_EXAMPLES);
  if (shown.length > 0) {
    const items = shown.map((runs) => element("li", {}, ...runsText(runs, elements)));
    parts.push(element("h3", {}, shown.length === 1 ? t`Example` : t`Examples`), element("ul", {}, ...items));
  }
  if (others.length > 0) {
    const summary = element("summary", {}, counted(others.length, "optional element"));
    parts.push(element("details", {}, summary, elementList(others, elements)));
  }
  return parts;
}

/**
 * Return a message that a frame could not be loaded, with a button to try again. A preview loads none.
 *
 * @param {string} name
 */
export function retry(name) {
  if (readPage().preview) {
    return [element("p", { class: "quiet" }, t`Accept the task to see the elements of ${name}.`)];
  }
  const onclick = () => source.request(name, { again: true });
  return [
    element("p", { role: "status" }, t`The elements of ${name} couldn't be loaded.`),
    element("button", { type: "button", onclick }, t`Try again`),
  ];
}
