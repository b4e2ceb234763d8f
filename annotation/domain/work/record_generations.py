"""The sweep that records generators' finished work."""

from collections.abc import Callable
from datetime import datetime

from django.db import transaction

from annotation.domain.corpus.parse_generation import parse_generation
from annotation.domain.decisions.decide_submission import auto_accept
from annotation.domain.work.record_assignment import record_assignment
from crowd.models import Assignment
from jobs.domain.sweep import for_each_row
from projects.enums import Role


def record_new_generations(*, clock: Callable[[], datetime], limit: int = 50) -> int:
    """Record up to `limit` assignments and accept those without problems.

    Return the number recorded.
    """
    unrecorded = Assignment.objects.unrecorded().filter(hit__task__role=Role.GENERATOR)
    return for_each_row(
        sweep="record generations",
        rows=unrecorded.only("pk").order_by("pk"),
        process=_record,
        clock=clock,
        limit=limit,
    )


@transaction.atomic
def _record(assignment: Assignment, now: datetime) -> int:
    submissions = record_assignment(assignment_id=assignment.pk, parse=parse_generation, now=now)
    auto_accept(submissions=submissions, now=now)
    return 1
