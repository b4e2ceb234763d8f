"""Calculate the fees that providers add to payments."""

from decimal import ROUND_CEILING, Decimal

from crowd.domain.providers import capabilities_of, provider_of
from crowd.models import ProviderAccount


def fee_cents(amount_cents: int, *, provider: str, max_assignments: int = 1) -> int:
    """Return the provider's fee in whole cents: 0 for 0, otherwise at least one.

    At a provider with sessions, it includes tax and is rounded up, so that reservations cover what
    the provider charges for several payments together.
    """
    if capabilities_of(provider).has_sessions:
        rated = ProviderAccount.objects.filter(provider=provider).exclude(fee_rate=None)
        if account := rated.first():
            assert account.fee_rate is not None
            return session_fee_cents(amount_cents, account.fee_rate, account.vat_rate)
    return provider_of(provider).fee_cents(amount_cents, max_assignments=max_assignments)


def session_fee_cents(amount_cents: int, fee_rate: Decimal, vat_rate: Decimal | None) -> int:
    """Return the fee and the tax on it in cents, rounded up."""
    exact = amount_cents * fee_rate * (1 + (vat_rate or 0))
    return int(exact.to_integral_value(rounding=ROUND_CEILING))
