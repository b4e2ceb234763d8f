// What work earns, in whole cents: the same sums as crowd/domain/pay_scheme.py.

export function unitBonus(terms, position) {
  const paid = position - terms.free_units;
  return paid < 1 ? 0 : terms.bonus_first_cents + (paid - 1) * terms.bonus_step_cents;
}

export function bonusCents(terms, units) {
  let sum = 0;
  for (let position = 1; position <= units; position += 1) sum += unitBonus(terms, position);
  return sum;
}

export function cents(amount) {
  return `${amount} ¢`;
}
