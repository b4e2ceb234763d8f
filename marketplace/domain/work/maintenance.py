"""Time-based transitions of HITs and assignments.

HITs expire, overdue assignments are abandoned, undecided ones are approved and old HITs are
disposed of. A request applies the transitions of its own HIT or group. `run_due` applies the rest.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from jobs.domain.sweep import for_each_row
from marketplace.domain.answer_document import GRACE
from marketplace.domain.hits import hits
from marketplace.domain.hits.saved_searches import notify_searches
from marketplace.domain.work import review, work
from marketplace.domain.work.review_policies.apply import apply_policies, due_hits
from marketplace.enums import AssignmentStatus
from marketplace.models import (
    Assignment,
    Hit,
    HitType,
    LoginFailure,
    Notification,
    RequesterSession,
    RequestToken,
    WorkerSession,
)

DISPOSE_AFTER = timedelta(days=120)
FORGET_AFTER = timedelta(days=30)
BATCH = 500


def free_places(*, hit_type: HitType, now: datetime) -> int:
    """Expire HITs and abandon overdue assignments of a group. Return the number abandoned."""
    expire_hits(now=now, hit_type=hit_type)
    return abandon_overdue(now=now, hit_type=hit_type)


def settle_hit(hit: Hit, *, now: datetime) -> bool:
    """Apply the transitions of a HIT. Return True if anything changed."""
    changed = 0
    if hit.pending:
        changed += abandon_overdue(now=now, hit=hit)
    if not hit.expiry_noted and hit.expires_at <= now and hit.disposed_at is None:
        changed += expire_hits(now=now, pk=hit.pk)
    if hit.has_review_policies:  # first, so that an approval has the policy's reason
        changed += apply_review_policies(now=now, pk=hit.pk)
    if hit.submitted:
        changed += approve_due(now=now, hit=hit)
    return changed > 0


def expire_hits(*, now: datetime, **scope: Any) -> int:
    """Close HITs that have expired, limited to those that match `scope`. Return how many."""
    expired = Hit.objects.filter(expires_at__lte=now, expiry_noted=False, disposed_at=None, **scope)
    return _process("expire HITs", expired, lambda pk: _note_expiry(pk, now), now)


def abandon_overdue(*, now: datetime, **scope: Any) -> int:
    """Abandon assignments past their deadline and `GRACE`. Return how many."""
    overdue = Assignment.objects.filter(
        status=AssignmentStatus.ACCEPTED, deadline_at__lte=now - GRACE, **scope
    )
    return _process(
        "abandon assignments", overdue, lambda pk: work.abandon(assignment_pk=pk, now=now), now
    )


def approve_due(*, now: datetime, **scope: Any) -> int:
    """Approve assignments that the requester did not decide in time. Return how many."""
    due = Assignment.objects.filter(
        status=AssignmentStatus.SUBMITTED, auto_approve_at__lte=now, **scope
    )
    return _process(
        "approve assignments", due, lambda pk: review.auto_approve(assignment_pk=pk, now=now), now
    )


def apply_review_policies(*, now: datetime, **scope: Any) -> int:
    """Review what is due, limited to HITs that match `scope`. Return the number of HITs reviewed."""
    return _process(
        "apply review policies",
        due_hits().filter(**scope),
        lambda pk: apply_policies(hit_pk=pk, now=now),
        now,
    )


def dispose_old(*, now: datetime) -> int:
    """Dispose of fully decided HITs 120 days after their expiration. Return how many."""
    old = Hit.objects.filter(
        disposed_at=None,
        expires_at__lte=now - DISPOSE_AFTER,
        expiry_noted=True,
        pending=0,
        submitted=0,
    )
    return _process("dispose of HITs", old, lambda pk: _dispose(pk, now), now)


def _process(sweep: str, due: QuerySet[Any], process: Callable[[int], bool], now: datetime) -> int:
    return for_each_row(
        sweep=sweep,
        rows=due.only("pk"),
        process=lambda row, _: process(row.pk),
        clock=lambda: now,
        limit=BATCH,
    )


@transaction.atomic
def _dispose(pk: int, now: datetime) -> bool:
    hit = Hit.objects.select_for_update(of=("self",)).select_related("hit_type").get(pk=pk)
    is_due = hit.disposed_at is None and not hit.pending and not hit.submitted
    if is_due:
        hits.dispose(hit, now=now)
    return is_due


def forget_old(*, now: datetime) -> None:
    """Delete expired sessions and old login failures, request tokens and notifications."""
    WorkerSession.objects.filter(expires_at__lte=now).delete()
    RequesterSession.objects.filter(expires_at__lte=now).delete()
    LoginFailure.objects.filter(at__lte=now - timedelta(days=1)).delete()
    RequestToken.objects.filter(created_at__lte=now - FORGET_AFTER).delete()
    Notification.objects.filter(delivered_at__lte=now - FORGET_AFTER).delete()
    Notification.objects.filter(given_up_at__lte=now - FORGET_AFTER).delete()


def run_due(*, now: datetime) -> dict[str, int]:
    """Apply all transitions that are due. Return their counts by name."""
    counts = {
        "abandoned": abandon_overdue(now=now),
        "expired": expire_hits(now=now),
        "reviewed": apply_review_policies(now=now),
        "approved": approve_due(now=now),
        "disposed": dispose_old(now=now),
        "notified": notify_searches(now=now),
    }
    forget_old(now=now)
    return counts


@transaction.atomic
def _note_expiry(pk: int, now: datetime) -> bool:
    hit = Hit.objects.select_for_update(of=("self",)).select_related("hit_type").get(pk=pk)
    is_due = hit.expires_at <= now and not hit.expiry_noted
    if is_due:
        hits.note_expiry(hit, now=now)
    return is_due
