"""Finished work, fetched from the marketplace. Notifications and pages only hasten it."""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from django.db import transaction

from crowd.domain.decide_assignment import take_their_decision
from crowd.domain.lease import BITE, take_leases
from crowd.domain.marketplace import marketplace_of
from crowd.domain.offer_money import release_unused
from crowd.domain.register_worker import register_worker
from crowd.enums import AssignmentState, HitState
from crowd.models import Assignment, Hit
from crowd.providers.base import ConfirmedAssignment, ProviderInDoubt, ProviderRefused
from database.statements import Statement

# How long a HIT rests while nobody says that work on it is finished, and after a look in doubt.
POLL = timedelta(hours=1)
RETRY = timedelta(seconds=15)
# The shortest rest while finished work that somebody spoke of isn't listed yet.
SOON = timedelta(seconds=1)
# A worker may submit at the last moment of an assignment accepted at the HIT's last moment.
GRACE = timedelta(hours=1)
# How long a claim to finished work on an expired HIT keeps us looking.
PATIENCE = timedelta(days=1)
# How long after its time the marketplace's own approval is sure to be there.
SETTLING = timedelta(minutes=5)


def hasten_sync(*, hit_id: int, now: datetime) -> None:
    """Have the HIT looked at by the next sweep: somebody says that work on it is finished.

    Also a HIT that we still hold for pending: the process that made it may have died before it could
    say so, and workers don't wait for us.
    """
    _HASTEN.run({"hit": hit_id, "now": now})


#: The statement of `hasten_sync`, for whoever does it within a larger one: `hit`, `now`.
HASTEN_SYNC = """
UPDATE crowd_hit
SET sync_due_at = %(now)s, claimed_at = %(now)s, claimed_assignments = claimed_assignments + 1
WHERE id = %(hit)s AND state IN ('pending', 'live', 'expired')
"""
_HASTEN = Statement(HASTEN_SYNC)


def look_soon(*, external_ids: Iterable[str], now: datetime) -> int:
    """Have the HITs looked at by the next sweep, whatever their state; returns how many are ours.
    Whoever asks for it learns nothing and changes nothing else."""
    return Hit.objects.filter(external_id__in=list(external_ids)).update(sync_due_at=now)


def sync_due_hits(*, clock: Callable[[], datetime], limit: int = BITE) -> int:
    """Look at up to `limit` HITs that are due; returns how many assignments were new."""
    now = clock()
    due = Hit.objects.to_sync(now).select_related("hit_type")
    return sum(sync_hit(hit=hit, now=clock()) for hit in take_leases(due, now=now, limit=limit))


def sync_hit(*, hit: Hit, now: datetime) -> int:
    """Fetch the HIT's assignments; returns how many were new."""
    assert hit.external_id
    try:
        found = list(marketplace_of(hit.hit_type.provider).list_assignments(hit.external_id))
    except (ProviderInDoubt, ProviderRefused) as error:
        Hit.objects.filter(pk=hit.pk).update(
            error=str(error), sync_due_at=now + RETRY, leased_until=None
        )
        return 0
    new = sum(_store(hit, one, now) for one in found)
    _schedule(hit, len(found), now)
    return new


@transaction.atomic
def _store(hit: Hit, one: ConfirmedAssignment, now: datetime) -> bool:
    worker = register_worker(provider=hit.hit_type.provider, external_id=one.worker, now=now)
    row, created = Assignment.objects.get_or_create(
        external_id=one.external_id,
        worker=worker,
        defaults={
            "hit": hit,
            "answer": one.answer,
            "accepted_at": one.accepted_at,
            "submitted_at": one.submitted_at,
        },
    )
    if one.state not in (AssignmentState.SUBMITTED, row.state):
        take_their_decision(assignment=row, theirs=one.state, now=now)
    return created


def _schedule(hit: Hit, found: int, now: datetime) -> None:
    changes: dict[str, object] = {"leased_until": None, "error": ""}
    if found >= (hit.increase_to or hit.max_assignments):
        changes |= {"state": HitState.FINISHED, "sync_due_at": _next_decision(hit, now)}
    elif hit.state == HitState.LIVE and not hit.paused_at and now > _last_moment(hit):
        changes |= {"state": HitState.EXPIRED, "sync_due_at": _next_decision(hit, now)}
    elif hit.state == HitState.EXPIRED and not _awaits_claims(hit, found, now):
        changes["sync_due_at"] = _next_decision(hit, now)
    else:
        changes["sync_due_at"] = now + _rest(hit, found, now)
    seen = Hit.objects.filter(
        pk=hit.pk,
        claimed_assignments=hit.claimed_assignments,
        offer_round=hit.offer_round,
        paused_at=hit.paused_at,
        ends_at=hit.ends_at,
        expiration_wanted=hit.expiration_wanted,
        max_assignments=hit.max_assignments,
        increase_to=hit.increase_to,
    )
    with transaction.atomic():
        if not seen.update(**changes):
            # Somebody spoke up, or moved the HIT's end, while we looked: it stays due.
            Hit.objects.filter(pk=hit.pk).update(leased_until=None)
        elif changes.get("state") == HitState.EXPIRED:
            release_unused(hits=[hit], now=now)


def _next_decision(hit: Hit, now: datetime) -> datetime | None:
    """When the marketplace will decide what nobody has decided here: then we look again."""
    first = hit.assignments.filter(state=AssignmentState.SUBMITTED).order_by("submitted_at").first()
    if first is None:
        return None
    decided_at = first.submitted_at + timedelta(seconds=hit.hit_type.auto_approval_seconds)
    return max(decided_at + SETTLING, now + POLL)


def _awaits_claims(hit: Hit, found: int, now: datetime) -> bool:
    """Whether somebody said, not long ago, to have finished work that isn't listed."""
    spoken = hit.claimed_at is not None and now - hit.claimed_at < PATIENCE
    return spoken and found < hit.claimed_assignments


def _rest(hit: Hit, found: int, now: datetime) -> timedelta:
    """Lists lag behind submissions, and claims may be idle: look again ever more slowly."""
    if found >= hit.claimed_assignments or hit.claimed_at is None:
        return POLL
    return min(POLL, max(SOON, now - hit.claimed_at))


def _last_moment(hit: Hit) -> datetime:
    assert hit.expires_at
    return hit.expires_at + timedelta(seconds=hit.hit_type.assignment_seconds) + GRACE
