// Pay in whole cents. The site sends what each unit earns, so that the rule is in crowd/domain/money/pay_scheme.py only.

/** @import { Pay } from "./contract.js" */

/**
 * Return the bonus of the unit at a position, counted from 1.
 *
 * @param {Pay} pay
 * @param {number} position
 */
export function unitBonus(pay, position) {
  return pay.unit_cents[position - 1] ?? 0;
}

/** @param {Pay} pay @param {number} units */
export function bonusCents(pay, units) {
  return pay.unit_cents.slice(0, units).reduce((sum, amount) => sum + amount, 0);
}

/** @param {number} amount */
export function cents(amount) {
  return `${amount} ¢`;
}
