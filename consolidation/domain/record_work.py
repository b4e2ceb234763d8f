"""Record the work of consolidators and validators on cases."""

from collections.abc import Callable
from datetime import datetime

from django.db import transaction

from annotation.domain.decide_submission import auto_accept
from annotation.domain.item_context import context_of, scheme_of
from annotation.domain.record_assignment import record_assignment
from annotation.enums import SubmissionState
from annotation.models import Item, Submission
from consolidation.domain.cases import case_of_assignment, sources_of
from consolidation.domain.open_cases import excluded_workers
from consolidation.models import Case
from consolidation.protocols import CASE_ROLES, protocol_of, protocol_of_role
from crowd.models import Assignment
from jobs.domain.sweep import for_each_row
from schemes.base import Json


def parse_for_case(case: Case) -> Callable[[Item, object], Json]:
    """Return the parser of work on this case."""
    sources = sources_of(case)
    item = case.item
    protocol = protocol_of_role(case.task.role) if case.task else protocol_of(item.project)
    read = protocol.parser(scheme_of(item))

    def parse(item: Item, content: object) -> Json:
        return read(content, context_of(item), sources)

    return parse


def record_new_case_work(*, clock: Callable[[], datetime], limit: int = 50) -> int:
    """Record up to `limit` assignments of consolidators and validators. Return the number."""
    unrecorded = Assignment.objects.unrecorded().filter(hit__task__role__in=CASE_ROLES)
    return for_each_row(
        sweep="record case work",
        rows=unrecorded.only("pk").order_by("pk"),
        process=_record,
        clock=clock,
        limit=limit,
    )


@transaction.atomic
def _record(assignment: Assignment, now: datetime) -> int:
    case = case_of_assignment(assignment.pk)
    parse = parse_for_case(case)
    submissions = record_assignment(assignment_id=assignment.pk, parse=parse, now=now)
    for submission in submissions:
        _check_independence(submission, case)
    auto_accept(submissions=submissions, now=now)
    return 1


def _check_independence(submission: Submission, case: Case) -> None:
    """Flag a submission for review if its worker annotated the item.

    The marketplace should already have excluded such workers.
    """
    problem = dependence_of(submission, case)
    if problem and submission.state == SubmissionState.SUBMITTED:
        submission.problem = f"{submission.problem} {problem}".strip()
        submission.save(update_fields=["problem"])


def dependence_of(submission: Submission, case: Case) -> str:
    """Return why the submission isn't independent of its sources, or an empty string."""
    assignment = submission.assignment
    assert assignment
    if case.given is not None:
        return ""
    excluded = excluded_workers(
        case.item, but_assignment=assignment.external_id, before=assignment.accepted_at
    )
    if submission.worker in excluded:
        return f"The {submission.role} wrote one of the annotations."
    return ""
