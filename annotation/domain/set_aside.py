"""Work that is paid for and not used: unreadable content, or an item that the worker had done before."""

from datetime import datetime

from django.db import transaction

from annotation.enums import SubmissionState
from audit.domain.change_state import Moves, change_state
from crowd.domain.decide_assignment import approve_assignment
from crowd.models import Assignment

MOVES: Moves = {
    SubmissionState.SUBMITTED: [SubmissionState.WITHDRAWN],
    # Its rejection was refused by the marketplace, and somebody has to decide again.
    SubmissionState.REJECTED: [SubmissionState.WITHDRAWN],
}


@transaction.atomic
def pay_and_set_aside(*, assignment: Assignment, actor: str, now: datetime) -> None:
    """Withdraw the assignment's submissions and owe its reward, without a bonus: there is nothing
    that could be counted. A repeat changes nothing. Raises MoveRefused when one of them is decided."""
    for one in assignment.submissions.all():
        change_state(
            instance=one,
            new=SubmissionState.WITHDRAWN,
            moves=MOVES,
            actor=actor,
            now=now,
            reason="paid, but not used",
        )
    approve_assignment(assignment=assignment, bonus=None, actor=actor, now=now)
