"""Work that is paid for and not used: unreadable, not independent, or done by the worker before."""

from datetime import datetime

from django.db import transaction

from annotation.domain.decide_submission import MOVES, bonus_for
from annotation.enums import SubmissionState
from audit.domain.change_state import change_state
from crowd.domain.decide_assignment import approve_assignment
from crowd.models import Assignment


@transaction.atomic
def pay_and_set_aside(*, assignment: Assignment, actor: str, now: datetime) -> None:
    """Withdraw the assignment's submissions and owe what they earned, as far as they can be read.
    A repeat changes nothing. Raises MoveRefused when one of them is accepted or rejected."""
    submissions = list(assignment.submissions.select_related("item__project"))
    for one in submissions:
        change_state(
            instance=one,
            new=SubmissionState.WITHDRAWN,
            moves=MOVES,
            actor=actor,
            now=now,
            reason="paid, but not used",
        )
    approve_assignment(assignment=assignment, bonus=bonus_for(submissions), actor=actor, now=now)
