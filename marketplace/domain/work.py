"""What becomes of an accepted assignment: submitted, returned or abandoned."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any
from xml.sax.saxutils import escape

from django.db import connection, transaction
from django.db.models import QuerySet

from database.statements import Select, Statement
from marketplace.domain import books, notifications
from marketplace.domain.errors import (
    InsufficientFundsError,
    InvalidParameterError,
    NotFoundError,
    RefusalError,
    WrongStateError,
)
from marketplace.enums import SHOWN, AssignmentStatus, Event
from marketplace.models import Assignment, Hit, WorkerAccount

NAMESPACE = (
    "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/"
    "2005-10-01/QuestionFormAnswers.xsd"
)
#: Fields that the frame's address carries and that are no answers.
RESERVED = ("assignmentId", "hitId", "workerId", "turkSubmitTo")
#: A submission that was on its way when the time ended is still taken.
GRACE = timedelta(seconds=5)


def submit(
    *, worker_code: str, assignment_code: str, fields: Iterable[tuple[str, str]], now: datetime
) -> None:
    """Takes the worker's answers. The same answers again change nothing and raise nothing.

    Raises NotFoundError for an assignment that is not this worker's, WrongStateError for one that
    was submitted with other answers, returned, or whose time is over.
    """
    answer = answers_xml(fields)
    if _submit_at_once(worker_code, assignment_code, answer, now):
        return
    with transaction.atomic():
        row = _lock_for_submission(worker_code, assignment_code)
        if row.status in SHOWN and row.answer == answer:
            return
        if row.status != AssignmentStatus.ACCEPTED:
            raise WrongStateError("Assignment", allowed="Accepted", current=row.status)
        in_time = now <= row.deadline_at + GRACE
        if in_time:
            _submit(row, answer, now)
        else:
            _give_back(_locked().get(pk=row.pk), AssignmentStatus.ABANDONED, now)
    if not in_time:
        raise RefusalError("InvalidAssignmentState", "The time for this HIT is over.")


def return_assignment(*, worker: WorkerAccount, assignment_code: str, now: datetime) -> Assignment:
    """Gives the HIT back, so that someone else can have it. Returning twice is no error."""
    with transaction.atomic():
        assignment = lock_assignment(worker=worker, code=assignment_code)
        if assignment.status == AssignmentStatus.RETURNED:
            return assignment
        if assignment.status != AssignmentStatus.ACCEPTED:
            raise WrongStateError("Assignment", allowed="Accepted", current=assignment.status)
        _give_back(assignment, AssignmentStatus.RETURNED, now)
    return assignment


def abandon(*, assignment_pk: int, now: datetime) -> bool:
    """Takes an overdue assignment back; False when it was not overdue after all."""
    with transaction.atomic():
        assignment = _locked().get(pk=assignment_pk)
        if assignment.status != AssignmentStatus.ACCEPTED or assignment.deadline_at + GRACE > now:
            return False
        _give_back(assignment, AssignmentStatus.ABANDONED, now)
    return True


def lock_assignment(*, worker: WorkerAccount, code: str) -> Assignment:
    """A worker's own assignment, locked with its HIT; another's does not exist for them."""
    try:
        return _locked().get(code=code, worker=worker)
    except Assignment.DoesNotExist:
        raise NotFoundError("Assignment", code) from None


def answers_xml(fields: Iterable[tuple[str, str]]) -> str:
    """A QuestionFormAnswers document; a field given more than once is joined with "|".

    Raises InvalidParameterError when there is no field but the reserved ones.
    """
    merged: dict[str, list[str]] = {}
    for name, value in fields:
        if name not in RESERVED:
            merged.setdefault(_xml_text(name), []).append(_xml_text(value))
    if not merged:
        raise InvalidParameterError("A submission needs at least one field besides assignmentId.")
    answers = "".join(
        f"<Answer><QuestionIdentifier>{name}</QuestionIdentifier>"
        f"<FreeText>{'|'.join(values)}</FreeText></Answer>"
        for name, values in merged.items()
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>'
        f'<QuestionFormAnswers xmlns="{NAMESPACE}">{answers}</QuestionFormAnswers>'
    )


#: Characters that XML 1.0 cannot carry at all, with carriage returns normalised as XML does.
_UNWRITABLE = {
    **dict.fromkeys(code for code in range(0x20) if code not in (0x9, 0xA, 0xD)),
    **dict.fromkeys((*range(0xD800, 0xE000), 0xFFFE, 0xFFFF)),
}


def _xml_text(text: str) -> str:
    return escape(text.replace("\r\n", "\n").replace("\r", "\n").translate(_UNWRITABLE))


def _locked() -> QuerySet[Assignment]:
    return Assignment.objects.select_for_update(of=("self", "hit")).select_related("hit__hit_type")


# An assignment is found by its code, whatever was stored when this was planned: not among all of the
# worker's ("+ 0"), nor (below: the status is a value) among all that are in progress.
_FOR_SUBMISSION = Select(
    Assignment,
    """
SELECT a.id, a.code, a.status, a.answer, a.deadline_at, a.hit_id,
    t.auto_approval_seconds, t.notification_active
FROM marketplace_assignment a
JOIN marketplace_workeraccount w ON w.id = a.worker_id + 0
JOIN marketplace_hit h ON h.id = a.hit_id
JOIN marketplace_hittype t ON t.id = h.hit_type_id
WHERE a.code = %s AND w.code = %s AND w.active
""",
    lock="FOR UPDATE OF a, h",
)
# What most submissions are, where a statement may stand within another: in time, the first, and nobody
# to be told. It takes the rows in the order in which the other does.
_AT_ONCE = Statement("""
WITH submitted AS (
    UPDATE marketplace_assignment a
    SET status = 'Submitted', answer = %s, submitted_at = %s,
        auto_approve_at = %s::timestamptz + make_interval(secs => t.auto_approval_seconds)
    FROM marketplace_workeraccount w, marketplace_hit h, marketplace_hittype t
    WHERE a.code = %s AND a.status = %s AND a.deadline_at >= %s
        AND w.id = a.worker_id + 0 AND w.code = %s AND w.active
        AND h.id = a.hit_id AND t.id = h.hit_type_id AND NOT t.notification_active
    RETURNING a.hit_id)
UPDATE marketplace_hit SET pending = pending - 1, submitted = submitted + 1
FROM submitted WHERE marketplace_hit.id = submitted.hit_id
""")
_SUBMITTED = Statement("""
UPDATE marketplace_assignment
SET status = 'Submitted', answer = %s, submitted_at = %s, auto_approve_at = %s WHERE id = %s
""")
_COUNTED = Statement(
    "UPDATE marketplace_hit SET pending = pending - 1, submitted = submitted + 1 WHERE id = %s"
)


def _submit_at_once(worker_code: str, assignment_code: str, answer: str, now: datetime) -> bool:
    """False where it takes more than one statement, and nothing is done."""
    if connection.vendor != "postgresql":
        return False
    accepted = AssignmentStatus.ACCEPTED.value
    values = [answer, now, now, assignment_code, accepted, now - GRACE, worker_code]
    return bool(_AT_ONCE.run(values))


def _lock_for_submission(worker_code: str, assignment_code: str) -> Any:
    row = _FOR_SUBMISSION.first([assignment_code, worker_code])
    if row is None:
        raise NotFoundError("Assignment", assignment_code)
    return row


def _submit(row: Any, answer: str, now: datetime) -> None:
    auto_approve_at = now + timedelta(seconds=row.auto_approval_seconds)
    _SUBMITTED.run([answer, now, auto_approve_at, row.pk])
    _COUNTED.run([row.hit_id])
    if row.notification_active:
        assignment = Assignment.objects.select_related("hit__hit_type").get(pk=row.pk)
        _tell(Event.SUBMITTED, assignment, now)
        _tell_if_reviewable(assignment.hit, now)


def _give_back(assignment: Assignment, status: AssignmentStatus, now: datetime) -> None:
    hit = assignment.hit
    assignment.status = status
    assignment.closed_at = now
    assignment.save(update_fields=["status", "closed_at"])
    hit.pending -= 1
    hit.available += 1
    if hit.expiry_noted:
        books.release(hit=hit, amount_cents=assignment.cost_cents, now=now)
    else:
        _offer_again(hit, assignment, now)
    hit.open = not hit.expiry_noted and hit.disposed_at is None and hit.available > 0
    hit.save(update_fields=["max_assignments", "pending", "available", "open", "held_cents"])
    returned = status == AssignmentStatus.RETURNED
    _tell(Event.RETURNED if returned else Event.ABANDONED, assignment, now)
    _tell_if_reviewable(hit, now)


def _offer_again(hit: Hit, assignment: Assignment, now: datetime) -> None:
    """At the HIT's pay, which a change of type may have raised. Nobody who gives a HIT back is kept from
    it by the requester's purse: a place that can't be paid for any more is no longer offered."""
    try:
        books.hold(hit=hit, amount_cents=hit.cost_cents - assignment.cost_cents, now=now)
    except InsufficientFundsError:
        books.release(hit=hit, amount_cents=assignment.cost_cents, now=now)
        hit.available -= 1
        hit.max_assignments -= 1


def _tell(event: Event, assignment: Assignment, now: datetime) -> None:
    hit = assignment.hit
    notifications.record(
        event, hit_type=hit.hit_type, hit_code=hit.code, assignment_code=assignment.code, now=now
    )


def _tell_if_reviewable(hit: Hit, now: datetime) -> None:
    if not hit.pending and not hit.open:
        notifications.record(
            Event.HIT_REVIEWABLE, hit_type=hit.hit_type, hit_code=hit.code, now=now
        )
