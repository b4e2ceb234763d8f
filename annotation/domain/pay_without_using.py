"""Pay for work that is not used because it is unreadable, not independent or a repeat."""

from datetime import datetime

from django.db import transaction

from annotation.domain.decide_submission import TRANSITIONS, bonus_for, lock_assignment
from annotation.enums import SubmissionState
from audit.domain.change_state import change_state
from crowd.domain.decide_assignment import approve_assignment
from crowd.models import Assignment


@transaction.atomic
def pay_without_using(*, assignment: Assignment, actor: str, now: datetime) -> None:
    """Withdraw the assignment's submissions and record the pay for the readable ones as owed.

    A repeat changes nothing. Raise TransitionNotAllowedError if a submission is accepted or
    rejected.
    """
    lock_assignment(assignment=assignment)
    submissions = list(assignment.submissions.select_related("item__project"))
    for submission in submissions:
        change_state(
            instance=submission,
            new=SubmissionState.WITHDRAWN,
            transitions=TRANSITIONS,
            actor=actor,
            now=now,
            reason="paid, but not used",
        )
    approve_assignment(assignment=assignment, bonus=bonus_for(submissions), actor=actor, now=now)
