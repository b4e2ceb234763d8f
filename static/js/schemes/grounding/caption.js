// The captions of a picture. A click on a phrase goes to it.

/** @import { Phrase } from "./grounding-types.js" */

import { corpusText, element } from "../../html.js";
import { shownTokens } from "../../written-text.js";

/**
 * @typedef {object} CaptionOptions
 * @property {import("../../written-text.js").Tokens} tokens
 * @property {[number, number][]} captions  half-open spans of tokens
 * @property {Phrase[]} phrases
 * @property {number[]} colours  of the phrases
 * @property {(at: number) => void} onChoose
 */

export class Caption {
  /** @param {HTMLElement} root @param {CaptionOptions} options */
  constructor(root, { tokens, captions, phrases, colours, onChoose }) {
    this.root = root;
    this.phrases = phrases;
    /** @type {HTMLElement[]} */
    this.words = [];
    const shown = shownTokens(tokens);
    const owners = tokens.map((_, token) => innermost(phrases, token));
    const lines = captions.map(([start, end]) => {
      const line = element("p", { class: "caption__line", ...corpusText() });
      for (let token = start; token < end; token += 1) {
        const at = owners[token];
        const { text, gap } = shown[token];
        line.append(this.word(text, token, at, colours[at] ?? 0));
        if (token + 1 < end && gap) line.append(this.gap(gap, token, phrases, colours));
      }
      return line;
    });
    root.replaceChildren(...lines);
    root.addEventListener("click", ({ target }) => {
      const word = target instanceof Element ? target.closest("[data-phrase]") : null;
      if (word) onChoose(Number(word.getAttribute("data-phrase")));
    });
  }

  /** @param {string} text @param {number} token @param {number} at @param {number} colour */
  word(text, token, at, colour, isGap = false) {
    const word = element(
      "span",
      {
        class: at >= 0 ? "caption__word caption__word--phrase" : "caption__word",
        "data-phrase": at >= 0 ? at : null,
        "data-token": token,
        "data-gap": isGap,
        "data-colour": colour || null,
      },
      text,
    );
    this.words.push(word);
    return word;
  }

  // The blank between two words of a phrase is part of it.
  /** @param {string} gap @param {number} token @param {Phrase[]} phrases @param {number[]} colours */
  gap(gap, token, phrases, colours) {
    const around = innermost(phrases, token, token + 1);
    return around < 0 ? gap : this.word(gap, token, around, colours[around], true);
  }

  /**
   * Mark the current phrase and those with an answer.
   *
   * @param {number} current
   * @param {boolean[]} answered
   */
  show(current, answered) {
    const phrase = this.phrases[current];
    for (const word of this.words) {
      const token = Number(word.dataset.token);
      const last = word.dataset.gap === undefined ? token : token + 1;
      const isCurrent = phrase !== undefined && token >= phrase.start && last < phrase.end;
      word.classList.toggle("caption__word--current", isCurrent);
      word.classList.toggle("caption__word--answered", answered[Number(word.dataset.phrase)] ?? false);
    }
    const first = this.words.find((word) => word.classList.contains("caption__word--current"));
    if (first) this.reveal(first);
  }

  // Scroll a long caption, and never the window.
  /** @param {HTMLElement} word */
  reveal(word) {
    const [own, line] = [this.root.getBoundingClientRect(), word.getBoundingClientRect()];
    if (line.top < own.top) this.root.scrollTop += line.top - own.top;
    else if (line.bottom > own.bottom) this.root.scrollTop += line.bottom - own.bottom;
  }
}

/**
 * Return the index of the shortest phrase that has the tokens from `first` to `last`, or -1.
 *
 * @param {Phrase[]} phrases
 * @param {number} first
 */
function innermost(phrases, first, last = first) {
  const length = (/** @type {number} */ at) => phrases[at].end - phrases[at].start;
  return [...phrases.keys()]
    .filter((at) => phrases[at].start <= first && last < phrases[at].end)
    .reduce((best, at) => (best < 0 || length(at) < length(best) ? at : best), -1);
}

/**
 * Keep the picture below the caption, and what gets the focus clear of it.
 *
 * @param {HTMLElement} hero
 */
export function watchCaption(hero) {
  const observer = new ResizeObserver(() => {
    if (!hero.isConnected) return;
    const height = `${hero.offsetHeight}px`;
    document.documentElement.style.setProperty("--caption-height", height);
    document.documentElement.style.scrollPaddingTop = height;
  });
  observer.observe(hero);
}
