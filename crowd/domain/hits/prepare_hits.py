"""Prepare HITs: create their rows and reservations before they are sent to a marketplace."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from crowd.domain.hits.plan_study import plan_study
from crowd.domain.money.hit_reservations import HitTerms, place_cents
from crowd.domain.money.ledger import Movement, raise_reserved
from crowd.domain.provider.providers import capabilities_of
from crowd.enums import LedgerKind
from crowd.models import Budget, Hit, HitType, LedgerEntry
from crowd.providers.limits import DURATION_SECONDS, TOKEN, check_hit_type, check_range, check_text

# The length of the column. The escaped XML stays far below the API's 65,535 bytes.
URL = 500


@dataclass(frozen=True, slots=True)
class HitPlan:
    """A HIT to create. `token` (at most 64 characters) is derived from the published content."""

    token: str
    url: str


def hit_type_of(*, provider: str, qualifications: Sequence[Any], **terms: Any) -> HitType:
    """Get or create the HIT type with exactly these terms. Raises OutOfLimitsError."""
    check_hit_type(**terms, requirements=qualifications)
    fields = {**terms, "qualifications": list(qualifications)}
    fingerprint = hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()
    hit_type, _ = HitType.objects.get_or_create(
        provider=provider, fingerprint=fingerprint, defaults=fields
    )
    return hit_type


@transaction.atomic
def prepare_hits(
    *,
    plans: Sequence[HitPlan],
    hit_type: HitType,
    budget: Budget,
    terms: HitTerms,
    now: datetime,
    sub_budget: Budget | None = None,
    is_dealt: bool = True,
) -> list[Hit]:
    """Create all planned HITs, in order, and reserve their cost under both budgets.

    At a provider with sessions, HITs that are not dealt belong to no study.
    Raises BudgetExceededError, OutOfLimitsError, PayTooLowError, or IntegrityError if a token is taken.
    """
    check_range("lifetime", terms.lifetime_seconds, DURATION_SECONDS, unit="seconds")
    for plan in plans:
        check_text("token", plan.token, longest=TOKEN)
        check_text("address", plan.url, longest=URL)
    study = None
    if is_dealt and capabilities_of(hit_type.provider).has_sessions:
        study = plan_study(
            hit_type=hit_type,
            budget=budget,
            sub_budget=sub_budget,
            expected_seconds=terms.expected_seconds,
            max_hits=terms.max_per_session or len(plans),
            is_gradual=terms.is_gradual,
            settings=terms.study_settings,
        )
    amount, fees = (cents * terms.max_assignments for cents in place_cents(hit_type, terms))
    hits = Hit.objects.bulk_create(
        Hit(
            hit_type=hit_type,
            budget=budget,
            sub_budget=sub_budget,
            study=study,
            token=plan.token,
            url=plan.url,
            prepared_at=now,
            max_assignments=terms.max_assignments,
            lifetime_seconds=terms.lifetime_seconds,
            bonus_allowance_cents=terms.bonus_allowance_cents,
            expected_seconds=terms.expected_seconds,
        )
        for plan in plans
    )
    movements = [Movement(hit, f"reserve:hit:{hit.pk}", amount, fees) for hit in hits]
    LedgerEntry.objects.bulk_create(
        LedgerEntry(**movement.as_entry(LedgerKind.RESERVE, now)) for movement in movements
    )
    for charged in filter(None, (budget, sub_budget)):
        raise_reserved(budget_id=charged.pk, cents=(amount + fees) * len(hits))
    return hits
