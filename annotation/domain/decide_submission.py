"""Submissions accepted or rejected, and with them the assignment that carried them."""

from datetime import datetime, timedelta

from django.db import transaction

from annotation.domain.publish import batch_terms
from annotation.domain.reoffer import has_room_for
from annotation.enums import SubmissionState
from annotation.models import Batch, Submission
from audit.domain.change_state import Moves, change_state
from crowd.domain.decide_assignment import BonusAward, approve_assignment, reject_assignment
from crowd.domain.pay_scheme import bonus_cents, explain_bonus
from crowd.enums import AssignmentState
from crowd.models import Assignment
from schemes.registry import get_scheme

# MTurk lets a rejection be overridden for 30 days after the work was submitted.
OVERTURN_WITHIN = timedelta(days=30)
MOVES: Moves = {
    SubmissionState.SUBMITTED: [
        SubmissionState.ACCEPTED,
        SubmissionState.REJECTED,
        SubmissionState.WITHDRAWN,
    ],
    # Also when its rejection was refused by the marketplace, and somebody has to decide again.
    SubmissionState.REJECTED: [SubmissionState.ACCEPTED, SubmissionState.WITHDRAWN],
}


@transaction.atomic
def accept_assignment(*, assignment: Assignment, actor: str, now: datetime) -> None:
    """Accept all its submissions, approve it and owe its bonus. A repeat changes nothing.

    Work that can't be read, or that was withdrawn, is paid for and set aside: nothing may be built
    on it. Raises MoveRefused when one of the submissions can't be accepted.
    """
    submissions = list(assignment.submissions.select_related("item__project"))
    for one in submissions:
        usable = one.is_readable and one.state != SubmissionState.WITHDRAWN
        new = SubmissionState.ACCEPTED if usable else SubmissionState.WITHDRAWN
        change_state(instance=one, new=new, moves=MOVES, actor=actor, now=now)
    approve_assignment(assignment=assignment, bonus=bonus_for(submissions), actor=actor, now=now)


class CanNotOverturn(ValueError):
    """The assignment isn't rejected, or the marketplace takes no other word on it any more."""


@transaction.atomic
def overturn_rejection(
    *, assignment: Assignment, use: bool, reason: str, actor: str, now: datetime
) -> None:
    """Pay what was rejected, after an appeal or a second look; with `use` its submissions count again
    and earn their bonus, unless their place has gone to somebody else by now. Raises CanNotOverturn,
    MoveRefused, ValueError without a reason."""
    if not reason.strip():
        raise ValueError("Say why: the reason is kept with the work.")
    # Held against a re-offer of the same place at the same moment.
    Batch.objects.select_for_update(of=("self",)).filter(tasks__hit=assignment.hit_id).first()
    assignment = Assignment.objects.select_for_update().get(pk=assignment.pk)
    if assignment.state not in (AssignmentState.REJECTING, AssignmentState.REJECTED):
        raise CanNotOverturn(f"Assignment {assignment} is {assignment.state}, not rejected.")
    if now - assignment.submitted_at > OVERTURN_WITHIN:
        raise CanNotOverturn(
            f"Assignment {assignment} was submitted more than {OVERTURN_WITHIN.days} days ago; the "
            "marketplace takes no approval any more. Compensate the worker instead."
        )
    if use and not all(has_room_for(submission=one) for one in assignment.submissions.all()):
        raise CanNotOverturn(
            "The place of this work has been given to somebody else: pay it and leave it out."
        )
    Assignment.objects.filter(pk=assignment.pk).update(decision_reason=reason)
    if use:
        accept_assignment(assignment=assignment, actor=actor, now=now)
    else:
        approve_assignment(assignment=assignment, bonus=None, actor=actor, now=now)


@transaction.atomic
def reject_submissions(*, assignment: Assignment, reason: str, actor: str, now: datetime) -> None:
    """Reject the assignment with all its submissions. Raises MoveRefused, ValueError without reason."""
    reject_assignment(assignment=assignment, reason=reason, actor=actor, now=now)
    for one in assignment.submissions.all():
        change_state(
            instance=one,
            new=SubmissionState.REJECTED,
            moves=MOVES,
            actor=actor,
            now=now,
            reason=reason,
        )


def bonus_for(submissions: list[Submission]) -> BonusAward | None:
    """What the pay scheme adds to the reward, with the calculation in words; None for nothing."""
    amount, reasons = 0, []
    for one in submissions:
        if not one.is_readable:
            continue
        assert one.assignment
        terms = batch_terms(one.assignment.hit.task.batch)
        units = get_scheme(one.item.project.scheme).count_units(one.content, role=one.role)
        if bonus := bonus_cents(terms, units):
            amount += bonus
            reasons.append(explain_bonus(terms, units))
    if not amount:
        return None
    return BonusAward(amount_cents=amount, reason=f"Thank you! {' '.join(reasons)}"[:2000])


def accept_if_sound(*, submissions: list[Submission], now: datetime) -> bool:
    """Accept an assignment's fresh submissions unless one of them waits for a person; says whether."""
    if not submissions or any(
        one.problem or one.state != SubmissionState.SUBMITTED for one in submissions
    ):
        return False
    assignment = submissions[0].assignment
    assert assignment
    if assignment.state not in (AssignmentState.SUBMITTED, AssignmentState.APPROVED):
        return False  # somebody rejected it at the marketplace
    accept_assignment(assignment=assignment, actor="automatic acceptance", now=now)
    return True
