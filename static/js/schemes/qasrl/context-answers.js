// Answers in the context of the sentence: words to select before and after it.

/** @import { Span } from "../../spans.js" */
/** @import { Context, ContextSentence } from "../../work/contract.js" */
/** @import { Mark } from "../../sentence.js" */

import { t } from "../../html.js";
import { Sentence } from "../../sentence.js";
import { overlaps } from "../../spans.js";
import { spanText, writtenTokens } from "../../written-text.js";

/**
 * A range of tokens in a sentence of the context, by the id of the sentence.
 *
 * @typedef {{sentence: string, start: number, end: number}} ContextAnswer
 */

/**
 * @typedef {object} ContextCalls
 * @property {(answer: ContextAnswer) => void} onChoose
 * @property {(side: ContextSide, token: number) => void} onRemove
 * @property {(where: "back" | "next") => void} onLeave
 * @property {(side: ContextSide, text: string, pending: boolean) => void} onSelect  called with the words
 * @property {(text: string) => void} onRefuse
 */

/** The sentences of the context in which answers may lie. */
export class ContextWords {
  /** @param {Context | undefined} context */
  constructor(context) {
    const { before = [], sentences = [] } = context ?? {};
    this.before = sentences.slice(0, before.length);
    this.after = sentences.slice(before.length);
    this.places = new Map(sentences.map((sentence) => [sentence.id, sentence]));
    /** @type {ContextSide[]} */
    this.sides = [];
  }

  /** @param {ContextAnswer} answer */
  has({ sentence, start, end }) {
    const place = this.places.get(sentence);
    return Boolean(place && start >= 0 && start < end && end <= place.tokens.length);
  }

  /** @param {ContextAnswer} answer */
  text({ sentence, start, end }) {
    const place = this.places.get(sentence);
    return place ? spanText(writtenTokens(place), [start, end]) : "";
  }

  /** @param {{before: HTMLElement, after: HTMLElement}} boxes @param {ContextCalls} calls */
  show({ before, after }, calls) {
    const sides = /** @type {[HTMLElement, ContextSentence[]][]} */ ([
      [before, this.before],
      [after, this.after],
    ]);
    this.sides = sides
      .filter(([, sentences]) => sentences.length > 0)
      .map(([box, sentences]) => new ContextSide(box, sentences, calls));
  }

  /** @param {ContextAnswer[]} own  the answers to the active question @param {boolean} locked */
  paint(own, locked) {
    for (const side of this.sides) {
      side.words.disable(locked);
      side.words.paint(own.flatMap((answer) => side.markOf(answer)));
    }
  }

  // Clear the selection, but not on the side where it is.
  /** @param {ContextSide | null} [except] */
  clear(except = null) {
    for (const side of this.sides) if (side !== except && side.words.selection) side.words.clear();
  }
}

/** The words of all sentences on one side, as one list. */
export class ContextSide {
  /** @param {HTMLElement} box @param {ContextSentence[]} sentences @param {ContextCalls} calls */
  constructor(box, sentences, calls) {
    this.sentences = sentences;
    /** @type {number[]} The position of the first token of each sentence. */
    this.firsts = [];
    let count = 0;
    for (const { tokens } of sentences) {
      this.firsts.push(count);
      count += tokens.length;
    }
    this.words = new Sentence(box, {
      tokens: joined(sentences),
      onChoose: (span) => {
        const answer = this.answerAt(span);
        if (answer) calls.onChoose(answer);
        else calls.onRefuse(t`An answer can't go beyond its sentence. Select words of one sentence.`);
      },
      onRemove: (token) => calls.onRemove(this, token),
      onLeave: calls.onLeave,
      onSelect: (span, pending) => span && calls.onSelect(this, spanText(this.words.tokens, span), pending),
    });
    box.setAttribute("aria-describedby", "sentence-help");
    // The list does not scroll itself, but its panel does.
    box.addEventListener("keydown", () => {
      const { cursor, words } = this.words;
      if (cursor !== null) words[cursor].scrollIntoView({ block: "nearest" });
    });
  }

  /** @param {Span} span @returns {ContextAnswer | null} */
  answerAt([start, end]) {
    const at = this.firsts.findLastIndex((first) => first <= start);
    const first = this.firsts[at];
    const { id, tokens } = this.sentences[at];
    return end > first + tokens.length ? null : { sentence: id, start: start - first, end: end - first };
  }

  /** @param {ContextAnswer} answer @returns {Mark[]} */
  markOf({ sentence, start, end }) {
    const first = this.firsts[this.sentences.findIndex(({ id }) => id === sentence)];
    if (first === undefined) return [];
    return [{ start: first + start, end: first + end, kind: "own", label: t`answer to this question` }];
  }
}

/** @param {ContextAnswer} a @param {ContextAnswer} b */
export function sharesWords(a, b) {
  return a.sentence === b.sentence && overlaps([a.start, a.end], [b.start, b.end]);
}

/**
 * Return the tokens of sentences as those of one text.
 *
 * @param {ContextSentence[]} sentences
 */
function joined(sentences) {
  const tokens = sentences.flatMap((sentence) => sentence.tokens);
  /** @type {string[]} */
  const texts = [];
  /** @type {Span[]} */
  const offsets = [];
  /** @type {Span[]} */
  const shown = [];
  let begin = 0;
  for (const sentence of sentences) {
    const { characters, ...ranges } = written(sentence);
    /** @param {Span} range @returns {Span} */
    const moved = ([start, end]) => [begin + start, begin + end];
    offsets.push(...ranges.offsets.map(moved));
    shown.push(...ranges.shown.map(moved));
    texts.push(characters.join(""));
    begin += characters.length + 1;
  }
  return writtenTokens({ tokens, text: texts.join(" "), offsets, shown });
}

/**
 * Return the characters of a sentence and the ranges of its tokens, as if it was written with blanks
 * between the tokens if its text is unknown.
 *
 * @param {ContextSentence} sentence
 */
function written({ tokens, text, offsets, shown = offsets }) {
  if (text !== undefined && offsets && shown) return { characters: [...text.trimEnd()], offsets, shown };
  let begin = 0;
  const ranges = tokens.map((token) => {
    /** @type {Span} */
    const range = [begin, begin + [...token].length];
    begin = range[1] + 1;
    return range;
  });
  return { characters: [...tokens.join(" ")], offsets: ranges, shown: ranges };
}
