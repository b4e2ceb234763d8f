"""What the marketplace takes on top of what workers get (DESIGN.md, section 2)."""

from decimal import ROUND_HALF_UP, Decimal

from django.conf import settings

MANY_ASSIGNMENTS = 10


def fee_cents(amount_cents: int, *, max_assignments: int = 1) -> int:
    """The fee on one reward or bonus, in whole cents, rounded half up and at least one.

    `max_assignments` is that of the reward's HIT: ten or more cost the higher rate. Nothing paid, no fee.
    """
    if amount_cents == 0:
        return 0
    many = max_assignments >= MANY_ASSIGNMENTS
    rate: Decimal = settings.MTURK_FEE_RATE_MANY if many else settings.MTURK_FEE_RATE
    exact = Decimal(amount_cents) * rate
    return max(1, int(exact.quantize(Decimal(1), rounding=ROUND_HALF_UP)))
