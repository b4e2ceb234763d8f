"""Record the work of consolidators, validators and revisers on cases."""

from collections.abc import Callable
from datetime import datetime

from django.db import transaction

from annotation.domain.corpus.item_context import context_of
from annotation.domain.corpus.parse_generation import parse_generation
from annotation.domain.decisions.decide_submission import auto_accept
from annotation.domain.work.drafts import Parse
from annotation.domain.work.record_assignment import record_assignment
from annotation.enums import SubmissionState
from annotation.models import Item, Submission, Task
from audit.domain.change_state import change_state
from consolidation.domain.case_records import REPLACED, case_of_assignment, source_at, sources_of
from consolidation.domain.cases.open_cases import excluded_workers
from consolidation.models import Case
from consolidation.protocols import CASE_ROLES, protocol_of_role
from crowd.models import Assignment
from jobs.domain.sweep import for_each_row
from projects.domain.schemes import scheme_of
from projects.enums import Role
from schemes.contract.values import Json


def parse_for_case(case: Case, task: Task) -> Parse:
    """Return the parser of work on this case in this task."""
    if task.role == Role.REVISER:
        return parse_generation
    sources = sources_of(case, task.round)
    protocol = protocol_of_role(task.role, case.item.project)

    def parse(item: Item, content: object) -> Json:
        return protocol.parser(scheme_of(item.project))(content, context_of(item), sources)

    return parse


def record_new_case_work(*, clock: Callable[[], datetime], limit: int = 50) -> int:
    """Record up to `limit` assignments of people who work on cases. Return the number."""
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
    case, task = case_of_assignment(assignment.pk), assignment.hit.task
    if task.role == Role.REVISER:
        _replace_earlier_revision(assignment, case, now)
    parse = parse_for_case(case, task)
    submissions = record_assignment(assignment_id=assignment.pk, parse=parse, now=now)
    for submission in submissions:
        _check_independence(submission, case)
    auto_accept(submissions=submissions, now=now)
    return 1


def _replace_earlier_revision(assignment: Assignment, case: Case, now: datetime) -> None:
    """Withdraw the worker's accepted revision of an earlier round, which was paid."""
    assert assignment.hit.task
    earlier = Submission.objects.accepted().filter(
        item=case.item_id,
        role=Role.REVISER,
        worker=assignment.worker_id,
        assignment__hit__task__round__lt=assignment.hit.task.round,
    )
    for submission in earlier:
        change_state(
            instance=submission,
            new=SubmissionState.WITHDRAWN,
            transitions=REPLACED,
            actor="automatic",
            now=now,
            reason="paid, and replaced by a newer revision",
        )


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
    if submission.role == Role.REVISER:
        is_author = submission.worker == source_at(case, assignment.hit.task.round).worker
        return "" if is_author else "The reviser did not write the annotation."
    excluded = excluded_workers(
        case.item, but_assignment=assignment.external_id, before=assignment.accepted_at
    )
    if submission.worker in excluded:
        return f"The {submission.role} wrote one of the annotations."
    return ""
