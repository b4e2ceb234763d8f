// The neighbours of an item's sentence in its document, in a part of the page that can be folded.

/** @import { Item, Work } from "./contract.js" */

import { corpusText, element, ref, setText, t } from "../html.js";
import { recall, remember } from "../storage.js";
import { shownTokens } from "../written-text.js";

const STORED = "context is open";
const WIDE = "(min-width: 40.01rem)";

export class ContextPanel {
  constructor() {
    this.panel = /** @type {HTMLDetailsElement | null} */ (document.querySelector("[data-context]"));
    if (!this.panel) return;
    // On a narrow screen it would push the work away.
    this.panel.open = recall(STORED) ?? window.matchMedia(WIDE).matches;
    this.panel.addEventListener("toggle", () => this.showOwn());
    // A click comes before the change, and so does the key that acts as one.
    ref(this.panel, "context-summary").addEventListener("click", () => remember(STORED, !this.panel?.open));
  }

  /** @param {Item} item @param {Work} work */
  show({ context, tokens }, work) {
    const { panel } = this;
    if (!panel) return;
    panel.hidden = !context;
    if (!context) return;
    const { before, after, cutBefore, cutAfter, summary, sentences } = context;
    const own = shownTokens(tokens)
      .map(({ text, gap }) => text + gap)
      .join("");
    const isSelectable = Boolean(sentences && work.showContext);
    const name = isSelectable ? t`Context, where answers can lie` : t`Context, for reading only`;
    const box = ref(panel, "context-text");
    setText(ref(panel, "context-summary"), `${name}: ${summary}`);
    box.setAttribute("aria-label", name);
    const sides = { before: side("before", before), after: side("after", after) };
    const ellipsis = (/** @type {boolean} */ isCut) => (isCut ? ["…"] : []);
    const ownText = paragraph(t`The sentence of this task: `, [own.trim()], "context__own");
    if (isSelectable) {
      box.replaceChildren(...ellipsis(cutBefore), sides.before, ...ownText, sides.after, ...ellipsis(cutAfter));
      work.showContext?.(sides);
    } else {
      box.replaceChildren(
        ...paragraph(t`Before the sentence: `, [...ellipsis(cutBefore), ...before], "context__before"),
        ...ownText,
        ...paragraph(t`After the sentence: `, [...after, ...ellipsis(cutAfter)], "context__after"),
      );
    }
    this.showOwn();
  }

  // A long document starts at the sentence of the task.
  showOwn() {
    const box = this.panel?.querySelector("[data-context-text]");
    const own = box?.querySelector(".context__own");
    if (!box || !own || !this.panel?.open) return;
    const place = own.getBoundingClientRect();
    box.scrollTop += place.top - box.getBoundingClientRect().top - (box.clientHeight - place.height) / 2;
  }
}

/**
 * Create the place of the words before or after the sentence.
 *
 * @param {"before" | "after"} name
 * @param {string[]} sentences
 */
function side(name, sentences) {
  const attributes = { id: `context-${name}`, class: `sentence context__words context__${name}` };
  return element("div", {
    ...attributes,
    ...corpusText(),
    "aria-label": t`Words ${name} the sentence`,
    hidden: sentences.length === 0,
  });
}

/** @param {string} label @param {string[]} sentences @param {string} name */
function paragraph(label, sentences, name) {
  if (sentences.length === 0) return [];
  const texts = sentences.map((text) => element("bdi", {}, text));
  const spaced = texts.flatMap((text, at) => (at > 0 ? [" ", text] : [text]));
  return [
    element("p", { class: name, ...corpusText() }, element("span", { class: "visually-hidden" }, label), ...spaced),
  ];
}
