"""The money behind a HIT's places: set aside when they are offered, given back when they are not."""

from collections.abc import Sequence
from datetime import datetime

from django.db.models import Count

from crowd.domain.ledger import Movement, offer_cents_left, release_all
from crowd.domain.prepare_hits import HitTerms, slot_cents
from crowd.enums import AssignmentState
from crowd.models import Assignment, Hit

NOT_OWED = [AssignmentState.REJECTING, AssignmentState.REJECTED]


def slot_of(hit: Hit) -> tuple[int, int]:
    """What one assignment of the HIT may cost: (to the worker, in fees)."""
    terms = HitTerms(hit.max_assignments, hit.lifetime_seconds, hit.bonus_allowance_cents)
    return slot_cents(hit.hit_type, terms)


def places(*, hit: Hit, number: int, key: str) -> Movement:
    """What `number` assignments of the HIT may cost, to be moved under the key."""
    amount, fees = (each * number for each in slot_of(hit))
    return Movement(hit, key, amount, fees)


def release_unused(*, hits: Sequence[Hit], now: datetime) -> None:
    """Give back what is set aside for places that nobody will take in this offer of the HITs; work
    that is handed in and undecided keeps its own. The HITs' rows must be locked."""
    left = offer_cents_left(hits=hits)
    waiting = Assignment.objects.filter(hit__in=hits, payments=None).exclude(state__in=NOT_OWED)
    undecided = dict(waiting.order_by().values_list("hit").annotate(Count("pk")))
    movements = []
    for hit in hits:
        kept = left.get(hit.pk, 0) // max(1, sum(slot_of(hit)))
        unused = kept - undecided.get(hit.pk, 0)
        if unused > 0:
            movements.append(places(hit=hit, number=unused, key=_release_key(hit)))
    release_all(movements=movements, now=now)


def _release_key(hit: Hit) -> str:
    """One for each offer of the HIT."""
    key = f"release:hit:{hit.pk}"
    return f"{key}:{hit.offer_round}" if hit.offer_round else key
