"""The money behind a HIT's places: set aside when they are offered, given back when they are not."""

from datetime import datetime

from crowd.domain.ledger import offer_cents_left, release, reserve
from crowd.domain.prepare_hits import HitTerms, slot_cents
from crowd.enums import AssignmentState
from crowd.models import Hit

NOT_OWED = [AssignmentState.REJECTING, AssignmentState.REJECTED]


def slot_of(hit: Hit) -> tuple[int, int]:
    """What one assignment of the HIT may cost: (to the worker, in fees)."""
    terms = HitTerms(hit.max_assignments, hit.lifetime_seconds, hit.bonus_allowance_cents)
    return slot_cents(hit.hit_type, terms)


def reserve_places(*, hit: Hit, number: int, key: str, now: datetime) -> None:
    """Set aside what `number` more assignments may cost. Raises BudgetExceeded."""
    amount, fees = (each * number for each in slot_of(hit))
    reserve(hit=hit, key=key, amount_cents=amount, fee_cents=fees, now=now)


def release_places(*, hit: Hit, number: int, key: str, now: datetime) -> None:
    amount, fees = (each * number for each in slot_of(hit))
    release(hit=hit, key=key, amount_cents=amount, fee_cents=fees, now=now)


def release_unused(*, hit: Hit, now: datetime) -> None:
    """Give back what is set aside for places that nobody will take in this offer of the HIT; work
    that is handed in and undecided keeps its own."""
    kept = offer_cents_left(hit=hit) // max(1, sum(slot_of(hit)))
    undecided = hit.assignments.filter(payments=None).exclude(state__in=NOT_OWED).count()
    if kept > undecided:
        key = (
            f"release:hit:{hit.pk}:{hit.offer_round}"
            if hit.offer_round
            else f"release:hit:{hit.pk}"
        )
        release_places(hit=hit, number=kept - undecided, key=key, now=now)
