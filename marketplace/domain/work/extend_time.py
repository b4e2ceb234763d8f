"""More time for accepted assignments.

WCAG 2.2.1 asks that a worker is warned, and can extend a time limit ten times.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.utils.translation import gettext

from marketplace.domain.answer_document import GRACE
from marketplace.domain.errors import RefusalError, WrongStateError
from marketplace.domain.find import find
from marketplace.domain.work import work
from marketplace.enums import AssignmentStatus
from marketplace.models import Assignment, WorkerAccount

MAX_EXTENSIONS = 10
# An extension is a quarter of the time, and the warning comes in its last tenth, both within limits.
SHORTEST = timedelta(minutes=5)
LONGEST = timedelta(hours=1)
#: WCAG's least time to answer the warning.
MIN_NOTICE = timedelta(seconds=20)


@dataclass(frozen=True, slots=True)
class TimeLeft:
    """What the worker's page needs to warn of the end of the time."""

    seconds: float
    warning_seconds: int
    extensions: int
    #: The minutes of one more extension, or 0 if there is none.
    more_minutes: int


def time_left(assignment: Assignment, *, now: datetime) -> TimeLeft:
    duration = timedelta(seconds=assignment.hit_type.duration_seconds)
    can_extend = assignment.extensions < MAX_EXTENSIONS
    return TimeLeft(
        seconds=max(0.0, (assignment.deadline_at - now).total_seconds()),
        warning_seconds=int(_warning(duration).total_seconds()),
        extensions=assignment.extensions,
        more_minutes=int(_extension(duration).total_seconds()) // 60 if can_extend else 0,
    )


@transaction.atomic
def extend_time(
    *, worker: WorkerAccount, assignment_code: str, seen: int, now: datetime
) -> Assignment:
    """Move the deadline of an accepted assignment, at most MAX_EXTENSIONS times.

    `seen` is the number of extensions that the worker's page knows of. If there were more, the request
    is repeated or another window's, and changes nothing. Raise RefusalError if it is too late.
    """
    rows = work.locked_assignments().filter(worker=worker)
    assignment = find(rows, "Assignment", assignment_code)
    if assignment.status != AssignmentStatus.ACCEPTED:
        raise WrongStateError("Assignment", allowed="Accepted", current=assignment.status)
    if now > assignment.deadline_at + GRACE:
        raise RefusalError("InvalidAssignmentState", str(work.EXPIRED))
    assignment.hit_type = assignment.hit.hit_type
    if assignment.extensions != seen:
        return assignment
    if assignment.extensions >= MAX_EXTENSIONS:
        raise RefusalError(
            "InvalidAssignmentState",
            gettext("The time was extended %(max_extensions)s times already.")
            % {"max_extensions": MAX_EXTENSIONS},
        )
    assignment.deadline_at += _extension(timedelta(seconds=assignment.hit_type.duration_seconds))
    assignment.extensions += 1
    assignment.save(update_fields=["deadline_at", "extensions"])
    return assignment


def _extension(duration: timedelta) -> timedelta:
    minutes = min(max(duration / 4, SHORTEST), LONGEST) // timedelta(minutes=1)
    return timedelta(minutes=minutes)


def _warning(duration: timedelta) -> timedelta:
    """Return how long before the end of the time the worker is warned."""
    return min(max(duration / 10, SHORTEST), LONGEST, max(duration / 2, MIN_NOTICE))
