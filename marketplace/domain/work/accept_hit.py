"""Acceptance of HITs by workers, either by group or by HIT.

On PostgreSQL, accepting from a group skips HITs that another request has locked. It waits for
them only if no other HIT is left. On SQLite the transaction holds the only write lock.
"""

from datetime import datetime, timedelta
from typing import cast

from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.utils.translation import gettext

from database import statements
from marketplace.domain.errors import NotFoundError, RefusalError
from marketplace.domain.faults import parse_faults
from marketplace.domain.find import find
from marketplace.domain.hits.open_types import other_types
from marketplace.domain.identifiers import new_code
from marketplace.domain.notifications import notifications
from marketplace.domain.qualifications.qualifications import held_by
from marketplace.domain.qualifications.requirements import Requirement, unmet
from marketplace.domain.work import maintenance
from marketplace.domain.work.consent import ConsentRequiredError
from marketplace.enums import LIVE, AssignmentStatus, Event, Guarded
from marketplace.models import Assignment, Hit, HitType, WorkerAccount

MAX_IN_PROGRESS = 25
#: A returned HIT is not offered again to the same worker for this long.
RETURN_PAUSE = timedelta(minutes=10)
ATTEMPTS = 5
#: More requests of a worker than the site answers at once.
MAX_AT_ONCE = 20
#: The first key of the advisory locks of workers.
ACCEPT_LOCK = 25
# The type with what decides whether the worker may accept HITs of it.
_TYPE = """
SELECT hit_type.id, code, requester_id, duration_seconds, requirements, notification,
    notification_active,
    (
        SELECT COUNT(*) FROM marketplace_assignment AS assignment
        WHERE assignment.worker_id = %s AND assignment.status = 'Accepted'
    ) AS in_progress,
    EXISTS (
        SELECT 1 FROM marketplace_workerblock AS block
        WHERE block.requester_id = hit_type.requester_id AND block.worker_id = %s
    ) AS is_blocked,
    EXISTS (
        SELECT 1 FROM marketplace_consenttext AS text
        WHERE text.version = (SELECT MAX(version) FROM marketplace_consenttext)
            AND text.text <> '' AND NOT EXISTS (
                SELECT 1 FROM marketplace_workerconsent AS consent
                WHERE consent.text_id = text.id AND consent.worker_id = %s
            )
    ) AS is_consent_due,
    (
        SELECT last.hit_id FROM marketplace_assignment AS last
        WHERE last.worker_id = %s AND last.hit_type_id = hit_type.id
        ORDER BY last.id DESC LIMIT 1
    ) AS last_hit
FROM marketplace_hittype AS hit_type
WHERE code = %s
"""
_NEXT_HIT = """
SELECT {columns}
FROM marketplace_hit AS hit
WHERE hit.hit_type_id = %s AND hit.open AND hit.expires_at > %s AND hit.id > %s
    AND NOT EXISTS (
        SELECT 1 FROM marketplace_assignment AS assignment
        WHERE assignment.hit_id = hit.id AND assignment.worker_id = %s AND (
            assignment.status IN ('Accepted', 'Submitted', 'Approved', 'Rejected')
            OR assignment.is_refused OR assignment.closed_at > %s
        )
    )
    {chosen}
ORDER BY hit.id
LIMIT 1
{lock}
"""
_TAKE_PLACE = """
UPDATE marketplace_hit
SET available = available - 1, pending = pending + 1, open = available > 1
WHERE id = ({next_hit})
RETURNING id, code, reward_cents, fee_cents
"""
_ASSIGN = """
INSERT INTO marketplace_assignment (
    code, hit_id, hit_type_id, worker_id, status, reward_cents, fee_cents, accepted_at, deadline_at,
    answer, feedback
)
VALUES (%s, %s, %s, %s, 'Accepted', %s, %s, %s, %s, '', '')
"""


class _UnqualifiedError(RefusalError):
    def __init__(self, lacking: list[Requirement]) -> None:
        codes = ", ".join(requirement["QualificationTypeId"] for requirement in lacking)
        super().__init__(
            "DoesNotMeetRequirements",
            gettext("This task requires qualifications that you don't have: %(codes)s.")
            % {"codes": codes},
        )


class _TooManyError(RefusalError):
    def __init__(self) -> None:
        super().__init__(
            "ExceedsMaxAssignmentsPerWorker",
            gettext("You have %(max_in_progress)s tasks in progress. Finish or return one first.")
            % {"max_in_progress": MAX_IN_PROGRESS},
        )


def accept_next(*, worker: WorkerAccount, hit_type_code: str, now: datetime) -> str | None:
    """Return a new assignment's id, or None if no HIT of the group is left.

    A group's other types follow when this one has no HIT left, or excludes the worker. Raise
    NotFoundError, RefusalError.
    """
    refusal = None
    try:
        if code := _accept_of_type(worker, hit_type_code, now):
            return code
    except _UnqualifiedError as error:
        refusal = error
    hit_type = find(HitType.objects.all(), "HITType", hit_type_code)
    for other in other_types(worker=worker, hit_type=hit_type, now=now):
        if code := _accept_of_type(worker, other, now):
            return code
    if refusal:
        raise refusal
    return None


def _accept_of_type(worker: WorkerAccount, hit_type_code: str, now: datetime) -> str | None:
    hit_type = _find_type(worker, hit_type_code)
    code = _accept_any(worker, hit_type, now)
    if code is None and maintenance.free_places(hit_type=hit_type, now=now):
        code = _accept_any(worker, hit_type, now)
    return code


def accept_hit(*, worker: WorkerAccount, hit_code: str, now: datetime) -> str:
    """Return the id of the unfinished or a new assignment. Raise NotFoundError, RefusalError."""
    hit = find(Hit.objects.select_related("hit_type"), "HIT", hit_code)
    if code := _in_progress(worker, hit):
        return code
    hit_type = _find_type(worker, hit.hit_type.code)
    maintenance.free_places(hit_type=hit_type, now=now)
    try:
        code = _accept(worker, hit_type, now, chosen=hit)
    except IntegrityError:
        code = _in_progress(worker, hit)
    if code is None:
        raise RefusalError("HITNotAvailable", gettext("This task is no longer available."))
    return code


def find_type_to_show(*, worker: WorkerAccount, hit_type: HitType, now: datetime) -> HitType:
    """Return the type of the group whose HITs the worker can accept, or else `hit_type`."""
    held = held_by(worker, hit_type.requirements)
    is_open = not unmet(hit_type.requirements, held, action=Guarded.ACCEPT)
    if is_open and find_open_hit(worker=worker, hit_type=hit_type, now=now):
        return hit_type
    others = other_types(worker=worker, hit_type=hit_type, now=now)
    return HitType.objects.select_related("requester").get(code=others[0]) if others else hit_type


def find_open_hit(*, worker: WorkerAccount, hit_type: HitType, now: datetime) -> Hit | None:
    """Return the HIT of the group that the worker would get as the next one."""
    statement = _NEXT_HIT.format(columns="hit.id, hit.code, hit.external_url", chosen="", lock="")
    done = Assignment.objects.filter(worker=worker, hit_type=hit_type).order_by("-pk")
    last_hit = done.values_list("hit", flat=True).first()
    for start in _starts(last_hit):
        parameters = (hit_type.pk, now, start, worker.pk, now - RETURN_PAUSE)
        if hit := statements.fetch(Hit, statement, *parameters):
            return cast("Hit", hit)
    return None


def _starts(last_hit: int | None) -> list[int]:
    """Return the ids of HITs after which to search: the worker's last HIT, then none.

    Starting at the beginning would read every HIT with free places that the worker has done.
    """
    return [last_hit, 0] if last_hit else [0]


def _take_place(
    worker: WorkerAccount, hit_type: HitType, now: datetime, chosen: Hit | None, lock: str
) -> Hit | None:
    """Count an assignment of the next open HIT of the group, or of the chosen HIT, as accepted."""
    pause = timedelta(0) if chosen else RETURN_PAUSE
    chosen_clause, chosen_parameters = ("AND hit.id = %s", [chosen.pk]) if chosen else ("", [])
    next_hit = _NEXT_HIT.format(columns="hit.id", chosen=chosen_clause, lock=lock)
    for start in [0] if chosen else _starts(hit_type.last_hit):  # type: ignore[attr-defined]
        parameters = [hit_type.pk, now, start, worker.pk, now - pause, *chosen_parameters]
        hit = statements.fetch(Hit, _TAKE_PLACE.format(next_hit=next_hit), *parameters)
        if hit:
            return cast("Hit", hit)
    return None


def _find_type(worker: WorkerAccount, code: str) -> HitType:
    """Return the HIT type if the worker may accept HITs of it. Raise NotFoundError, RefusalError."""
    hit_type = statements.fetch(HitType, _TYPE, *[worker.pk] * 4, code)
    if hit_type is None:
        raise NotFoundError("HITType", code)
    if hit_type.in_progress >= MAX_IN_PROGRESS:
        raise _TooManyError
    if hit_type.is_blocked:
        raise RefusalError("PermissionDeniedException", gettext("This requester has blocked you."))
    if hit_type.is_consent_due:
        raise ConsentRequiredError
    _check_qualified(worker, hit_type)
    return cast("HitType", hit_type)


def _check_qualified(worker: WorkerAccount, hit_type: HitType) -> None:
    if not hit_type.requirements:
        return
    held = held_by(worker, hit_type.requirements)
    if lacking := unmet(hit_type.requirements, held, action=Guarded.ACCEPT):
        raise _UnqualifiedError(lacking)


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
    _check_concurrent(worker, hit_type)
    lock = statements.lock_clause(skip_locked=skip_locked)
    hit = _take_place(worker, hit_type, now, chosen, lock)
    if hit is None:
        return None
    code = new_code()
    deadline = now + timedelta(seconds=hit_type.duration_seconds)
    values = (hit.pk, hit_type.pk, worker.pk, hit.reward_cents, hit.fee_cents, now, deadline)
    statements.execute(_ASSIGN, code, *values)
    if settings.MARKETPLACE_FAULTS:
        code = _reuse_code(Assignment.objects.get(code=code))
    hit.hit_type = hit_type
    notifications.record(Event.ACCEPTED, hit, assignment_code=code, now=now)
    return code


def _check_concurrent(worker: WorkerAccount, hit_type: HitType) -> None:
    """Raise RefusalError if requests at the same time would exceed MAX_IN_PROGRESS."""
    if hit_type.in_progress < MAX_IN_PROGRESS - MAX_AT_ONCE:  # type: ignore[attr-defined]
        return
    if connection.vendor == "postgresql":
        # Not the worker's row, which approvals lock after the HIT's.
        statements.fetch_rows("SELECT pg_advisory_xact_lock(%s, %s)", ACCEPT_LOCK, worker.pk)
    live = Assignment.objects.filter(worker=worker, status=AssignmentStatus.ACCEPTED)
    if live.count() >= MAX_IN_PROGRESS:
        raise _TooManyError


def _in_progress(worker: WorkerAccount, hit: Hit) -> str | None:
    """Return the worker's unfinished assignment, or None. Raise RefusalError if it is done."""
    assignment = Assignment.objects.filter(hit=hit, worker=worker, status__in=LIVE).first()
    if assignment is None:
        return None
    if assignment.status != AssignmentStatus.ACCEPTED:
        raise RefusalError("AssignmentAlreadyExists", gettext("You already did this task."))
    return assignment.code


def _reuse_code(assignment: Assignment) -> str:
    """Apply the fault `reuse_assignment_ids` by reusing another worker's returned assignment id.

    Return the assignment's id.
    """
    returned = Assignment.objects.filter(
        hit=assignment.hit, status__in=(AssignmentStatus.RETURNED, AssignmentStatus.ABANDONED)
    )
    former = returned.exclude(worker=assignment.worker).first()
    if former is None or not parse_faults(settings.MARKETPLACE_FAULTS).happens(
        "reuse_assignment_ids"
    ):
        return assignment.code
    assignment.code, former.code = former.code, new_code()
    former.save(update_fields=["code"])
    assignment.save(update_fields=["code"])
    return assignment.code
