"""Reserve budget for the places of a HIT, and release it when they are withdrawn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count

from crowd.domain.money.ledger import Movement, release_all, reserved_cents_left
from crowd.domain.provider.fees import fee_cents
from crowd.enums import AssignmentState
from crowd.models import Assignment, Hit, HitType


@dataclass(frozen=True, slots=True)
class HitTerms:
    """The terms that the HITs of one call share beyond their type.

    `is_gradual` means that they are published one by one, as other work is done.
    """

    max_assignments: int
    lifetime_seconds: int
    bonus_allowance_cents: int
    expected_seconds: int = 60
    max_per_session: int | None = None  # by default, the number of HITs
    is_gradual: bool = False
    study_settings: Mapping[str, Any] | None = None  # see crowd.providers.base.StudySettings


def place_cents(hit_type: HitType, terms: HitTerms) -> tuple[int, int]:
    """Return the maximum cost of a place of such a HIT as (amount, fees) in cents."""
    reward, allowance = hit_type.reward_cents, terms.bonus_allowance_cents
    provider = hit_type.provider
    fees = fee_cents(reward, provider=provider, max_assignments=terms.max_assignments)
    fees += fee_cents(allowance, provider=provider)
    return reward + allowance, fees


NOT_OWED = [AssignmentState.REJECTING, AssignmentState.REJECTED]


def place_cents_of(hit: Hit) -> tuple[int, int]:
    """Return the maximum cost of a place of the HIT as (amount, fees) in cents."""
    terms = HitTerms(hit.max_assignments, hit.lifetime_seconds, hit.bonus_allowance_cents)
    return place_cents(hit.hit_type, terms)


def places_movement(*, hit: Hit, number: int, key: str) -> Movement:
    """Return a movement of the maximum cost of `number` places."""
    amount, fees = place_cents_of(hit)
    return Movement(hit, key, amount * number, fees * number)


def release_unused(*, hits: Sequence[Hit], now: datetime) -> None:
    """Release what can no longer be submitted. The caller must have locked the HITs' rows."""
    left = reserved_cents_left(hits=hits)
    waiting = Assignment.objects.filter(hit__in=hits, payments=None).exclude(state__in=NOT_OWED)
    undecided = dict(waiting.order_by().values_list("hit").annotate(Count("pk")))
    movements = []
    for hit in hits:
        reserved = left.get(hit.pk, 0) // max(1, sum(place_cents_of(hit)))
        unused = reserved - undecided.get(hit.pk, 0)
        if unused > 0:
            reservation_round = f":{hit.reservation_round}" if hit.reservation_round else ""
            key = f"release:hit:{hit.pk}{reservation_round}"
            movements.append(places_movement(hit=hit, number=unused, key=key))
    release_all(movements=movements, now=now)
