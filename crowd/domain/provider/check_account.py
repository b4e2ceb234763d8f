"""Check our accounts at providers: the balance, and with sessions also token, currency and fees."""

from collections.abc import Callable
from datetime import datetime

from crowd.domain.provider.event_addresses import event_address
from crowd.domain.provider.fees import forget_rates
from crowd.domain.provider.providers import (
    capabilities_of,
    hit_provider_of,
    providers_with_sessions,
    study_provider_of,
)
from crowd.models import ProviderAccount
from crowd.providers.base import OutcomeUnknownError, ProviderRefusedError
from jobs.domain.sweep import for_each_row

CURRENCY = "USD"


def account_of(name: str) -> ProviderAccount | None:
    """Return the account at a provider with sessions, or None for other providers."""
    if not capabilities_of(name).has_sessions:
        return None
    return ProviderAccount.objects.get_or_create(provider=name)[0]


def check_accounts(*, clock: Callable[[], datetime]) -> int:
    """Check the accounts of all providers with sessions. Return how many are usable."""
    for name in providers_with_sessions(True):
        ProviderAccount.objects.get_or_create(provider=name)
    return for_each_row(
        sweep="check accounts",
        rows=ProviderAccount.objects.filter(provider__in=providers_with_sessions(True)),
        process=lambda account, now: check_account(account=account, now=now),
        clock=clock,
    )


def check_balances(*, clock: Callable[[], datetime]) -> int:
    """Store our balances at marketplaces without sessions. Return how many are known."""
    known = 0
    for name in providers_with_sessions(False):
        account, _ = ProviderAccount.objects.get_or_create(provider=name)
        account.balance_cents, account.checked_at = None, clock()
        try:
            account.balance_cents = hit_provider_of(name).balance_cents()
        except (OutcomeUnknownError, ProviderRefusedError):
            pass  # health checks report an outage
        else:
            known += 1
        account.save(update_fields=["balance_cents", "checked_at"])
    return known


def differences_of(name: str) -> list[str]:
    """Return what differs at a provider with sessions from what this site expects. Changes nothing."""
    return list(study_provider_of(name).differences())


def check_filter_set(*, provider: str, filter_set: str) -> str:
    """Return the name of the filter set. Raise ProviderRefusedError or OutcomeUnknownError."""
    return study_provider_of(provider).filter_set_name(filter_set)


def check_account(*, account: ProviderAccount, now: datetime) -> bool:
    """Store the account's state at the provider. Return True if it can be used."""
    provider = study_provider_of(account.provider)
    try:
        status = provider.account()
        provider.subscribe(event_address(account.provider))
    except (OutcomeUnknownError, ProviderRefusedError) as error:
        ProviderAccount.objects.filter(pk=account.pk).update(error=str(error), checked_at=now)
        return False
    problem = (
        f"The workspace uses {status.currency}. Amounts here are in {CURRENCY}, so use a workspace "
        f"in {CURRENCY}."
        if status.currency != CURRENCY
        else ""
    )
    ProviderAccount.objects.filter(pk=account.pk).update(
        workspace=status.workspace,
        currency=status.currency,
        balance_cents=status.balance_cents,
        fee_rate=status.fee_rate,
        vat_rate=status.vat_rate,
        filters=status.filters,
        minimum_hourly_cents=status.minimum_hourly_cents,
        recommended_hourly_cents=status.recommended_hourly_cents,
        checked_at=now,
        error=problem,
    )
    forget_rates(account.provider)
    return not problem
