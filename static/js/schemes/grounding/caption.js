// The captions of a picture. A click on a phrase goes to it.

/** @import { Phrase } from "./grounding-types.js" */

import { element } from "../../html.js";

/**
 * @typedef {object} CaptionOptions
 * @property {string[]} tokens
 * @property {[number, number][]} captions  half-open spans of tokens
 * @property {Phrase[]} phrases
 * @property {number[]} colours  of the phrases
 * @property {(at: number) => void} onChoose
 */

export class Caption {
  /** @param {HTMLElement} root @param {CaptionOptions} options */
  constructor(root, { tokens, captions, phrases, colours, onChoose }) {
    this.phrases = phrases;
    /** @type {HTMLElement[]} */
    this.words = [];
    const owners = tokens.map((_, token) => innermost(phrases, token));
    const lines = captions.map(([start, end]) => {
      const line = element("p", { class: "caption__line", dir: "auto" });
      for (let token = start; token < end; token += 1) {
        const at = owners[token];
        const following = token + 1 < end ? owners[token + 1] : -1;
        line.append(this.word(tokens[token], token, at, colours[at] ?? 0));
        if (token + 1 < end) line.append(at >= 0 && at === following ? this.gap(token, at, colours[at]) : " ");
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
  word(text, token, at, colour) {
    const word = element(
      "span",
      {
        class: at >= 0 ? "caption__word caption__word--phrase" : "caption__word",
        "data-phrase": at >= 0 ? at : null,
        "data-token": token,
        "data-colour": colour || null,
      },
      text,
    );
    this.words.push(word);
    return word;
  }

  // The blank between two words of a phrase is part of it.
  /** @param {number} token @param {number} at @param {number} colour */
  gap(token, at, colour) {
    const gap = element(
      "span",
      {
        class: "caption__word--phrase",
        "data-phrase": at,
        "data-token": token,
        "data-gap": true,
        "data-colour": colour,
      },
      " ",
    );
    this.words.push(gap);
    return gap;
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
    first?.scrollIntoView?.({ block: "nearest" });
  }
}

/**
 * Return the index of the shortest phrase that has the token, or -1.
 *
 * @param {Phrase[]} phrases
 * @param {number} token
 */
function innermost(phrases, token) {
  const length = (/** @type {number} */ at) => phrases[at].end - phrases[at].start;
  return [...phrases.keys()]
    .filter((at) => phrases[at].start <= token && token < phrases[at].end)
    .reduce((best, at) => (best < 0 || length(at) < length(best) ? at : best), -1);
}
