"""HITs to be made: rows and reservations, written before any marketplace hears of them."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from crowd.domain.fees import fee_cents
from crowd.domain.ledger import raise_reserved
from crowd.enums import LedgerKind
from crowd.models import Budget, Hit, HitType, LedgerEntry
from crowd.providers.limits import (
    DURATION_SECONDS,
    TOKEN,
    check_hit_type,
    check_range,
    check_text,
)

# The column's. Escaped and wrapped as a question it stays far below the API's 65,535 bytes.
URL = 500


@dataclass(frozen=True, slots=True)
class HitPlan:
    """One HIT to be made. `token` (at most 64 characters) is derived from what is offered."""

    token: str
    url: str


@dataclass(frozen=True, slots=True)
class HitTerms:
    """What the HITs of one call have in common beyond their type."""

    max_assignments: int
    lifetime_seconds: int
    bonus_allowance_cents: int


def slot_cents(hit_type: HitType, terms: HitTerms) -> tuple[int, int]:
    """What one assignment may cost: (to the worker, in fees)."""
    reward, allowance = hit_type.reward_cents, terms.bonus_allowance_cents
    fees = fee_cents(reward, max_assignments=terms.max_assignments) + fee_cents(allowance)
    return reward + allowance, fees


def hit_type_of(*, provider: str, qualifications: Sequence[Any], **terms: Any) -> HitType:
    """The HIT type with exactly these terms: the one there is, or a new row. Raises OutOfLimits."""
    check_hit_type(**terms, qualifications=qualifications)
    described = {**terms, "qualifications": list(qualifications)}
    fingerprint = hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()
    hit_type, _ = HitType.objects.get_or_create(
        provider=provider, fingerprint=fingerprint, defaults=described
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
) -> list[Hit]:
    """Rows for the planned HITs, in order, with the money for each set aside, under the cap of the
    sub-budget too where there is one.

    All or nothing. Raises BudgetExceeded, OutOfLimits; IntegrityError when one of the tokens is taken.
    """
    check_range("lifetime", terms.lifetime_seconds, DURATION_SECONDS, unit="seconds")
    for plan in plans:
        check_text("token", plan.token, longest=TOKEN)
        check_text("address", plan.url, longest=URL)
    amount, fees = (each * terms.max_assignments for each in slot_cents(hit_type, terms))
    hits = Hit.objects.bulk_create(
        [
            Hit(
                hit_type=hit_type,
                budget=budget,
                sub_budget=sub_budget,
                token=plan.token,
                url=plan.url,
                max_assignments=terms.max_assignments,
                lifetime_seconds=terms.lifetime_seconds,
                bonus_allowance_cents=terms.bonus_allowance_cents,
                prepared_at=now,
            )
            for plan in plans
        ]
    )
    LedgerEntry.objects.bulk_create(
        [
            LedgerEntry(
                budget=budget,
                kind=LedgerKind.RESERVE,
                amount_cents=amount,
                fee_cents=fees,
                key=f"reserve:hit:{hit.pk}",
                hit=hit,
                at=now,
            )
            for hit in hits
        ]
    )
    for one in filter(None, (budget, sub_budget)):
        raise_reserved(budget_id=one.pk, cents=(amount + fees) * len(hits))
    return hits
