"""Approval and rejection of submitted assignments. Approval pays the worker."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils.translation import gettext

from marketplace.domain import ledger
from marketplace.domain.errors import WrongStateError
from marketplace.domain.find import find
from marketplace.domain.notifications import messages, notifications
from marketplace.enums import AssignmentStatus, Event
from marketplace.models import Assignment, Hit, Requester, WorkerAccount

OVERRIDE_WITHIN = timedelta(days=30)


@transaction.atomic
def approve(
    *,
    requester: Requester,
    assignment_code: str,
    feedback: str = "",
    override: bool = False,
    now: datetime,
) -> None:
    """Approve and pay. `override` allows a rejected assignment for 30 days after submission."""
    assignment = lock_assignment(requester=requester, code=assignment_code)
    allowed = [AssignmentStatus.SUBMITTED]
    if override and _may_override(assignment, now):
        allowed.append(AssignmentStatus.REJECTED)
    if assignment.status not in allowed:
        raise WrongStateError("Assignment", allowed=", ".join(allowed), current=assignment.status)
    _approve(assignment, feedback, note="", now=now)


@transaction.atomic
def reject(*, requester: Requester, assignment_code: str, feedback: str, now: datetime) -> None:
    """Reject an assignment, release its money and notify the worker. The feedback may be empty."""
    assignment = lock_assignment(requester=requester, code=assignment_code)
    if assignment.status != AssignmentStatus.SUBMITTED or _is_due(assignment, now):
        raise WrongStateError(
            "Assignment", allowed=AssignmentStatus.SUBMITTED, current=assignment.status
        )
    hit = assignment.hit
    reason = feedback.strip()
    assignment.status = AssignmentStatus.REJECTED
    assignment.feedback = feedback
    assignment.closed_at = assignment.rejected_at = now
    assignment.save(update_fields=["status", "feedback", "closed_at", "rejected_at"])
    ledger.release(hit=hit, amount_cents=assignment.cost_cents, now=now)
    hit.submitted -= 1
    hit.completed += 1
    hit.save(update_fields=["submitted", "completed", "held_cents"])
    _count(assignment, rejected=1)
    notifications.record(Event.REJECTED, hit, assignment_code=assignment.code, now=now)
    with messages.worker_language(assignment.worker_id):
        messages.write(
            worker_id=assignment.worker_id,
            requester=requester,
            subject=gettext("Work rejected"),
            text=gettext(
                "Your work on “%(title)s” (HIT %(code)s) was rejected.\n"
                "\n"
                "%(reason)s\n"
                "\n"
                "You can appeal from your history page."
            )
            % {
                "title": hit.hit_type.title,
                "code": hit.code,
                "reason": reason or gettext("The requester gave no reason."),
            },
            now=now,
        )


@transaction.atomic
def auto_approve(*, assignment_pk: int, now: datetime) -> bool:
    """Approve an undecided assignment. Return False if it is decided or not yet due."""
    assignment = _locked().get(pk=assignment_pk)
    if assignment.status != AssignmentStatus.SUBMITTED or not _is_due(assignment, now):
        return False
    _approve(assignment, "", note="approved automatically", now=now)
    return True


@transaction.atomic
def overturn(*, assignment_pk: int, note: str, now: datetime) -> None:
    """Approve a rejected assignment for the operator, without a time limit."""
    assignment = _locked().get(pk=assignment_pk)
    if assignment.status != AssignmentStatus.REJECTED:
        raise WrongStateError("Assignment", allowed="Rejected", current=assignment.status)
    _approve(assignment, assignment.feedback, note=note, now=now)


def lock_assignment(*, requester: Requester, code: str) -> Assignment:
    """Lock and return an assignment of this requester together with its HIT."""
    return find(_locked().filter(hit__requester=requester), "Assignment", code)


def _locked() -> QuerySet[Assignment]:
    return (
        Assignment.objects.select_for_update(of=("self", "hit"))
        .select_related("hit__hit_type")
        .defer("answer", "hit__question")
    )


def _is_due(assignment: Assignment, now: datetime) -> bool:
    """Return True if the requester's time to decide has passed."""
    return assignment.auto_approve_at is not None and assignment.auto_approve_at <= now


def _may_override(assignment: Assignment, now: datetime) -> bool:
    return (
        assignment.hit.disposed_at is None
        and assignment.submitted_at is not None
        and now - assignment.submitted_at <= OVERRIDE_WITHIN
    )


def _approve(assignment: Assignment, feedback: str, *, note: str, now: datetime) -> None:
    hit = assignment.hit
    was_rejected = assignment.status == AssignmentStatus.REJECTED
    ledger.pay_reward(
        hit=hit, assignment=assignment, from_held=not was_rejected, note=note, now=now
    )
    assignment.status = AssignmentStatus.APPROVED
    assignment.feedback = feedback
    assignment.closed_at = now
    assignment.save(update_fields=["status", "feedback", "closed_at"])
    if not was_rejected:
        hit.submitted -= 1
        hit.completed += 1
        Hit.objects.filter(pk=hit.pk).update(
            submitted=hit.submitted, completed=hit.completed, held_cents=hit.held_cents
        )
    _count(assignment, approved=1, rejected=-1 if was_rejected else 0)
    notifications.record(Event.APPROVED, hit, assignment_code=assignment.code, now=now)


def _count(assignment: Assignment, *, approved: int = 0, rejected: int = 0) -> None:
    WorkerAccount.objects.filter(pk=assignment.worker_id).update(
        approved_count=F("approved_count") + approved,
        rejected_count=F("rejected_count") + rejected,
    )
