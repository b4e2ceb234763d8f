"""The fees that MTurk-compatible marketplaces add to payments."""

from decimal import ROUND_HALF_UP, Decimal

from django.conf import settings

MANY_ASSIGNMENTS = 10


def fee_cents(amount_cents: int, *, max_assignments: int = 1) -> int:
    """Return the fee in whole cents, rounded half up: 0 for 0, otherwise at least one."""
    if amount_cents == 0:
        return 0
    many = max_assignments >= MANY_ASSIGNMENTS
    rate: Decimal = settings.MTURK_FEE_RATE_MANY if many else settings.MTURK_FEE_RATE
    exact = Decimal(amount_cents) * rate
    return max(1, int(exact.quantize(Decimal(1), rounding=ROUND_HALF_UP)))
