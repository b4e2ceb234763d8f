// Pay in whole cents: the same sums as crowd/domain/pay_scheme.py.

/** @import { PayTerms } from "./contract.js" */

/**
 * Return the bonus of the unit at a position, counted from 1.
 *
 * @param {PayTerms} terms
 * @param {number} position
 */
export function unitBonus(terms, position) {
  const paid = terms.max_units && position > terms.max_units ? 0 : position - terms.free_units;
  return paid < 1 ? 0 : terms.bonus_first_cents + (paid - 1) * terms.bonus_step_cents;
}

/** @param {PayTerms} terms @param {number} units */
export function bonusCents(terms, units) {
  let sum = 0;
  for (let position = 1; position <= units; position += 1) sum += unitBonus(terms, position);
  return sum;
}

/** @param {number} amount */
export function cents(amount) {
  return `${amount} ¢`;
}
