"""HITs that are out already: paused, resumed, ended, offered longer, offered to more workers.

Each change is written here first, with its money, and told to the marketplace by a sweep.
"""

from collections.abc import Callable
from datetime import UTC, datetime

from django.db import transaction
from django.db.models import Case, F, QuerySet, When

from audit.domain.change_state import log_state_change
from crowd.domain.fees import MANY_ASSIGNMENTS
from crowd.domain.lease import BITE, take_leases
from crowd.domain.marketplace import marketplace_of
from crowd.domain.offer_money import release_places, release_unused, reserve_places
from crowd.domain.sync_hits import POLL
from crowd.enums import HitState
from crowd.models import Hit
from crowd.providers.base import ProviderInDoubt, ProviderRefused

# A time in the past by any clock: the marketplace ends the offer at once.
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
STEERABLE = [HitState.PENDING, HitState.LIVE]


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


def resume_hits(*, hits: QuerySet[Hit], now: datetime) -> int:
    """Offer paused HITs again, for as long as was left of their time; returns how many."""
    count = 0
    for pk in hits.exclude(paused_at=None).values_list("pk", flat=True):
        with transaction.atomic():
            hit = _locked(pk)
            if hit.paused_at is None:
                continue
            planned = _planned_end(hit)
            wanted = planned and planned + (now - hit.paused_at)
            Hit.objects.filter(pk=pk).update(paused_at=None, expiration_wanted=wanted)
            count += 1
    return count


def expire_hits(*, hits: QuerySet[Hit], actor: str, now: datetime) -> int:
    """Offer the HITs no longer; returns how many. One that was never asked for is withdrawn, and its
    money is free at once; of the others, once no work on them can come in any more."""
    count = 0
    for pk in hits.filter(state__in=STEERABLE).values_list("pk", flat=True):
        with transaction.atomic():
            count += _expire(_locked(pk), actor, now)
    return count


def _expire(hit: Hit, actor: str, now: datetime) -> bool:
    if hit.state not in STEERABLE:
        return False
    if hit.state == HitState.PENDING and hit.attempted_at is None:
        Hit.objects.filter(pk=hit.pk).update(
            state=HitState.WITHDRAWN, paused_at=None, expiration_wanted=None
        )
        release_unused(hit=hit, now=now)
        log_state_change(instance=hit, old="pending", new="withdrawn", actor=actor, now=now)
    else:
        Hit.objects.filter(pk=hit.pk).update(paused_at=None, expiration_wanted=now)
    return True


@transaction.atomic
def extend_hit(*, hit: Hit, ends_at: datetime, now: datetime) -> bool:
    """Offer the HIT until `ends_at`; says whether that changes anything. What had been given back for
    its places is set aside again. Raises BudgetExceeded."""
    hit = _locked(hit.pk)
    offered = hit.state in (HitState.LIVE, HitState.EXPIRED) or hit.increase_to
    if not offered or ends_at <= now:
        return False
    changes: dict[str, object] = {"expiration_wanted": ends_at, "paused_at": None}
    if hit.state == HitState.EXPIRED:
        hit.offer_round += 1
        unused = max(0, hit.max_assignments - hit.assignments.count())
        reserve_places(
            hit=hit, number=unused, key=f"reserve:hit:{hit.pk}:{hit.offer_round}", now=now
        )
        changes |= {"state": HitState.LIVE, "offer_round": hit.offer_round, "sync_due_at": now}
    Hit.objects.filter(pk=hit.pk).update(**changes)
    return True


@transaction.atomic
def extend_hits(*, hits: QuerySet[Hit], ends_at: datetime, now: datetime) -> int:
    """Offer the HITs until `ends_at`, those that are live in one statement; returns how many that
    changes. All or nothing. Raises BudgetExceeded."""
    if ends_at <= now:
        return 0
    live = hits.filter(state=HitState.LIVE).values_list("pk", flat=True)
    count = Hit.objects.filter(pk__in=list(live), state=HitState.LIVE).update(
        expiration_wanted=ends_at, paused_at=None
    )
    ended = hits.filter(state=HitState.EXPIRED).order_by("pk")
    return count + sum(extend_hit(hit=hit, ends_at=ends_at, now=now) for hit in ended)


@transaction.atomic
def add_assignments(*, hit: Hit, number: int, now: datetime) -> None:
    """Offer the HIT to `number` more workers; nobody who worked on it can take it again. Raises
    BudgetExceeded, and CanNotSteer where the marketplace would refuse."""
    hit = _locked(hit.pk)
    if hit.external_id is None or hit.increase_to is not None:
        raise CanNotSteer(f"{hit} isn't live yet, or is being raised already: try again later.")
    new = hit.max_assignments + number
    if hit.max_assignments < MANY_ASSIGNMENTS <= new:
        raise CanNotSteer(
            f"{hit} was created with fewer than {MANY_ASSIGNMENTS} assignments: "
            f"it can't be raised to {new}. Publish the items again instead."
        )
    hit.offer_round += 1
    reserve_places(hit=hit, number=number, key=_increase_key("reserve", hit), now=now)
    Hit.objects.filter(pk=hit.pk).update(increase_to=new, offer_round=hit.offer_round)


def _increase_key(kind: str, hit: Hit) -> str:
    return f"{kind}:hit:{hit.pk}:{hit.offer_round}+"


def _planned_end(hit: Hit) -> datetime | None:
    """The end of the offer as it was before the pause."""
    return hit.expires_at if hit.external_id else None


def _locked(pk: int) -> Hit:
    return Hit.objects.select_for_update(of=("self",)).select_related("hit_type").get(pk=pk)


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
    row = _locked(hit.pk)
    if row.state == HitState.EXPIRED:  # nobody sees the new places before the HIT is extended
        release_unused(hit=row, now=now)


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
    row = _locked(hit.pk)
    if row.state == HitState.EXPIRED:  # its end gave back the new places' money, or does so now
        release_unused(hit=row, now=now)
        return False
    assert hit.increase_to
    number = hit.increase_to - hit.max_assignments
    release_places(hit=hit, number=number, key=_increase_key("release", hit), now=now)
    return False
