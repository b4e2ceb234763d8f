"""Conversion between cents and dollar amounts, and the marketplace's fees."""

import re
from decimal import ROUND_HALF_UP, Decimal

from marketplace.domain.errors import InvalidParameterError

AMOUNT = re.compile(r"[0-9]{1,9}(\.[0-9]{0,2})?")
MANY_ASSIGNMENTS = 10
MAX_CENTS = 2**31 - 1


def parse_amount(text: str, *, field: str) -> int:
    """Return the cents of a dollar amount such as "0.05" or "5". Raise InvalidParameterError."""
    if not AMOUNT.fullmatch(text):
        raise InvalidParameterError(
            f"{field} is {text!r}; it must be an amount in dollars with at most two decimals."
        )
    cents = int(Decimal(text) * 100)
    if cents > MAX_CENTS:
        raise InvalidParameterError(f"{field} is {text}; it must be at most {MAX_CENTS / 100:.2f}.")
    return cents


def format_cents(cents: int) -> str:
    """Format cents as dollars without a sign, such as "12.05" for 1205."""
    return f"{cents // 100}.{cents % 100:02d}"


def fee_cents(amount_cents: int, rate: Decimal) -> int:
    """Return the fee of a payment, rounded half up to whole cents and at least one cent."""
    fee = (Decimal(amount_cents) * rate).quantize(Decimal(1), rounding=ROUND_HALF_UP)
    return max(1, int(fee))


def fee_rate(max_assignments: int, *, few: Decimal, many: Decimal) -> Decimal:
    """Return the rate `many` for HITs with ten or more assignments, `few` for others."""
    return many if max_assignments >= MANY_ASSIGNMENTS else few
