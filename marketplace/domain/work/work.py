"""Submission, return and abandonment of accepted assignments."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import cast

from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext, gettext_lazy

from database import statements
from marketplace.domain import ledger
from marketplace.domain.answer_document import GRACE, MAX_ANSWER_LENGTH, answers_document, xml_text
from marketplace.domain.errors import (
    InsufficientFundsError,
    InvalidParameterError,
    NotFoundError,
    RefusalError,
    WrongStateError,
)
from marketplace.domain.find import find
from marketplace.domain.hits import due_reviews
from marketplace.domain.notifications import notifications
from marketplace.enums import SHOWN, AssignmentStatus, Event
from marketplace.models import Assignment, Hit, HitType, WorkerAccount

#: The field that names the assignment and is no answer. MTurk stores all others, also `hitId`.
ASSIGNMENT_FIELD = "assignmentId"
# The worker's assignment with what an on-time submission needs. Other fields are loaded on access.
_SUBMITTED_ASSIGNMENT = """
SELECT assignment.id, assignment.code, assignment.status, assignment.answer, assignment.deadline_at,
    assignment.hit_id, assignment.hit_type_id, hit.pending, hit.open, hit.has_review_policies,
    hit_type.auto_approval_seconds, hit_type.notification_active
FROM marketplace_assignment AS assignment
JOIN marketplace_hit AS hit ON hit.id = assignment.hit_id
JOIN marketplace_hittype AS hit_type ON hit_type.id = hit.hit_type_id
JOIN marketplace_workeraccount AS worker ON worker.id = assignment.worker_id
WHERE assignment.code = %s AND worker.code = %s AND worker.active
"""
_OWN_ASSIGNMENT = """
SELECT assignment.id, assignment.code, assignment.status, assignment.deadline_at,
    assignment.reward_cents, assignment.hit_id, assignment.hit_type_id,
    hit.code AS hit_code, hit.external_url, hit.frame_height,
    assignment.extensions, hit_type.duration_seconds,
    hit_type.code AS hit_type_code, hit_type.title, hit_type.requester_id
FROM marketplace_assignment AS assignment
JOIN marketplace_hit AS hit ON hit.id = assignment.hit_id
JOIN marketplace_hittype AS hit_type ON hit_type.id = assignment.hit_type_id
WHERE assignment.code = %s AND assignment.worker_id = %s
"""
_SUBMIT = """
UPDATE marketplace_assignment
SET status = 'Submitted', answer = %s, submitted_at = %s, auto_approve_at = %s
WHERE id = %s
"""
_COUNT_SUBMITTED = """
UPDATE marketplace_hit SET pending = pending - 1, submitted = submitted + 1 WHERE id = %s
"""
Values = dict[str, object]
EXPIRED = gettext_lazy("The time for this task has expired.")


def submit(
    *, worker_code: str, assignment_code: str, fields: Iterable[tuple[str, str]], now: datetime
) -> None:
    """Store the fields of a form as answers, like `submit_answer`."""
    answer = answers_xml(fields)
    submit_answer(worker_code=worker_code, assignment_code=assignment_code, answer=answer, now=now)


def submit_answer(*, worker_code: str, assignment_code: str, answer: str, now: datetime) -> None:
    """Store an answer once. Raise NotFoundError, WrongStateError, or RefusalError if too late."""
    if len(answer) > MAX_ANSWER_LENGTH:
        raise InvalidParameterError(
            gettext("The answers are longer than %(max_answer_length)s characters.")
            % {"max_answer_length": f"{MAX_ANSWER_LENGTH:,}"}
        )
    with transaction.atomic():
        assignment = _lock_assignment(assignment_code, worker_code)
        if assignment.status in SHOWN and assignment.answer == answer:
            return
        if assignment.status != AssignmentStatus.ACCEPTED:
            raise WrongStateError("Assignment", allowed="Accepted", current=assignment.status)
        in_time = now <= assignment.deadline_at + GRACE
        if in_time:
            _submit(assignment, answer, now)
        else:
            _release(assignment, AssignmentStatus.ABANDONED, now)
    if not in_time:
        raise RefusalError("InvalidAssignmentState", str(EXPIRED))


def find_own(*, worker: WorkerAccount, assignment_code: str) -> Assignment | None:
    """Return the worker's assignment with what its page shows, or None."""
    assignment = statements.fetch(Assignment, _OWN_ASSIGNMENT, assignment_code, worker.pk)
    if assignment is None:
        return None
    assignment.worker = worker
    _set_related(
        assignment,
        hit={
            "code": assignment.hit_code,
            "external_url": assignment.external_url,
            "frame_height": assignment.frame_height,
        },
        hit_type={
            "code": assignment.hit_type_code,
            "requester_id": assignment.requester_id,
            "title": assignment.title,
            "duration_seconds": assignment.duration_seconds,
        },
    )
    return cast("Assignment", assignment)


@transaction.atomic
def return_assignment(
    *, worker: WorkerAccount, assignment_code: str, now: datetime, is_refused: bool = False
) -> Assignment:
    """Return the HIT, so that other workers can do it. Repeating has no effect.

    If the requester's page refused the worker, the worker is not offered the HIT again.
    """
    assignment = find(locked_assignments().filter(worker=worker), "Assignment", assignment_code)
    if assignment.status == AssignmentStatus.RETURNED:
        return assignment
    if assignment.status != AssignmentStatus.ACCEPTED:
        raise WrongStateError("Assignment", allowed="Accepted", current=assignment.status)
    if is_refused:
        assignment.is_refused = True
        assignment.save(update_fields=["is_refused"])
    _release(assignment, AssignmentStatus.RETURNED, now)
    return assignment


@transaction.atomic
def abandon(*, assignment_pk: int, now: datetime) -> bool:
    """Abandon an overdue assignment. Return False if it is not overdue."""
    assignment = locked_assignments().get(pk=assignment_pk)
    if assignment.status != AssignmentStatus.ACCEPTED or assignment.deadline_at + GRACE > now:
        return False
    _release(assignment, AssignmentStatus.ABANDONED, now)
    return True


def answers_xml(fields: Iterable[tuple[str, str]]) -> str:
    """Return a QuestionFormAnswers document, with repeated fields joined by "|"."""
    merged: dict[str, list[str]] = {}
    for name, value in fields:
        if name != ASSIGNMENT_FIELD:
            merged.setdefault(xml_text(name), []).append(xml_text(value))
    return answers_document(
        (name, f"<FreeText>{'|'.join(values)}</FreeText>") for name, values in merged.items()
    )


def locked_assignments() -> QuerySet[Assignment]:
    """Return assignments that are locked with their HIT when they are read."""
    return Assignment.objects.select_for_update(of=("self", "hit")).select_related("hit__hit_type")


def _lock_assignment(code: str, worker_code: str) -> Assignment:
    """Return the locked assignment with its locked HIT. Raise NotFoundError."""
    statement = _SUBMITTED_ASSIGNMENT + statements.lock_clause("assignment", "hit")
    assignment = statements.fetch(Assignment, statement, code, worker_code)
    if assignment is None:
        raise NotFoundError("Assignment", code)
    _set_related(
        assignment,
        hit={
            "pending": assignment.pending,
            "open": bool(assignment.open),
            "has_review_policies": bool(assignment.has_review_policies),
        },
        hit_type={
            "auto_approval_seconds": assignment.auto_approval_seconds,
            "notification_active": bool(assignment.notification_active),
        },
    )
    return cast("Assignment", assignment)


def _set_related(assignment: Assignment, *, hit: Values, hit_type: Values) -> None:
    """Set the assignment's HIT and HIT type from some of their fields, in the order of the model."""
    alias = connection.alias
    its_type = HitType.from_db(
        alias, ("id", *hit_type), (assignment.hit_type_id, *hit_type.values())
    )
    its_hit = Hit.from_db(alias, ("id", *hit), (assignment.hit_id, *hit.values()))
    assignment.hit, assignment.hit_type, its_hit.hit_type = its_hit, its_type, its_type


def _submit(assignment: Assignment, answer: str, now: datetime) -> None:
    hit = assignment.hit
    auto_approve_at = now + timedelta(seconds=hit.hit_type.auto_approval_seconds)
    statements.execute(_SUBMIT, answer, now, auto_approve_at, assignment.pk)
    statements.execute(_COUNT_SUBMITTED, hit.pk)
    hit.pending -= 1
    due_reviews.note_submission(hit, assignment_pk=assignment.pk)
    notifications.record(Event.SUBMITTED, hit, assignment_code=assignment.code, now=now)
    _record_if_reviewable(hit, now)


def _release(assignment: Assignment, status: AssignmentStatus, now: datetime) -> None:
    hit = assignment.hit
    assignment.status = status
    assignment.closed_at = now
    assignment.save(update_fields=["status", "closed_at"])
    hit.pending -= 1
    hit.available += 1
    if hit.expiry_noted:
        ledger.release(hit=hit, amount_cents=assignment.cost_cents, now=now)
    else:
        _reserve_again(hit, assignment, now)
    hit.open = not hit.expiry_noted and hit.disposed_at is None and hit.available > 0
    hit.save(update_fields=["max_assignments", "pending", "available", "open", "held_cents"])
    event = Event.RETURNED if status == AssignmentStatus.RETURNED else Event.ABANDONED
    notifications.record(event, hit, assignment_code=assignment.code, now=now)
    _record_if_reviewable(hit, now)


def _reserve_again(hit: Hit, assignment: Assignment, now: datetime) -> None:
    """Reserve the HIT's present pay for the freed assignment, or withdraw the assignment."""
    try:
        ledger.hold(hit=hit, amount_cents=hit.cost_cents - assignment.cost_cents, now=now)
    except InsufficientFundsError:
        ledger.release(hit=hit, amount_cents=assignment.cost_cents, now=now)
        hit.available -= 1
        hit.max_assignments -= 1


def _record_if_reviewable(hit: Hit, now: datetime) -> None:
    if not hit.pending and not hit.open:
        due_reviews.note_reviewable(hit)
        notifications.record(Event.HIT_REVIEWABLE, hit, now=now)
