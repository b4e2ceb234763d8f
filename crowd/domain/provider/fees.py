"""Calculate the fees that providers add to payments."""

from decimal import ROUND_CEILING, Decimal

from django.core.cache import cache

from crowd.domain.provider.providers import capabilities_of, provider_of
from crowd.models import ProviderAccount

# Pages calculate hundreds of fees, and rates hardly ever change.
RATES_TIMEOUT = 60


def fee_cents(amount_cents: int, *, provider: str, max_assignments: int = 1) -> int:
    """Return the provider's fee in whole cents: 0 for 0, otherwise at least one.

    At a provider with sessions, it includes tax and is rounded up, so that reservations cover what
    the provider charges for several payments together.
    """
    has_sessions = capabilities_of(provider).has_sessions
    rate = has_sessions and cache.get_or_set(
        _key(provider), lambda: _rate_of(provider), RATES_TIMEOUT
    )
    if rate:
        return fee_with_rate(amount_cents, rate)
    return provider_of(provider).fee_cents(amount_cents, max_assignments=max_assignments)


def fee_with_rate(amount_cents: int, rate: Decimal) -> int:
    """Return the fee in cents, rounded up."""
    return int((amount_cents * rate).to_integral_value(rounding=ROUND_CEILING))


def forget_rates(provider: str) -> None:
    """Have the next fee use the account's rates as they are stored now."""
    cache.delete(_key(provider))


def _key(provider: str) -> str:
    return f"fee-rate:{provider}"


def _rate_of(provider: str) -> Decimal:
    """Return the account's fee with tax as a fraction of the amount, or 0 if it is not known."""
    account = ProviderAccount.objects.filter(provider=provider).exclude(fee_rate=None).first()
    if account is None:
        return Decimal(0)
    assert account.fee_rate is not None
    return account.fee_rate * (1 + (account.vat_rate or 0))
