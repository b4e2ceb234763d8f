"""The fees that Prolific adds to payments, and the tax on them."""

from decimal import ROUND_CEILING, Decimal

from django.conf import settings


def fee_cents(amount_cents: int) -> int:
    """Return the fee and its tax in cents at the rates of the settings, rounded up."""
    rate: Decimal = settings.PROLIFIC_FEE_RATE * (1 + settings.PROLIFIC_VAT_RATE)
    return int((amount_cents * rate).to_integral_value(rounding=ROUND_CEILING))
