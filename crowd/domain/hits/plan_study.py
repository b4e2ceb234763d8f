"""Plan the study whose sessions do a publication's HITs."""

import hashlib
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import Any

from audit.errors import TouchstoneError
from crowd.domain.provider.eligibility import study_requirements
from crowd.domain.provider.providers import capabilities_of
from crowd.enums import Provider
from crowd.models import Budget, HitType, ProviderAccount, Study
from crowd.providers.base import StudySettings

# A session of about this length, unless the publication has fewer HITs.
SESSION_SECONDS = 15 * 60
MAX_HITS = 100
# Without characters that look alike.
CODE_LETTERS = "BCDFGHJKLMNPQRSTVWXZ23456789"


class PayTooLowError(TouchstoneError, ValueError):
    """The reward is below the provider's minimum for the expected time."""


@dataclass(frozen=True, slots=True)
class SessionPlan:
    """The size of a study's sessions: HITs, estimated minutes, and the reward in cents."""

    hits: int
    minutes: int
    reward_cents: int

    @property
    def hourly_cents(self) -> int:
        return self.reward_cents * 60 // self.minutes


def plan_session(*, reward_cents: int, expected_seconds: int, max_hits: int) -> SessionPlan:
    """Return sessions of about `SESSION_SECONDS` with at most `max_hits` HITs."""
    seconds = max(1, expected_seconds)
    hits = max(1, min(max_hits, MAX_HITS, round(SESSION_SECONDS / seconds)))
    return SessionPlan(hits, max(1, ceil(hits * seconds / 60)), hits * reward_cents)


@dataclass(frozen=True, slots=True)
class HourlyPay:
    """The pay per hour that a provider requires and recommends. 0 and None mean none."""

    minimum_cents: int
    recommended_cents: int | None = None


def hourly_pay_of(provider: str) -> HourlyPay:
    """Return what the provider answered last, or else the constant minimum."""
    account = ProviderAccount.objects.filter(provider=provider).first()
    if account and account.minimum_hourly_cents is not None:
        return HourlyPay(account.minimum_hourly_cents, account.recommended_hourly_cents)
    return HourlyPay(capabilities_of(provider).minimum_hourly_cents or 0)


def settings_of(fields: Mapping[str, Any]) -> StudySettings:
    """Return the settings that are stored as JSON."""
    return StudySettings(**{**fields, "devices": tuple(fields.get("devices", ()))})


def check_hourly_pay(
    *, provider: str, reward_cents: int, expected_seconds: int, work: str = "A task"
) -> None:
    """Raise PayTooLowError if the reward is below the provider's minimum for the expected time.

    `work` names the task in the message.
    """
    minimum = hourly_pay_of(provider).minimum_cents
    if not minimum or reward_cents * 3600 >= minimum * expected_seconds:
        return
    needed = ceil(minimum * expected_seconds / 3600)
    raise PayTooLowError(
        f"{work} pays {_dollars(reward_cents)} for about {expected_seconds} seconds, which is "
        f"{_dollars(reward_cents * 3600 // max(1, expected_seconds))} an hour. "
        f"{Provider(provider).label} requires {_dollars(minimum)} an hour without bonuses. "
        f"Raise the reward to at least {_dollars(needed)}."
    )


def _dollars(cents: int) -> str:
    return f"${cents / 100:.2f}"


def plan_study(
    *,
    hit_type: HitType,
    budget: Budget,
    sub_budget: Budget | None,
    expected_seconds: int,
    max_hits: int,
    is_gradual: bool = False,
    settings: Mapping[str, Any] | None = None,
) -> Study:
    """Get or create the study for HITs of this type and these budgets. Raise PayTooLowError."""
    check_hourly_pay(
        provider=hit_type.provider,
        reward_cents=hit_type.reward_cents,
        expected_seconds=expected_seconds,
    )
    plan = plan_session(
        reward_cents=hit_type.reward_cents,
        expected_seconds=expected_seconds,
        max_hits=max_hits,
    )
    study, _ = Study.objects.get_or_create(
        token=study_token(
            hit_type=hit_type, budget=budget, sub_budget=sub_budget, settings=settings
        ),
        defaults={
            "provider": hit_type.provider,
            "budget": budget,
            "hit_type": hit_type,
            "requirements": study_requirements(hit_type),
            "hits_per_session": plan.hits,
            "minutes": plan.minutes,
            "reward_cents": plan.reward_cents,
            "is_gradual": is_gradual,
            "settings": settings or {},
            "completion_code": _new_code("TS"),
            "decline_code": _new_code("TN"),
        },
    )
    return study


def _new_code(prefix: str) -> str:
    return prefix + "".join(secrets.choice(CODE_LETTERS) for _ in range(8))


def study_token(
    *,
    hit_type: HitType,
    budget: Budget,
    sub_budget: Budget | None,
    settings: Mapping[str, Any] | None = None,
) -> str:
    """Return the token of the study for HITs of this type, these budgets and these settings."""
    terms = [
        hit_type.title,
        hit_type.description,
        hit_type.reward_cents,
        budget.key,
        sub_budget.key if sub_budget else "",
        study_requirements(hit_type),
        settings or {},
    ]
    digest = hashlib.sha256(json.dumps(terms, sort_keys=True).encode()).hexdigest()[:40]
    return f"st-{digest}"


@dataclass(frozen=True, slots=True)
class StudyPreview:
    """The study that a publication would create or enlarge, for a page that asks for confirmation.

    `places` is the number of additional ones. `cents` is the most that the publication can cost.
    `wallet_cents` is what the wallet
    had at `wallet_checked_at`, or None if it is unknown.
    """

    session: SessionPlan
    places: int
    minimum_hourly_cents: int
    recommended_hourly_cents: int | None
    cents: int
    wallet_cents: int | None
    wallet_checked_at: datetime | None = None
    is_new: bool = True

    @property
    def missing_cents(self) -> int:
        """The part of the cost that the wallet does not cover."""
        return 0 if self.wallet_cents is None else max(0, self.cents - self.wallet_cents)


def preview_study(
    *,
    hit_type: HitType,
    budget: Budget,
    expected_seconds: int,
    hits: int,
    assignments: int,
    cents: int,
    settings: Mapping[str, Any] | None = None,
) -> StudyPreview | None:
    """Return the study for HITs with `assignments` each, or None at a provider without sessions.

    The HIT type need not be stored.
    """
    capabilities = capabilities_of(hit_type.provider)
    if not capabilities.has_sessions:
        return None
    session = plan_session(
        reward_cents=hit_type.reward_cents, expected_seconds=expected_seconds, max_hits=hits
    )
    token = study_token(hit_type=hit_type, budget=budget, sub_budget=None, settings=settings)
    study = Study.objects.filter(token=token).first()
    if study:
        session = SessionPlan(study.hits_per_session, study.minutes, study.reward_cents)
    account = ProviderAccount.objects.filter(provider=hit_type.provider).first()
    pay = hourly_pay_of(hit_type.provider)
    return StudyPreview(
        session=session,
        places=ceil(hits * assignments / session.hits),
        minimum_hourly_cents=pay.minimum_cents,
        recommended_hourly_cents=pay.recommended_cents,
        cents=cents,
        wallet_cents=account.balance_cents if account else None,
        wallet_checked_at=account.checked_at if account else None,
        is_new=study is None,
    )
