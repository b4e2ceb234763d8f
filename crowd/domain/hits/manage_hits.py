"""Pause, resume, expire and extend published HITs, and add assignments.

Each change is stored here with its ledger entries, then sent to the marketplace by a sweep.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta

from django.db import transaction
from django.db.models import (
    Case,
    Count,
    DateTimeField,
    ExpressionWrapper,
    F,
    Q,
    QuerySet,
    Value,
    When,
)
from django.db.models.functions import Coalesce

from audit.domain.change_state import log_state_changes
from audit.errors import TouchstoneError
from crowd.domain.hits.sync_hits import POLL
from crowd.domain.money.hit_reservations import places_movement, release_unused
from crowd.domain.money.ledger import release_all, reserve_all
from crowd.domain.provider.providers import capabilities_of, hit_provider_of
from crowd.enums import HitState
from crowd.models import Assignment, Hit, Study
from crowd.providers.base import OutcomeUnknownError, ProviderRefusedError
from jobs.domain.lease import BATCH_SIZE
from jobs.domain.sweep import for_each_row

# In the past by any clock, so that the marketplace expires the HIT at once.
PAST_EXPIRATION = datetime(2020, 1, 1, tzinfo=UTC)
CHANGEABLE_STATES = [HitState.PENDING, HitState.LIVE]
AT_A_TIME = 500  # HITs locked together


class HitChangeError(TouchstoneError, ValueError):
    """The change is not possible with this HIT. Nothing was changed."""


def pause_hits(*, hits: QuerySet[Hit], now: datetime) -> int:
    """Hide the HITs, with their reservations, until they are resumed. Return how many."""
    # An extension that is not sent yet becomes the end to which the HIT is resumed.
    extended = Case(
        When(expiration_wanted__gt=now, then=F("expiration_wanted")), default=F("ends_at")
    )
    return hits.filter(state__in=CHANGEABLE_STATES, paused_at=None).update(
        paused_at=now, expiration_wanted=now, ends_at=extended
    )


@transaction.atomic
def resume_hits(*, hits: QuerySet[Hit], now: datetime) -> int:
    """Publish paused HITs again for their remaining time. Return how many."""
    paused = hits.exclude(paused_at=None)
    count = 0
    # One update per lifetime, because SQLite cannot multiply a number by an interval.
    for lifetime in set(paused.values_list("lifetime_seconds", flat=True)):
        ends_at = _planned_end(timedelta(seconds=lifetime)) + (Value(now) - F("paused_at"))
        count += paused.filter(lifetime_seconds=lifetime).update(
            expiration_wanted=ExpressionWrapper(ends_at, output_field=DateTimeField()),
            paused_at=None,
        )
    return count


@transaction.atomic
def expire_hits(*, hits: QuerySet[Hit], actor: str, now: datetime) -> int:
    """Expire the HITs. Return how many.

    HITs that were never sent to the marketplace are withdrawn and their reservations released. Other
    reservations are released once no more work can be submitted.
    """
    count = 0
    for locked in _locked(hits.filter(state__in=CHANGEABLE_STATES)):
        published = [hit for hit in locked if hit.state in CHANGEABLE_STATES]
        count += _rows(published).update(paused_at=None, expiration_wanted=now)
        never_sent = [
            hit for hit in published if hit.state == HitState.PENDING and hit.attempted_at is None
        ]
        _rows(never_sent).update(state=HitState.WITHDRAWN, expiration_wanted=None)
        release_unused(hits=never_sent, now=now)
        log_state_changes(
            instances=never_sent, old="pending", new="withdrawn", actor=actor, now=now
        )
    return count


def extend_hit(*, hit: Hit, ends_at: datetime, now: datetime) -> bool:
    """Extend the HIT until `ends_at`. Return True if it changed. Raises BudgetExceededError."""
    return extend_hits(hits=_rows([hit]), ends_at=ends_at, now=now) > 0


@transaction.atomic
def extend_hits(*, hits: QuerySet[Hit], ends_at: datetime, now: datetime) -> int:
    """Extend all of the HITs until `ends_at`, or none. Return how many changed.

    Released reservations are made again. Raises BudgetExceededError.
    """
    if ends_at <= now:
        return 0
    count, states = 0, [HitState.LIVE, HitState.EXPIRED]
    can_be_extended = Q(state__in=states) | ~Q(increase_to=None)
    for locked in _locked(hits.filter(can_be_extended)):
        extended = [hit for hit in locked if hit.state in states or hit.increase_to]
        count += _rows(extended).update(expiration_wanted=ends_at, paused_at=None)
        _reopen([hit for hit in extended if hit.state == HitState.EXPIRED], now)
    return count


def _reopen(expired: Sequence[Hit], now: datetime) -> None:
    """Start another round for expired HITs and reserve its money."""
    assignments = Assignment.objects.filter(hit__in=expired).order_by().values_list("hit")
    submitted = dict(assignments.annotate(Count("pk")))
    movements = []
    for hit in expired:
        unused = max(0, hit.max_assignments - submitted.get(hit.pk, 0))
        key = f"reserve:hit:{hit.pk}:{hit.reservation_round + 1}"
        movements.append(places_movement(hit=hit, number=unused, key=key))
    reserve_all(movements=movements, now=now)
    _rows(expired).update(
        state=HitState.LIVE, reservation_round=F("reservation_round") + 1, sync_due_at=now
    )


def add_assignments(*, hit: Hit, number: int, now: datetime) -> None:
    """Add `number` assignments, for other workers. Raises BudgetExceededError, HitChangeError."""
    add_to_each(hits=Hit.objects.filter(pk=hit.pk), number=number, now=now)


@transaction.atomic
def add_to_each(*, hits: QuerySet[Hit], number: int, now: datetime) -> int:
    """Add `number` assignments to each of the HITs, or to none. Return how many HITs changed."""
    count = 0
    for locked in _locked(hits):
        for hit in locked:
            check_may_grow(hit, number)
            hit.reservation_round += 1
        movements = [
            places_movement(hit=hit, number=number, key=_increase_key("reserve", hit))
            for hit in locked
        ]
        reserve_all(movements=movements, now=now)
        count += _rows(locked).update(
            increase_to=F("max_assignments") + number, reservation_round=F("reservation_round") + 1
        )
    return count


def check_may_grow(hit: Hit, number: int) -> None:
    """Raise HitChangeError if the marketplace would not add the assignments."""
    if hit.external_id is None or hit.increase_to is not None:
        raise HitChangeError(
            f"{hit} isn't live yet, or has assignments being added. Try again later."
        )
    new = hit.max_assignments + number
    limit = capabilities_of(hit.hit_type.provider).assignments_without_surcharge
    if limit and hit.max_assignments <= limit < new:
        raise HitChangeError(
            f"{hit} was created with fewer than {limit + 1} assignments, so it can't have {new}. "
            "Publish the items again instead."
        )


def _increase_key(kind: str, hit: Hit) -> str:
    return f"{kind}:hit:{hit.pk}:{hit.reservation_round}+"


def _planned_end(lifetime: timedelta) -> Case:
    """Return an expression for the end before the pause, or NULL for a HIT not created yet."""
    first_end = ExpressionWrapper(F("created_at") + lifetime, output_field=DateTimeField())
    return Case(When(external_id=None, then=None), default=Coalesce("ends_at", first_end))


def _locked(hits: QuerySet[Hit]) -> Iterator[list[Hit]]:
    """Yield the HITs in locked batches, in a fixed order. Some may no longer match `hits`."""
    ids = list(hits.order_by("pk").values_list("pk", flat=True))
    rows = Hit.objects.select_for_update(of=("self",)).select_related("hit_type").order_by("pk")
    for start in range(0, len(ids), AT_A_TIME):
        yield list(rows.filter(pk__in=ids[start : start + AT_A_TIME]))


def _locked_one(hit: Hit) -> Hit:
    ((row,),) = _locked(_rows([hit]))
    return row


def _rows(hits: Sequence[Hit]) -> QuerySet[Hit]:
    return Hit.objects.filter(pk__in=[hit.pk for hit in hits])


def send_due_ends(*, clock: Callable[[], datetime], limit: int = BATCH_SIZE) -> int:
    """Send up to `limit` new ends. Return how many the marketplace accepted."""
    due = Hit.objects.to_move_end().select_related("hit_type")
    return for_each_row(
        sweep="move ends", rows=due, process=_move_end, clock=clock, limit=limit, leased=True
    )


def _move_end(hit: Hit, now: datetime) -> bool:
    ends_at = hit.expiration_wanted
    assert ends_at
    assert hit.external_id
    market = hit_provider_of(hit.hit_type.provider)
    unchanged = _rows([hit]).filter(expiration_wanted=ends_at)
    done = {"expiration_wanted": None, "leased_until": None, "sync_due_at": now}
    try:
        if hit.study_id is None:
            market.move_end(hit.external_id, ends_at if ends_at > now else PAST_EXPIRATION)
    except OutcomeUnknownError as error:
        _rows([hit]).update(error=str(error), leased_until=None)
        return False
    except ProviderRefusedError as refused:
        unchanged.update(error=str(refused), **done)
        return False
    # A pause expires the HIT at the marketplace but leaves ends_at as it is.
    end = hit.ends_at if hit.paused_at else ends_at
    moved = unchanged.filter(paused_at=hit.paused_at).update(ends_at=end, error="", **done)
    _check_study(hit, now)
    if not moved:
        _rows([hit]).update(leased_until=None)
    return bool(moved)


def _check_study(hit: Hit, now: datetime) -> None:
    """Have the next sweep adjust the places of the HIT's study."""
    if hit.study_id is not None:
        Study.objects.filter(pk=hit.study_id).update(sync_due_at=now)


def send_due_increases(*, clock: Callable[[], datetime], limit: int = BATCH_SIZE) -> int:
    """Send up to `limit` increases. Return how many the marketplace accepted."""
    due = Hit.objects.to_increase().select_related("hit_type")
    return for_each_row(
        sweep="increase HITs", rows=due, process=_increase, clock=clock, limit=limit, leased=True
    )


def _increase(hit: Hit, now: datetime) -> bool:
    assert hit.external_id
    assert hit.increase_to
    if hit.study_id is not None:
        _increased(hit, now)
        return True
    market = hit_provider_of(hit.hit_type.provider)
    try:
        missing = hit.increase_to - market.size_of(hit.external_id)
        if missing > 0:
            market.add_assignments(
                hit.external_id, number=missing, token=f"{hit.token[:55]}+{hit.increase_to}"
            )
    except OutcomeUnknownError as error:
        _rows([hit]).update(error=str(error), leased_until=None)
        return False
    except ProviderRefusedError as refused:
        return _increase_refused(hit, refused, now)
    _increased(hit, now)
    return True


@transaction.atomic
def _increased(hit: Hit, now: datetime) -> None:
    done = {"increase_to": None, "leased_until": None, "error": "", "sync_due_at": now + POLL}
    rows = _rows([hit])
    rows.filter(increase_to=hit.increase_to).update(max_assignments=hit.increase_to, **done)
    rows.filter(state=HitState.FINISHED).update(state=HitState.LIVE)
    _check_study(hit, now)
    row = _locked_one(hit)
    if row.state == HitState.EXPIRED:  # workers see no new assignments until the HIT is extended
        release_unused(hits=[row], now=now)


@transaction.atomic
def _increase_refused(hit: Hit, refused: ProviderRefusedError, now: datetime) -> bool:
    """Store a refusal. For a used token, leave the increase to be confirmed by the next sweep."""
    repeated = refused.code in ("hitalreadyextended", "duplicaterequest")
    changes = {} if repeated else {"increase_to": None}
    changed = Hit.objects.filter(pk=hit.pk, increase_to=hit.increase_to).update(
        error=str(refused), leased_until=None, **changes
    )
    if not changed or repeated:
        return False
    row = _locked_one(hit)
    if row.state == HitState.EXPIRED:  # expiry releases the new reservations as well
        release_unused(hits=[row], now=now)
        return False
    assert hit.increase_to
    number = hit.increase_to - hit.max_assignments
    movement = places_movement(hit=hit, number=number, key=_increase_key("release", hit))
    release_all(movements=[movement], now=now)
    return False
