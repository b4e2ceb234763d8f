"""HITs that are out already: paused, resumed, ended, offered longer, offered to more workers.

Each change is written here first, with its money, and told to the marketplace by a sweep.
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
from crowd.domain.fees import MANY_ASSIGNMENTS
from crowd.domain.lease import BITE, take_leases
from crowd.domain.ledger import release_all, reserve_all
from crowd.domain.marketplace import marketplace_of
from crowd.domain.offer_money import places, release_unused
from crowd.domain.sync_hits import POLL
from crowd.enums import HitState
from crowd.models import Assignment, Hit
from crowd.providers.base import ProviderInDoubt, ProviderRefused

# A time in the past by any clock: the marketplace ends the offer at once.
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
STEERABLE = [HitState.PENDING, HitState.LIVE]
AT_A_TIME = 500  # of the HITs that one order changes


class CanNotSteer(ValueError):
    """What was asked for is not possible with this HIT; nothing was changed."""


def pause_hits(*, hits: QuerySet[Hit], now: datetime) -> int:
    """Take the HITs from the workers' lists for the time being; returns how many. Work that has been
    accepted goes on, and the money stays set aside."""
    # An extension that is still on its way is what the HIT goes by once it is resumed.
    extended = Case(
        When(expiration_wanted__gt=now, then=F("expiration_wanted")), default=F("ends_at")
    )
    return hits.filter(state__in=STEERABLE, paused_at=None).update(
        paused_at=now, expiration_wanted=now, ends_at=extended
    )


@transaction.atomic
def resume_hits(*, hits: QuerySet[Hit], now: datetime) -> int:
    """Offer paused HITs again, for as long as was left of their time; returns how many."""
    paused = hits.exclude(paused_at=None)
    count = 0
    # Most batches have one lifetime. Multiplied by the database it would not be one on SQLite.
    for lifetime in set(paused.values_list("lifetime_seconds", flat=True)):
        wanted = _planned_end(timedelta(seconds=lifetime)) + (Value(now) - F("paused_at"))
        count += paused.filter(lifetime_seconds=lifetime).update(
            expiration_wanted=ExpressionWrapper(wanted, output_field=DateTimeField()),
            paused_at=None,
        )
    return count


@transaction.atomic
def expire_hits(*, hits: QuerySet[Hit], actor: str, now: datetime) -> int:
    """Offer the HITs no longer; returns how many. One that was never asked for is withdrawn, and its
    money is free at once; of the others, once no work on them can come in any more."""
    count = 0
    for locked in _locked(hits.filter(state__in=STEERABLE)):
        offered = [hit for hit in locked if hit.state in STEERABLE]
        never_asked_for = [
            hit for hit in offered if hit.state == HitState.PENDING and hit.attempted_at is None
        ]
        _rows(offered).update(paused_at=None, expiration_wanted=now)
        _withdraw(never_asked_for, actor, now)
        count += len(offered)
    return count


def _withdraw(hits: Sequence[Hit], actor: str, now: datetime) -> None:
    _rows(hits).update(state=HitState.WITHDRAWN, expiration_wanted=None)
    release_unused(hits=hits, now=now)
    log_state_changes(instances=hits, old="pending", new="withdrawn", actor=actor, now=now)


def extend_hit(*, hit: Hit, ends_at: datetime, now: datetime) -> bool:
    """Offer the HIT until `ends_at`; says whether that changes anything. Raises BudgetExceeded."""
    return extend_hits(hits=Hit.objects.filter(pk=hit.pk), ends_at=ends_at, now=now) > 0


@transaction.atomic
def extend_hits(*, hits: QuerySet[Hit], ends_at: datetime, now: datetime) -> int:
    """Offer the HITs until `ends_at`; returns how many that changes. What had been given back for
    their places is set aside again. All or nothing. Raises BudgetExceeded."""
    if ends_at <= now:
        return 0
    count = 0
    is_offered = Q(state__in=[HitState.LIVE, HitState.EXPIRED]) | ~Q(increase_to=None)
    for locked in _locked(hits.filter(is_offered)):
        offered = [
            hit
            for hit in locked
            if hit.state in (HitState.LIVE, HitState.EXPIRED) or hit.increase_to
        ]
        _rows(offered).update(expiration_wanted=ends_at, paused_at=None)
        _offer_again([hit for hit in offered if hit.state == HitState.EXPIRED], now)
        count += len(offered)
    return count


def _offer_again(ended: Sequence[Hit], now: datetime) -> None:
    """Another round of offers, with money of its own, for HITs that had ended."""
    handed_in = Assignment.objects.filter(hit__in=ended).order_by().values_list("hit")
    taken = dict(handed_in.annotate(Count("pk")))
    movements = []
    for hit in ended:
        unused = max(0, hit.max_assignments - taken.get(hit.pk, 0))
        key = f"reserve:hit:{hit.pk}:{hit.offer_round + 1}"
        movements.append(places(hit=hit, number=unused, key=key))
    reserve_all(movements=movements, now=now)
    _rows(ended).update(state=HitState.LIVE, offer_round=F("offer_round") + 1, sync_due_at=now)


def add_assignments(*, hit: Hit, number: int, now: datetime) -> None:
    """Offer the HIT to `number` more workers; nobody who worked on it can take it again. Raises
    BudgetExceeded, and CanNotSteer where the marketplace would refuse."""
    add_to_each(hits=Hit.objects.filter(pk=hit.pk), number=number, now=now)


@transaction.atomic
def add_to_each(*, hits: QuerySet[Hit], number: int, now: datetime) -> int:
    """The same for many HITs, all or nothing; returns how many."""
    count = 0
    for locked in _locked(hits):
        for hit in locked:
            _require_room(hit, number)
            hit.offer_round += 1
        movements = [
            places(hit=hit, number=number, key=_increase_key("reserve", hit)) for hit in locked
        ]
        reserve_all(movements=movements, now=now)
        count += _rows(locked).update(
            increase_to=F("max_assignments") + number, offer_round=F("offer_round") + 1
        )
    return count


def _require_room(hit: Hit, number: int) -> None:
    """Raises CanNotSteer where the marketplace would not raise the HIT so far."""
    if hit.external_id is None or hit.increase_to is not None:
        raise CanNotSteer(f"{hit} isn't live yet, or is being raised already: try again later.")
    new = hit.max_assignments + number
    if hit.max_assignments < MANY_ASSIGNMENTS <= new:
        raise CanNotSteer(
            f"{hit} was created with fewer than {MANY_ASSIGNMENTS} assignments: "
            f"it can't be raised to {new}. Publish the items again instead."
        )


def _increase_key(kind: str, hit: Hit) -> str:
    return f"{kind}:hit:{hit.pk}:{hit.offer_round}+"


def _planned_end(lifetime: timedelta) -> Case:
    """The end of the offer as it was before the pause; none for a HIT that is still to be made."""
    made_to = ExpressionWrapper(F("created_at") + lifetime, output_field=DateTimeField())
    return Case(When(external_id=None, then=None), default=Coalesce("ends_at", made_to))


def _locked(hits: QuerySet[Hit]) -> Iterator[list[Hit]]:
    """The HITs, so many at a time, their rows locked in one order for everybody. What they were found
    by may have changed until they were."""
    found = list(hits.order_by("pk").values_list("pk", flat=True))
    rows = Hit.objects.select_for_update(of=("self",)).select_related("hit_type").order_by("pk")
    for start in range(0, len(found), AT_A_TIME):
        yield list(rows.filter(pk__in=found[start : start + AT_A_TIME]))


def _locked_one(hit: Hit) -> Hit:
    ((row,),) = _locked(_rows([hit]))
    return row


def _rows(hits: Sequence[Hit]) -> QuerySet[Hit]:
    return Hit.objects.filter(pk__in=[hit.pk for hit in hits])


# --- told to the marketplace -------------------------------------------------------------------


def send_due_ends(*, clock: Callable[[], datetime], limit: int = BITE) -> int:
    """Tell the marketplace of up to `limit` new ends; returns how many it took."""
    due = Hit.objects.to_move_end().select_related("hit_type")
    return sum(_move_end(hit, clock()) for hit in take_leases(due, now=clock(), limit=limit))


def _move_end(hit: Hit, now: datetime) -> bool:
    wanted = hit.expiration_wanted
    assert wanted
    assert hit.external_id
    market = marketplace_of(hit.hit_type.provider)
    try:
        market.move_end(hit.external_id, wanted if wanted > now else LONG_AGO)
    except ProviderInDoubt as doubt:
        Hit.objects.filter(pk=hit.pk).update(error=str(doubt), leased_until=None)
        return False
    except ProviderRefused as refused:
        Hit.objects.filter(pk=hit.pk, expiration_wanted=wanted).update(
            error=str(refused), expiration_wanted=None, leased_until=None, sync_due_at=now
        )
        return False
    # A pause is not the end that a resumed HIT goes by.
    kept = hit.ends_at if hit.paused_at else wanted
    moved = Hit.objects.filter(pk=hit.pk, expiration_wanted=wanted, paused_at=hit.paused_at).update(
        expiration_wanted=None, ends_at=kept, leased_until=None, error="", sync_due_at=now
    )
    if not moved:
        Hit.objects.filter(pk=hit.pk).update(leased_until=None)
    return bool(moved)


def send_due_increases(*, clock: Callable[[], datetime], limit: int = BITE) -> int:
    """Raise up to `limit` HITs to their new number of assignments; returns how many were."""
    due = Hit.objects.to_increase().select_related("hit_type")
    return sum(_increase(hit, clock()) for hit in take_leases(due, now=clock(), limit=limit))


def _increase(hit: Hit, now: datetime) -> bool:
    assert hit.external_id
    assert hit.increase_to
    market = marketplace_of(hit.hit_type.provider)
    try:
        missing = hit.increase_to - market.size_of(hit.external_id)
        if missing > 0:
            market.add_assignments(
                hit.external_id, number=missing, token=f"{hit.token[:55]}+{hit.increase_to}"
            )
    except ProviderInDoubt as doubt:
        Hit.objects.filter(pk=hit.pk).update(error=str(doubt), leased_until=None)
        return False
    except ProviderRefused as refused:
        return _increase_refused(hit, refused, now)
    _increased(hit, now)
    return True


@transaction.atomic
def _increased(hit: Hit, now: datetime) -> None:
    Hit.objects.filter(pk=hit.pk, increase_to=hit.increase_to).update(
        max_assignments=hit.increase_to,
        increase_to=None,
        leased_until=None,
        error="",
        sync_due_at=now + POLL,
    )
    Hit.objects.filter(pk=hit.pk, state=HitState.FINISHED).update(state=HitState.LIVE)
    row = _locked_one(hit)
    if row.state == HitState.EXPIRED:  # nobody sees the new places before the HIT is extended
        release_unused(hits=[row], now=now)


@transaction.atomic
def _increase_refused(hit: Hit, refused: ProviderRefused, now: datetime) -> bool:
    """A repeat of a token is answered by an error: then the next look finds the HIT raised."""
    repeated = refused.code in ("hitalreadyextended", "duplicaterequest")
    left = {} if repeated else {"increase_to": None}
    changed = Hit.objects.filter(pk=hit.pk, increase_to=hit.increase_to).update(
        error=str(refused), leased_until=None, **left
    )
    if not changed or repeated:
        return False
    row = _locked_one(hit)
    if row.state == HitState.EXPIRED:  # its end gave back the new places' money, or does so now
        release_unused(hits=[row], now=now)
        return False
    assert hit.increase_to
    number = hit.increase_to - hit.max_assignments
    back = places(hit=hit, number=number, key=_increase_key("release", hit))
    release_all(movements=[back], now=now)
    return False
