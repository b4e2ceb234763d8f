"""Accept or reject submissions together with their assignment."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from django.db import transaction

from annotation.domain.decisions.await_gold import await_gold
from annotation.domain.decisions.award_bonus import bonus_for
from annotation.domain.decisions.bonus_timing import waits_for_gold
from annotation.domain.decisions.hold_bonus import hold_bonus, reasons_to_hold
from annotation.domain.publishing.republish import has_room_for
from annotation.enums import SubmissionState
from annotation.models import Batch, Submission
from audit.domain.change_state import Transitions, change_state
from audit.errors import TouchstoneError
from crowd.domain.money.decide_assignment import approve_assignment, reject_assignment
from crowd.domain.provider.providers import capabilities_of
from crowd.enums import AssignmentState, PaymentKind
from crowd.models import Assignment

TRANSITIONS: Transitions = {
    SubmissionState.SUBMITTED: [
        SubmissionState.WAITING,
        SubmissionState.ACCEPTED,
        SubmissionState.REJECTED,
        SubmissionState.WITHDRAWN,
    ],
    # Gold may use the work by now, so that nobody rejects it before the gold is there.
    SubmissionState.WAITING: [SubmissionState.SUBMITTED, SubmissionState.ACCEPTED],
    # The marketplace may refuse a rejection, which then needs another decision.
    SubmissionState.REJECTED: [SubmissionState.ACCEPTED, SubmissionState.WITHDRAWN],
}
REJECTED_ELSEWHERE: Transitions = {SubmissionState.WAITING: [SubmissionState.REJECTED]}
ACTOR = "automatic acceptance"


def lock_assignment(*, assignment: Assignment) -> Assignment:
    """Return the assignment with its row locked.

    Every decision locks the assignment before its submissions. A different order could cause
    deadlocks.
    """
    return Assignment.objects.select_for_update().get(pk=assignment.pk)


@transaction.atomic
def accept_assignment(
    *, assignment: Assignment, actor: str, now: datetime, is_checked: bool = True
) -> None:
    """Accept the assignment's submissions, approve it and record its bonus as owed.

    If no person has checked the work, its bonus is held if there are reasons to, or waits for the
    items' gold. That may be there already, if the work itself waited for it. A repeat changes nothing.
    Unreadable and withdrawn work is paid but not used. Raise TransitionNotAllowedError if a submission
    can't be accepted.
    """
    lock_assignment(assignment=assignment)
    rows = assignment.submissions.select_related("item__project__budget", "item__sentence__image")
    submissions = list(rows.select_related("worker", "assignment__hit__task__batch__project"))
    for submission in submissions:
        usable = submission.is_readable and submission.state != SubmissionState.WITHDRAWN
        new = SubmissionState.ACCEPTED if usable else SubmissionState.WITHDRAWN
        _change_state(submission, new, actor, now)
    bonus = bonus_for(submissions)
    reasons = reasons_to_hold(submissions) if bonus and not is_checked else []
    waits = bool(bonus) and not is_checked and not reasons and _waits_for_gold(submissions)
    if bonus and (reasons or waits):
        bonus = replace(bonus, needs_review=True)
    approve_assignment(assignment=assignment, bonus=bonus, actor=actor, now=now)
    payment = assignment.payments.filter(kind=PaymentKind.BONUS, needs_review=True).first()
    if payment and reasons:
        hold_bonus(payment=payment, submissions=submissions, reasons=reasons, now=now)
    elif payment and waits:
        await_gold(payment=payment, submissions=submissions, now=now)


def _waits_for_gold(submissions: Sequence[Submission]) -> bool:
    assignment = submissions[0].assignment
    assert assignment
    is_judged = any(submission.kept_units is not None for submission in submissions)
    return is_judged or waits_for_gold(assignment=assignment, batch=assignment.hit.task.batch)


class OverturnError(TouchstoneError, ValueError):
    """The assignment is not rejected, or its rejection can no longer be overturned."""


def overturn_days_left(assignment: Assignment, now: datetime) -> int:
    """Return the whole days left to overturn the rejection, or a negative number."""
    days = capabilities_of(assignment.worker.provider).override_days
    return (assignment.submitted_at + timedelta(days=days) - now).days


@transaction.atomic
def overturn_rejection(
    *, assignment: Assignment, use: bool, reason: str, actor: str, now: datetime
) -> None:
    """Pay for a rejected assignment.

    With `use`, its submissions are accepted and earn their bonus, unless other work has replaced
    them. Raise OverturnError, TransitionNotAllowedError, and ValueError without a reason.
    """
    if not reason.strip():
        raise ValueError("Enter a reason. It is stored with the submission.")
    # The lock prevents a concurrent republication of the same attempt.
    Batch.objects.select_for_update(of=("self",)).filter(tasks__hit=assignment.hit_id).first()
    assignment = lock_assignment(assignment=assignment)
    if assignment.state not in (AssignmentState.REJECTING, AssignmentState.REJECTED):
        raise OverturnError(f"Assignment {assignment} is {assignment.state}, not rejected.")
    if overturn_days_left(assignment, now) < 0:
        raise OverturnError(
            f"Assignment {assignment} was submitted too long ago, so the crowd provider no longer "
            "accepts an approval. Compensate the worker instead."
        )
    if use and not all(
        has_room_for(submission=submission) for submission in assignment.submissions.all()
    ):
        raise OverturnError(
            "Another worker has already replaced this work. You can pay for it without using it."
        )
    Assignment.objects.filter(pk=assignment.pk).update(decision_reason=reason)
    if use:
        accept_assignment(assignment=assignment, actor=actor, now=now)
    else:
        approve_assignment(assignment=assignment, bonus=None, actor=actor, now=now)


@transaction.atomic
def reject_submissions(
    *, assignment: Assignment, reason: str, category: str = "", actor: str, now: datetime
) -> None:
    """Reject the assignment with all its submissions.

    Raise TransitionNotAllowedError, and ValueError without the reason or category that is required.
    """
    lock_assignment(assignment=assignment)
    reject_assignment(assignment=assignment, reason=reason, category=category, actor=actor, now=now)
    for submission in assignment.submissions.all():
        _change_state(submission, SubmissionState.REJECTED, actor, now, reason)


@transaction.atomic
def pay_without_using(*, assignment: Assignment, actor: str, now: datetime) -> None:
    """Withdraw the assignment's submissions and record the pay for the readable ones as owed.

    The work is unreadable, not independent or a repeat. A repeated call changes nothing. Raise
    TransitionNotAllowedError if a submission is accepted or rejected.
    """
    lock_assignment(assignment=assignment)
    submissions = list(assignment.submissions.select_related("item__project"))
    for submission in submissions:
        _change_state(submission, SubmissionState.WITHDRAWN, actor, now, "paid, but not used")
    approve_assignment(assignment=assignment, bonus=bonus_for(submissions), actor=actor, now=now)


def _change_state(
    submission: Submission, new: SubmissionState, actor: str, now: datetime, reason: str = ""
) -> None:
    change_state(
        instance=submission,
        new=new,
        transitions=TRANSITIONS,
        actor=actor,
        now=now,
        reason=reason,
    )


def auto_accept(*, submissions: list[Submission], now: datetime) -> bool:
    """Accept new submissions unless one of them needs review, or they wait for gold.

    Gold uses work that waits. Otherwise the reward alone would pay junk better than work. Return True
    if they were accepted.
    """
    if not submissions or any(
        submission.problem or submission.state != SubmissionState.SUBMITTED
        for submission in submissions
    ):
        return False
    assignment = submissions[0].assignment
    assert assignment
    if assignment.state not in (AssignmentState.SUBMITTED, AssignmentState.APPROVED):
        return False  # it was rejected at the marketplace
    if assignment.state == AssignmentState.SUBMITTED and _waits_for_gold(submissions):
        for submission in submissions:
            _change_state(submission, SubmissionState.WAITING, ACTOR, now)
        return False
    accept_assignment(assignment=assignment, actor=ACTOR, now=now, is_checked=False)
    return True


@transaction.atomic
def end_wait(*, assignment: Assignment, review_reason: str, now: datetime) -> bool:
    """Accept work that waited for gold, or leave it to a person if there is a reason to review it.

    Work that the marketplace has approved is paid, so that it is accepted in any case. What the
    marketplace has rejected is rejected here too. Return True if the work was accepted.
    """
    assignment = lock_assignment(assignment=assignment)
    undecided = [SubmissionState.WAITING, SubmissionState.SUBMITTED]
    rows = list(assignment.submissions.filter(state__in=undecided))
    waiting = [row for row in rows if row.state == SubmissionState.WAITING]
    if assignment.state in (AssignmentState.REJECTING, AssignmentState.REJECTED):
        for submission in waiting:
            change_state(
                instance=submission,
                new=SubmissionState.REJECTED,
                transitions=REJECTED_ELSEWHERE,
                actor="marketplace",
                now=now,
            )
    elif rows and (not review_reason or assignment.state == AssignmentState.APPROVED):
        accept_assignment(assignment=assignment, actor=ACTOR, now=now, is_checked=False)
        return True
    else:
        for submission in waiting:
            change_state(
                instance=submission,
                new=SubmissionState.SUBMITTED,
                transitions=TRANSITIONS,
                actor=ACTOR,
                now=now,
                reason=review_reason,
                problem=review_reason,
            )
    return False
