// Marking words of the texts: selecting them for a field, giving them a label, and relating them.

/** @import { Span as Range } from "../../spans.js" */
/** @import { Text } from "./custom-types.js" */
/** @import { FieldCard } from "./field-card.js" */
/** @import { FormPage } from "./form-page.js" */
/** @import { QuestionCard } from "./question-card.js" */
/** @import { RelationCard } from "./relation-card.js" */
/** @import { SpanCard } from "./span-card.js" */
/** @import { Mark } from "./texts.js" */

import { quoted, t } from "../../html.js";
import { isMarked, isQuestionCard, isRelationCard, isSpanCard } from "./card-types.js";
import { MarkedText } from "./marked-text.js";
import { Palette } from "./palette.js";
import { Relating } from "./relating.js";

/** @typedef {SpanCard | QuestionCard} TextCard */

export class Marking {
  /** @param {FormPage} page */
  constructor(page) {
    this.page = page;
    this.palette = new Palette(page.ref("palette"));
    this.relating = new Relating(page, this);
    /** The keys of the texts in which words are selected. */
    this.selectable = new Set(page.definition.fields.filter(isMarked).map(({ text = "" }) => text));
  }

  /**
   * Return a text in which words are selected, or null if no field needs that.
   *
   * @param {HTMLElement} box
   * @param {Text} text
   */
  createText(box, text) {
    if (!this.selectable.has(text.key)) return null;
    return new MarkedText(box, this.page.data.tokens, text, {
      needsLabel: (key) => this.relating.isOn || Boolean(this.cardFor(key)?.needsLabel()),
      onFocus: (key) => this.enterText(key),
      onSelect: (key, span) => this.selected(key, span),
      onChoose: (key, span) => this.chosen(key, span),
      onKey: (key, token, letter) => this.pressInText(key, token, letter),
      onRemove: (key, token) => this.cardFor(key)?.remove(token),
      onLeave: (key, where, token) => this.leaveText(key, where, token),
    });
  }

  /**
   * Return the field whose answers are marked in a text: the current one if it has this text.
   *
   * @param {string} text
   * @returns {TextCard | null}
   */
  cardFor(text) {
    const isFor = (/** @type {FieldCard | undefined} */ card) =>
      (isSpanCard(card) || isQuestionCard(card)) && card.field.text === text ? card : null;
    const current = isFor(this.page.cards?.get(this.page.active));
    if (current) return current;
    const first = this.page.shownFields().find(({ key }) => isFor(this.page.cards.get(key)));
    return first ? isFor(this.page.cards.get(first.key)) : null;
  }

  // The field whose labels are shown.
  markedCard() {
    const card = this.page.cards.get(this.page.active);
    return isSpanCard(card) || isQuestionCard(card) ? card : null;
  }

  /** @param {string} text */
  enterText(text) {
    const card = this.cardFor(text);
    if (card && card.field.key !== this.page.active) this.page.activate(card.field.key);
  }

  /** @param {string} text @param {Range | null} span */
  selected(text, span) {
    if (!span) return;
    this.enterText(text);
    if (this.relating.take(text, span[0])) return;
    const words = quoted(this.page.texts.written(span));
    const card = this.cardFor(text);
    if (card?.needsLabel()) this.page.say(t`${words}: choose a label.`);
    else this.page.say(t`${words}: choose the last word, or the same word again.`);
  }

  /** @param {string} text @param {Range} span */
  chosen(text, span) {
    if (!this.page.locked) this.cardFor(text)?.add(span);
  }

  /** @param {string} text @param {number} token @param {string} letter */
  pressInText(text, token, letter) {
    const key = letter.toLowerCase();
    const card = this.cardFor(text);
    if (!isSpanCard(card)) return false;
    if (this.relating.press(key)) return true;
    if ((key === "+" || key === "=") && card.spanAt(token) >= 0) {
      this.startRelation(card, card.spanAt(token));
      return true;
    }
    const label = card.needsLabel() && this.page.texts.marked.get(text)?.selection ? card.keys.get(key) : undefined;
    if (label) this.label(label.key);
    return Boolean(label);
  }

  /**
   * Give the selected words a label.
   *
   * @param {string} label
   */
  label(label) {
    const card = this.markedCard();
    const text = card && this.page.texts.marked.get(card.field.text ?? "");
    if (!isSpanCard(card) || !text) return;
    const { selection } = text;
    if (!selection) return this.page.refuse(t`Select words in the text first.`);
    const { start } = text.text;
    text.clear();
    card.add([selection[0] + start, selection[1] + start], label);
    text.cursor = selection[1] - 1;
    text.typed = { text: "", at: 0 };
    text.focus();
  }

  /** @param {string} text @param {"back" | "next"} where @param {number} token */
  leaveText(text, where, token) {
    const card = this.cardFor(text);
    if (this.relating.isOn) {
      if (where === "back") this.relating.cancel();
      else this.relating.take(text, token);
    } else if (where === "back" && card) {
      card.element.focus({ preventScroll: true });
      card.element.scrollIntoView({ block: "nearest" });
    } else if (isQuestionCard(card)) card.goOn();
    else if (this.page.texts.marked.get(text)?.selection) this.palette.focus();
    else if (card) card.focusSpanAt(token);
  }

  /** @param {SpanCard} card @param {number} at */
  startRelation(card, at) {
    if (!this.page.locked) this.relating.start(card, at);
  }

  /** @param {SpanCard} card @returns {RelationCard[]} */
  relationCards(card) {
    const shown = new Set(this.page.shownFields().map(({ key }) => key));
    return [...this.page.cards.values()]
      .filter(isRelationCard)
      .filter(({ field }) => field.spans === card.field.key && shown.has(field.key));
  }

  // --- rendering

  /** @param {Set<string>} shown @returns {Mark[]} */
  marks(shown) {
    const cards = [...this.page.cards.values()].filter(({ field, usesText }) => usesText && shown.has(field.key));
    const current = this.markedCard() ?? cards[0];
    // Marks of the current field lie above those of others.
    cards.sort((a, b) => Number(a === current) - Number(b === current));
    return cards.flatMap((card) => /** @type {TextCard} */ (card).marks(card === current || cards.length === 1));
  }

  /** @param {Set<string>} shown */
  renderPalette(shown) {
    if (this.relating.showLabels()) return;
    const keys = [this.page.active, ...this.page.definition.fields.map(({ key }) => key)];
    const key = keys.find((each) => shown.has(each) && isSpanCard(this.page.cards.get(each)));
    const card = isQuestionCard(this.markedCard()) ? null : this.page.cards.get(key ?? "");
    if (!isSpanCard(card) || !card.needsLabel()) return this.palette.hide();
    this.palette.show(card.field.key, t`Labels of ${card.field.label}`, card.labels, {
      locked: this.page.locked,
      onChoose: ({ key: label }) => {
        this.page.active = card.field.key;
        this.label(label);
      },
    });
  }
}
