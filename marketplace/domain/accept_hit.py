"""Acceptance of HITs by workers, either by group or by HIT.

On PostgreSQL, accepting from a group skips HITs that another request has locked. It waits for
them only if no other HIT is left. On SQLite the transaction holds the only write lock.
"""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import IntegrityError, connection, transaction

from marketplace.domain import maintenance, notifications
from marketplace.domain.errors import RefusalError
from marketplace.domain.faults import parse_faults
from marketplace.domain.find import find
from marketplace.domain.identifiers import new_code
from marketplace.domain.qualifications import held_by
from marketplace.domain.requirements import unmet
from marketplace.enums import LIVE, AssignmentStatus, Event, Guarded
from marketplace.models import Assignment, Hit, HitType, WorkerAccount, WorkerBlock

MOST_IN_PROGRESS = 25
#: A returned HIT is not offered again to the same worker for this long.
RETURN_PAUSE = timedelta(minutes=10)
ATTEMPTS = 5
# SQL, because every claim runs it and the ORM would compile it each time.
_NEXT_HIT = """
SELECT hit.id, hit.code, hit.external_url, hit.available, hit.pending, hit.reward_cents, hit.fee_cents
FROM marketplace_hit AS hit
WHERE hit.hit_type_id = %s AND hit.open AND hit.expires_at > %s
    AND NOT EXISTS (
        SELECT 1 FROM marketplace_assignment AS assignment
        WHERE assignment.hit_id = hit.id AND assignment.worker_id = %s AND (
            assignment.status IN ('Accepted', 'Submitted', 'Approved', 'Rejected')
            OR assignment.closed_at > %s
        )
    )
    {chosen}
ORDER BY hit.id
LIMIT 1
{lock}
"""


def accept_next(*, worker: WorkerAccount, hit_type_code: str, now: datetime) -> str | None:
    """Return a new assignment's id, or None if no HIT is left. Raise NotFoundError, RefusalError."""
    hit_type = _find_type(worker, hit_type_code)
    code = _accept_any(worker, hit_type, now)
    if code is None and maintenance.free_slots(hit_type=hit_type, now=now):
        code = _accept_any(worker, hit_type, now)
    return code


def accept_hit(*, worker: WorkerAccount, hit_code: str, now: datetime) -> str:
    """Return the id of the unfinished or a new assignment. Raise NotFoundError, RefusalError."""
    hit = find(Hit.objects.select_related("hit_type"), "HIT", hit_code)
    if code := _in_progress(worker, hit):
        return code
    hit_type = _find_type(worker, hit.hit_type.code)
    maintenance.free_slots(hit_type=hit_type, now=now)
    try:
        code = _accept(worker, hit_type, now, chosen=hit)
    except IntegrityError:
        code = _in_progress(worker, hit)
    if code is None:
        raise RefusalError("HITNotAvailable", "This HIT is no longer available.")
    return code


def find_open_hit(
    *,
    worker: WorkerAccount,
    hit_type: HitType,
    now: datetime,
    chosen: Hit | None = None,
    lock: str = "",
) -> Hit | None:
    """Return the HIT of the group that the worker would get as the next one, or the chosen HIT."""
    adapt = connection.ops.adapt_datetimefield_value
    pause = timedelta(0) if chosen else RETURN_PAUSE
    parameters = [hit_type.pk, adapt(now), worker.pk, adapt(now - pause)]
    statement = _NEXT_HIT.format(chosen="AND hit.id = %s" if chosen else "", lock=lock)
    hits = Hit.objects.raw(statement, [*parameters, chosen.pk] if chosen else parameters)
    return next(iter(hits), None)


def _lock(*, skip_locked: bool) -> str:
    """Return the clause that locks the HITs of a statement, where the database locks rows."""
    if not connection.features.has_select_for_update:
        return ""
    return connection.ops.for_update_sql(skip_locked=skip_locked)


def _find_type(worker: WorkerAccount, code: str) -> HitType:
    """Return the HIT type if the worker may accept HITs of it. Raise NotFoundError, RefusalError."""
    hit_type = find(HitType.objects.all(), "HITType", code)
    in_progress = worker.assignments.filter(status=AssignmentStatus.ACCEPTED).count()
    if in_progress >= MOST_IN_PROGRESS:
        raise RefusalError(
            "ExceedsMaxAssignmentsPerWorker",
            f"You have {MOST_IN_PROGRESS} HITs in progress. Finish or return one first.",
        )
    if WorkerBlock.objects.filter(requester=hit_type.requester_id, worker=worker).exists():
        raise RefusalError("PermissionDeniedException", "This requester has blocked you.")
    _check_qualified(worker, hit_type)
    return hit_type


def _check_qualified(worker: WorkerAccount, hit_type: HitType) -> None:
    if not hit_type.requirements:
        return
    held = held_by(worker, hit_type.requirements)
    if lacking := unmet(hit_type.requirements, held, action=Guarded.ACCEPT):
        codes = ", ".join(requirement["QualificationTypeId"] for requirement in lacking)
        raise RefusalError(
            "DoesNotMeetRequirements",
            f"This HIT requires qualifications that you do not have: {codes}.",
        )


def _accept_any(worker: WorkerAccount, hit_type: HitType, now: datetime) -> str | None:
    for _ in range(ATTEMPTS):
        try:
            skipping = _accept(worker, hit_type, now, skip_locked=True)
            return skipping or _accept(worker, hit_type, now)
        except IntegrityError:
            continue  # the same worker accepted the same HIT in another window
    return None


@transaction.atomic
def _accept(
    worker: WorkerAccount,
    hit_type: HitType,
    now: datetime,
    *,
    skip_locked: bool = False,
    chosen: Hit | None = None,
) -> str | None:
    """Create an assignment of the next open HIT of the group, or of the chosen HIT."""
    lock = _lock(skip_locked=skip_locked)
    hit = find_open_hit(worker=worker, hit_type=hit_type, now=now, chosen=chosen, lock=lock)
    if hit is None:
        return None
    hit.available -= 1
    hit.pending += 1
    hit.open = hit.available > 0
    hit.save(update_fields=["available", "pending", "open"])
    assignment = Assignment.objects.create(
        code=new_code(),
        hit=hit,
        hit_type=hit_type,
        worker=worker,
        reward_cents=hit.reward_cents,
        fee_cents=hit.fee_cents,
        accepted_at=now,
        deadline_at=now + timedelta(seconds=hit_type.duration_seconds),
    )
    if settings.MARKETPLACE_FAULTS:
        _reuse_code(assignment)
    hit.hit_type = hit_type
    notifications.record(Event.ACCEPTED, hit, assignment_code=assignment.code, now=now)
    return assignment.code


def _in_progress(worker: WorkerAccount, hit: Hit) -> str | None:
    """Return the worker's unfinished assignment, or None. Raise RefusalError if it is done."""
    assignment = Assignment.objects.filter(hit=hit, worker=worker, status__in=LIVE).first()
    if assignment is None:
        return None
    if assignment.status != AssignmentStatus.ACCEPTED:
        raise RefusalError("AssignmentAlreadyExists", "You have already done this HIT.")
    return assignment.code


def _reuse_code(assignment: Assignment) -> None:
    """Apply the fault `reuse_assignment_ids` by reusing another worker's returned assignment id."""
    returned = Assignment.objects.filter(
        hit=assignment.hit, status__in=(AssignmentStatus.RETURNED, AssignmentStatus.ABANDONED)
    )
    former = returned.exclude(worker=assignment.worker).first()
    if former is None or not parse_faults(settings.MARKETPLACE_FAULTS).happens(
        "reuse_assignment_ids"
    ):
        return
    assignment.code, former.code = former.code, new_code()
    former.save(update_fields=["code"])
    assignment.save(update_fields=["code"])
