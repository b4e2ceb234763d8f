// The types of fields and of their cards. Modules that a page loads later must not import cards.js.

/** @import { BoxCard } from "./box-card.js" */
/** @import { Field } from "./custom-types.js" */
/** @import { FieldCard } from "./field-card.js" */
/** @import { QuestionCard } from "./question-card.js" */
/** @import { RelationCard } from "./relation-card.js" */
/** @import { SpanCard } from "./span-card.js" */

/**
 * Return true if words of a text are marked for the field.
 *
 * @param {Field} field
 */
export function isMarked({ type }) {
  return type === "spans" || type === "questions";
}

/** @param {FieldCard | null | undefined} card @returns {card is SpanCard} */
export function isSpanCard(card) {
  return card?.field.type === "spans";
}

/** @param {FieldCard | null | undefined} card @returns {card is QuestionCard} */
export function isQuestionCard(card) {
  return card?.field.type === "questions";
}

/** @param {FieldCard | null | undefined} card @returns {card is RelationCard} */
export function isRelationCard(card) {
  return card?.field.type === "relations";
}

/** @param {FieldCard | null | undefined} card @returns {card is BoxCard} */
export function isBoxCard(card) {
  return card?.field.type === "boxes";
}
