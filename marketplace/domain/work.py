"""Submission, return and abandonment of accepted assignments."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from xml.sax.saxutils import escape

from django.db import transaction
from django.db.models import QuerySet

from marketplace.domain import ledger, notifications
from marketplace.domain.errors import (
    InsufficientFundsError,
    InvalidParameterError,
    RefusalError,
    WrongStateError,
)
from marketplace.domain.find import find
from marketplace.enums import SHOWN, AssignmentStatus, Event
from marketplace.models import Assignment, Hit, WorkerAccount

NAMESPACE = (
    "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/"
    "2005-10-01/QuestionFormAnswers.xsd"
)
#: Fields that come from the frame's URL and are not answers.
RESERVED = ("assignmentId", "hitId", "workerId", "turkSubmitTo")
#: Fields that an on-time submission needs. Other fields are loaded on access.
NEEDED = (
    *("code", "status", "answer", "deadline_at"),
    *("hit__code", "hit__pending", "hit__submitted", "hit__open"),
    *("hit__hit_type__auto_approval_seconds", "hit__hit_type__notification_active"),
)
#: A submission may arrive this long after the deadline.
GRACE = timedelta(seconds=5)


def submit(
    *, worker_code: str, assignment_code: str, fields: Iterable[tuple[str, str]], now: datetime
) -> None:
    """Store the answers once. Raise NotFoundError, WrongStateError, or RefusalError if too late."""
    answer = answers_xml(fields)
    with transaction.atomic():
        mine = _locked().filter(worker__code=worker_code, worker__active=True).only(*NEEDED)
        assignment = find(mine, "Assignment", assignment_code)
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
        raise RefusalError("InvalidAssignmentState", "The time for this HIT has expired.")


@transaction.atomic
def return_assignment(*, worker: WorkerAccount, assignment_code: str, now: datetime) -> Assignment:
    """Return the HIT, so that other workers can do it. Repeating has no effect."""
    assignment = find(_locked().filter(worker=worker), "Assignment", assignment_code)
    if assignment.status == AssignmentStatus.RETURNED:
        return assignment
    if assignment.status != AssignmentStatus.ACCEPTED:
        raise WrongStateError("Assignment", allowed="Accepted", current=assignment.status)
    _release(assignment, AssignmentStatus.RETURNED, now)
    return assignment


@transaction.atomic
def abandon(*, assignment_pk: int, now: datetime) -> bool:
    """Abandon an overdue assignment. Return False if it is not overdue."""
    assignment = _locked().get(pk=assignment_pk)
    if assignment.status != AssignmentStatus.ACCEPTED or assignment.deadline_at + GRACE > now:
        return False
    _release(assignment, AssignmentStatus.ABANDONED, now)
    return True


def answers_xml(fields: Iterable[tuple[str, str]]) -> str:
    """Return a QuestionFormAnswers document, with repeated fields joined by "|"."""
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


#: Characters that XML 1.0 does not allow.
_FORBIDDEN = {
    **dict.fromkeys(code for code in range(0x20) if code not in (0x9, 0xA, 0xD)),
    **dict.fromkeys((*range(0xD800, 0xE000), 0xFFFE, 0xFFFF)),
}


def _xml_text(text: str) -> str:
    return escape(text.replace("\r\n", "\n").replace("\r", "\n").translate(_FORBIDDEN))


def _locked() -> QuerySet[Assignment]:
    return Assignment.objects.select_for_update(of=("self", "hit")).select_related("hit__hit_type")


def _submit(assignment: Assignment, answer: str, now: datetime) -> None:
    hit = assignment.hit
    assignment.status = AssignmentStatus.SUBMITTED
    assignment.answer = answer
    assignment.submitted_at = now
    assignment.auto_approve_at = now + timedelta(seconds=hit.hit_type.auto_approval_seconds)
    assignment.save(update_fields=["status", "answer", "submitted_at", "auto_approve_at"])
    hit.pending -= 1
    hit.submitted += 1
    hit.save(update_fields=["pending", "submitted"])
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
        notifications.record(Event.HIT_REVIEWABLE, hit, now=now)
