"""Reserve budget for a HIT's assignments, and release it when they are withdrawn."""

from collections.abc import Sequence
from datetime import datetime

from django.db.models import Count

from crowd.domain.ledger import Movement, offer_cents_left, release_all
from crowd.domain.prepare_hits import HitTerms, slot_cents
from crowd.enums import AssignmentState
from crowd.models import Assignment, Hit

NOT_OWED = [AssignmentState.REJECTING, AssignmentState.REJECTED]


def slot_of(hit: Hit) -> tuple[int, int]:
    """Return the maximum cost of one assignment as (amount, fees) in cents."""
    terms = HitTerms(hit.max_assignments, hit.lifetime_seconds, hit.bonus_allowance_cents)
    return slot_cents(hit.hit_type, terms)


def places(*, hit: Hit, number: int, key: str) -> Movement:
    """Return a movement of the maximum cost of `number` assignments."""
    amount, fees = slot_of(hit)
    return Movement(hit, key, amount * number, fees * number)


def release_unused(*, hits: Sequence[Hit], now: datetime) -> None:
    """Release what can no longer be submitted. The caller must have locked the HITs' rows."""
    left = offer_cents_left(hits=hits)
    waiting = Assignment.objects.filter(hit__in=hits, payments=None).exclude(state__in=NOT_OWED)
    undecided = dict(waiting.order_by().values_list("hit").annotate(Count("pk")))
    movements = []
    for hit in hits:
        reserved = left.get(hit.pk, 0) // max(1, sum(slot_of(hit)))
        unused = reserved - undecided.get(hit.pk, 0)
        if unused > 0:
            offer_round = f":{hit.offer_round}" if hit.offer_round else ""
            key = f"release:hit:{hit.pk}{offer_round}"
            movements.append(places(hit=hit, number=unused, key=key))
    release_all(movements=movements, now=now)
