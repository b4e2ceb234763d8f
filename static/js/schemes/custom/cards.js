// The cards of a form. A page loads only the code that the fields of its definition need.

/** @import { Definition, Field } from "./custom-types.js" */
/** @import { FieldCard } from "./field-card.js" */
/** @import { FormPage } from "./form-page.js" */
/** @import { Marking } from "./marking.js" */

import { readPage } from "../../work/page.js";
import { loadPatterns } from "./answers.js";
import { isMarked } from "./card-types.js";
import { ValueCard } from "./field-card.js";

/** @typedef {new (page: any, field: Field) => FieldCard} CardClass */

/** @type {Record<string, () => Promise<CardClass>>} */
const LOADERS = {
  spans: async () => (await import("./span-card.js")).SpanCard,
  relations: async () => (await import("./relation-card.js")).RelationCard,
  questions: async () => (await import("./question-card.js")).QuestionCard,
  boxes: async () => (await import("./box-card.js")).BoxCard,
};

/** @type {Map<string, CardClass>} */
const classes = new Map();
/** @type {(new (page: any) => Marking) | null} */
let markingClass = null;

// Load the code of the page's fields, before anything is shown.
export async function loadCards() {
  /** @type {Definition} */
  const { fields } = readPage().shared.definition;
  const types = new Set(fields.map(({ type }) => type));
  const loads = [...types].flatMap((type) =>
    LOADERS[type] ? [LOADERS[type]().then((card) => classes.set(type, card))] : [],
  );
  const marking = fields.some(isMarked) ? import("./marking.js") : null;
  await Promise.all([...loads, marking, loadPatterns(fields)]);
  markingClass = (await marking)?.Marking ?? null;
}

/** @param {Field} field @returns {CardClass} */
export function cardClass({ type }) {
  return classes.get(type) ?? ValueCard;
}

/**
 * Return what marks words for the page's fields, or null if no field needs that.
 *
 * @param {FormPage} page
 */
export function createMarking(page) {
  return markingClass && new markingClass(page);
}
