"""What time brings about: HITs expire, work is abandoned, results are approved, old HITs go.

Each is done when someone looks (the functions that take a HIT or a group) and, for what nobody
looks at, by the sweep.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction

from marketplace.domain import hits, review, work
from marketplace.enums import AssignmentStatus
from marketplace.models import (
    Assignment,
    Hit,
    HitType,
    LoginFailure,
    Notification,
    RequestToken,
    WorkerSession,
)

DISPOSE_AFTER = timedelta(days=120)
FORGET_AFTER = timedelta(days=30)
BATCH = 500


def free_places(*, hit_type: HitType, now: datetime) -> int:
    """Closes expired HITs of a group and takes back overdue work; the number of places freed."""
    expire_hits(now=now, hit_type=hit_type)
    return abandon_overdue(now=now, hit_type=hit_type)


def settle_hit(hit: Hit, *, now: datetime) -> bool:
    """Brings one HIT up to date; True when something changed."""
    changed = 0
    if hit.pending:
        changed += abandon_overdue(now=now, hit=hit)
    if hit.submitted:
        changed += approve_due(now=now, hit=hit)
    if not hit.expiry_noted and hit.expires_at <= now and hit.disposed_at is None:
        changed += _expire([hit.pk], now)
    return changed > 0


def expire_hits(*, now: datetime, hit_type: HitType | None = None, limit: int = BATCH) -> int:
    past = Hit.objects.filter(expires_at__lte=now, expiry_noted=False, disposed_at__isnull=True)
    if hit_type is not None:
        past = past.filter(hit_type=hit_type)
    return _expire(past.values_list("pk", flat=True)[:limit], now)


def abandon_overdue(
    *,
    now: datetime,
    hit_type: HitType | None = None,
    hit: Hit | None = None,
    limit: int = BATCH,
) -> int:
    """Takes back work whose time is over (with `work.GRACE` for what is on its way)."""
    overdue = Assignment.objects.filter(
        status=AssignmentStatus.ACCEPTED, deadline_at__lte=now - work.GRACE
    )
    if hit_type is not None:
        overdue = overdue.filter(hit_type=hit_type)
    if hit is not None:
        overdue = overdue.filter(hit=hit)
    codes = list(overdue.values_list("pk", flat=True)[:limit])
    return sum(work.abandon(assignment_pk=pk, now=now) for pk in codes)


def approve_due(*, now: datetime, hit: Hit | None = None, limit: int = BATCH) -> int:
    """Approves results that their requester has not decided in time."""
    waiting = Assignment.objects.filter(status=AssignmentStatus.SUBMITTED, auto_approve_at__lte=now)
    if hit is not None:
        waiting = waiting.filter(hit=hit)
    pks = list(waiting.values_list("pk", flat=True)[:limit])
    return sum(review.auto_approve(assignment_pk=pk, now=now) for pk in pks)


def dispose_old(*, now: datetime, limit: int = BATCH) -> int:
    """HITs are disposed of 120 days after their end, once everything is decided."""
    old = Hit.objects.filter(
        disposed_at__isnull=True,
        expires_at__lte=now - DISPOSE_AFTER,
        expiry_noted=True,
        pending=0,
        submitted=0,
    )
    done = 0
    for pk in list(old.values_list("pk", flat=True)[:limit]):
        with transaction.atomic():
            hit = Hit.objects.select_for_update(of=("self",)).select_related("hit_type").get(pk=pk)
            if hit.disposed_at is None and not hit.pending and not hit.submitted:
                hits.dispose(hit, now=now)
                done += 1
    return done


def forget_old(*, now: datetime) -> None:
    """Drops rows that nothing asks for any more."""
    WorkerSession.objects.filter(expires_at__lte=now).delete()
    LoginFailure.objects.filter(at__lte=now - timedelta(days=1)).delete()
    RequestToken.objects.filter(created_at__lte=now - FORGET_AFTER).delete()
    Notification.objects.filter(delivered_at__lte=now - FORGET_AFTER).delete()


def settle_all(*, now: datetime) -> dict[str, int]:
    """One pass over everything that is due; the counts of what was done."""
    counts = {
        "abandoned": abandon_overdue(now=now),
        "expired": expire_hits(now=now),
        "approved": approve_due(now=now),
        "disposed": dispose_old(now=now),
    }
    forget_old(now=now)
    return counts


def _expire(pks: Iterable[int], now: datetime) -> int:
    done = 0
    for pk in list(pks):
        with transaction.atomic():
            hit = Hit.objects.select_for_update(of=("self",)).select_related("hit_type").get(pk=pk)
            if hit.expires_at <= now and not hit.expiry_noted:
                hits.note_expiry(hit, now=now)
                done += 1
    return done
