"""Record consolidators' and validators' work, and write the gold of consolidations.

Gold of validations is written in `record_validated_gold`.
"""

from collections.abc import Callable
from datetime import datetime

from django.db import transaction
from django.db.models import Max

from annotation.domain.decide_submission import auto_accept
from annotation.domain.record_assignment import record_assignment
from annotation.enums import SubmissionState
from annotation.models import Item, Submission
from audit.domain.change_state import Transitions, change_state
from consolidation.domain.index_gold import index_gold
from consolidation.domain.open_cases import CASE_ROLES, case_of_assignment, excluded_workers
from consolidation.enums import SOURCES, CaseState, GoldSource
from consolidation.models import Case, Gold
from crowd.models import Assignment
from jobs.domain.sweep import for_each_row
from projects.enums import Protocol, Role
from projects.models import Project
from schemes.base import Json
from schemes.registry import get_scheme

TRANSITIONS: Transitions = {
    # A case without questions is validated without being offered.
    CaseState.OPEN: [CaseState.VALIDATED],
    CaseState.OFFERED: [CaseState.CONSOLIDATED, CaseState.VALIDATED],
    CaseState.CONSOLIDATED: [CaseState.OFFERED],
}


def own_source(project: Project) -> GoldSource:
    """Return the source of the gold that the project produces."""
    return SOURCES[Protocol(project.protocol)]


def sources_of(case: Case) -> list[Json]:
    """Return the contents of the case's submissions in display order.

    A case in a qualification round has given contents instead.
    """
    if case.given is not None:
        return list(case.given)
    return [source.submission.content for source in case.sources.select_related("submission")]


def parse_for_case(case: Case) -> Callable[[Item, object], Json]:
    """Return a parser of consolidations or validations of this case."""
    sources = sources_of(case)
    scheme = get_scheme(case.item.project.scheme)
    is_validation = case.item.project.protocol == Protocol.VALIDATION
    read = scheme.parse_validation if is_validation else scheme.parse_consolidation

    def parse(item: Item, content: object) -> Json:
        return read(content, tokens=item.sentence.tokens, target=item.target, sources=sources)

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


def case_of(submission: Submission) -> Case:
    """Return the case of a consolidator's or validator's submission."""
    assert submission.assignment_id
    return case_of_assignment(submission.assignment_id)


def write_due_gold(*, clock: Callable[[], datetime], limit: int = 50) -> int:
    """Write the gold of up to `limit` accepted consolidations. Return the number written.

    This is a separate sweep, so that work accepted later by a person also becomes gold.
    Consolidations in a qualification round are compared with a reference and never become gold.
    """
    due = Submission.objects.accepted().filter(
        role=Role.CONSOLIDATOR, gold=None, item__in_production=True
    )
    return for_each_row(
        sweep="write gold",
        rows=due.order_by("pk").select_related("item__project", "worker", "author"),
        process=_write_gold,
        clock=clock,
        limit=limit,
    )


def _write_gold(submission: Submission, now: datetime) -> int:
    write_gold_of(submission=submission, now=now)
    return 1


@transaction.atomic
def write_gold_of(*, submission: Submission, now: datetime) -> Gold:
    """Write the gold of an accepted consolidation with the origin of each question."""
    case = Case.objects.select_for_update().get(pk=case_of(submission).pk)
    if existing := Gold.objects.filter(submission=submission).first():
        return existing
    item = submission.item
    content, origins = get_scheme(item.project.scheme).gold_of(submission.content, sources_of(case))
    change_state(
        instance=case,
        new=CaseState.CONSOLIDATED,
        transitions=TRANSITIONS,
        actor=str(submission.worker or submission.author),
        now=now,
    )
    return add_gold(
        item=item,
        source=GoldSource.CONSOLIDATED,
        content=content,
        provenance=origins,
        case=case,
        submission=submission,
        now=now,
    )


@transaction.atomic
def add_gold(
    *,
    item: Item,
    source: str,
    content: Json,
    provenance: list[Json],
    now: datetime,
    case: Case | None = None,
    submission: Submission | None = None,
) -> Gold:
    """Add the next version of the item's gold from this source."""
    Item.objects.select_for_update(of=("self",)).get(pk=item.pk)
    last = item.gold.filter(source=source).aggregate(last=Max("version"))["last"] or 0
    gold = Gold.objects.create(
        item=item,
        source=source,
        version=last + 1,
        content=content,
        schema_version=get_scheme(item.project.scheme).schema_version,
        provenance=provenance,
        case=case,
        submission=submission,
        created_at=now,
    )
    index_gold(gold=gold)
    return gold
