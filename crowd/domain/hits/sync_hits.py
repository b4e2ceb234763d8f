"""Fetch submitted assignments by polling. Notifications and pages only trigger an early sync."""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from django.db import transaction

from crowd.domain.money.decide_assignment import apply_provider_decision
from crowd.domain.money.hit_reservations import release_unused
from crowd.domain.provider.providers import hit_provider_of
from crowd.domain.workers.register_worker import register_worker
from crowd.enums import AssignmentState, HitState
from crowd.models import Assignment, Hit
from crowd.providers.base import ConfirmedAssignment, OutcomeUnknownError, ProviderRefusedError
from database import statements
from jobs.domain.lease import BATCH_SIZE
from jobs.domain.sweep import for_each_row

# The interval between polls if no submission was reported.
POLL = timedelta(hours=1)
# The interval after a failed poll.
RETRY = timedelta(seconds=15)
# The shortest interval while a reported submission is not listed yet.
SOON = timedelta(seconds=1)
# The time after which no submission can arrive, beyond the last assignment's deadline.
GRACE = timedelta(hours=1)
# The time for which an expired HIT is polled after a submission was reported.
LATE_SUBMISSION_WINDOW = timedelta(days=1)
# The fields whose change during a sync leaves the HIT due.
WATCHED = (
    "reported_submissions", "reservation_round", "paused_at", "ends_at", "expiration_wanted",
    "max_assignments", "increase_to",
)  # fmt: skip
# The delay after which an automatic approval is certain to be listed.
SETTLING = timedelta(minutes=5)

_REQUEST_SYNC = """
UPDATE crowd_hit
SET sync_due_at = %s, reported_at = %s, reported_submissions = reported_submissions + 1
WHERE id = %s AND state IN ('pending', 'live', 'expired')
"""


def request_sync(*, hit_id: int, now: datetime) -> None:
    """Request a sync of the HIT by the next sweep, because a page reported finished work.

    A HIT that is still pending here may be open to workers already: the process that created it
    may have died before it could record the result.
    """
    statements.execute(_REQUEST_SYNC, now, now, hit_id)


def schedule_sync(*, external_ids: Iterable[str], now: datetime) -> int:
    """Schedule a sync of the HITs by the next sweep, whatever their state. Return how many exist."""
    return Hit.objects.filter(external_id__in=list(external_ids)).update(sync_due_at=now)


def sync_due_hits(*, clock: Callable[[], datetime], limit: int = BATCH_SIZE) -> int:
    """Sync up to `limit` due HITs. Return how many assignments were new."""
    return for_each_row(
        sweep="sync HITs",
        rows=Hit.objects.to_sync(clock()).select_related("hit_type"),
        process=lambda hit, now: sync_hit(hit=hit, now=now),
        clock=clock,
        limit=limit,
        leased=True,
    )


def sync_hit(*, hit: Hit, now: datetime) -> int:
    """Fetch the HIT's assignments. Return how many were new."""
    assert hit.external_id
    if hit.study_id is not None:  # its assignments are recorded here first
        _schedule(hit, hit.assignments.count(), now)
        return 0
    try:
        listed = list(hit_provider_of(hit.hit_type.provider).list_assignments(hit.external_id))
    except (OutcomeUnknownError, ProviderRefusedError) as error:
        Hit.objects.filter(pk=hit.pk).update(
            error=str(error), sync_due_at=now + RETRY, leased_until=None
        )
        return 0
    new = sum(_store(hit, assignment, now) for assignment in listed)
    _schedule(hit, len(listed), now)
    return new


@transaction.atomic
def _store(hit: Hit, confirmed: ConfirmedAssignment, now: datetime) -> bool:
    worker = register_worker(provider=hit.hit_type.provider, external_id=confirmed.worker, now=now)
    row, created = Assignment.objects.get_or_create(
        external_id=confirmed.external_id,
        worker=worker,
        defaults={
            "hit": hit,
            "answer": confirmed.answer,
            "accepted_at": confirmed.accepted_at,
            "submitted_at": confirmed.submitted_at,
        },
    )
    if confirmed.state not in (AssignmentState.SUBMITTED, row.state):
        apply_provider_decision(assignment=row, provider_state=confirmed.state, now=now)
    return created


@transaction.atomic
def _schedule(hit: Hit, listed: int, now: datetime) -> None:
    changes: dict[str, object] = {"leased_until": None, "error": ""}
    if listed >= (hit.increase_to or hit.max_assignments):
        changes |= {"state": HitState.FINISHED, "sync_due_at": _next_decision(hit, now)}
    elif hit.state == HitState.LIVE and not hit.paused_at and now > _last_moment(hit):
        changes |= {"state": HitState.EXPIRED, "sync_due_at": _next_decision(hit, now)}
    elif hit.state == HitState.EXPIRED and not _awaits_reported(hit, listed, now):
        changes["sync_due_at"] = _next_decision(hit, now)
    else:
        changes["sync_due_at"] = now + _poll_interval(hit, listed, now)
    unchanged = Hit.objects.filter(pk=hit.pk, **{name: getattr(hit, name) for name in WATCHED})
    if not unchanged.update(**changes):
        # A report or a change of the HIT arrived during the sync, so the HIT stays due.
        Hit.objects.filter(pk=hit.pk).update(leased_until=None)
    elif changes.get("state") == HitState.EXPIRED:
        release_unused(hits=[hit], now=now)


def _next_decision(hit: Hit, now: datetime) -> datetime | None:
    """Return the time of the next sync after an automatic approval, or None."""
    first = hit.assignments.filter(state=AssignmentState.SUBMITTED).order_by("submitted_at").first()
    if first is None:
        return None
    decided_at = first.submitted_at + timedelta(seconds=hit.hit_type.auto_approval_seconds)
    return max(decided_at + SETTLING, now + POLL)


def _awaits_reported(hit: Hit, listed: int, now: datetime) -> bool:
    """Return True if a recently reported submission is not listed yet."""
    is_recent = hit.reported_at is not None and now - hit.reported_at < LATE_SUBMISSION_WINDOW
    return is_recent and listed < hit.reported_submissions


def _poll_interval(hit: Hit, listed: int, now: datetime) -> timedelta:
    """Return the time until the next poll, which grows with the age of an unconfirmed report."""
    if listed >= hit.reported_submissions or hit.reported_at is None:
        return POLL
    return min(POLL, max(SOON, now - hit.reported_at))


def _last_moment(hit: Hit) -> datetime:
    assert hit.expires_at
    return hit.expires_at + timedelta(seconds=hit.hit_type.assignment_seconds) + GRACE
