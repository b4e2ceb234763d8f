"""Consolidators' and validators' finished work, taken in, and the gold that comes of a consolidation.

What comes of validations is in `record_validated_gold`.
"""

from collections.abc import Callable
from datetime import datetime

from django.db import transaction
from django.db.models import Max

from annotation.domain.decide_submission import accept_if_sound
from annotation.domain.record_assignment import record_assignment
from annotation.enums import Protocol, Role, SubmissionState
from annotation.models import Item, Project, Submission, Task
from audit.domain.change_state import Moves, change_state
from consolidation.domain.index_gold import index_gold
from consolidation.domain.open_cases import case_of_task, excluded_workers
from consolidation.enums import SOURCES, CaseState, GoldSource
from consolidation.models import Case, Gold
from crowd.models import Assignment
from schemes.base import Json
from schemes.registry import get_scheme

MOVES: Moves = {
    # Without an offer where there is nothing to validate.
    CaseState.OPEN: [CaseState.VALIDATED],
    CaseState.OFFERED: [CaseState.CONSOLIDATED, CaseState.VALIDATED],
    CaseState.CONSOLIDATED: [CaseState.OFFERED],
}


def own_source(project: Project) -> GoldSource:
    """The source of the gold that the project makes itself."""
    return SOURCES[Protocol(project.protocol)]


def sources_of(case: Case) -> list[Json]:
    """The contents of the case's submissions, in the order in which pages show them; in a round for
    trainees those that are given."""
    if case.given is not None:
        return list(case.given)
    return [one.submission.content for one in case.sources.select_related("submission")]


def parse_for_case(case: Case) -> Callable[[Item, object], Json]:
    """The scheme's reading of a consolidation of this case, or of a validation."""
    sources = sources_of(case)
    scheme = get_scheme(case.item.project.scheme)
    is_validation = case.item.project.protocol == Protocol.VALIDATION
    read = scheme.parse_validation if is_validation else scheme.parse_consolidation

    def parse(item: Item, content: object) -> Json:
        return read(content, tokens=item.sentence.tokens, target=item.target, sources=sources)

    return parse


def record_new_case_work(*, clock: Callable[[], datetime], limit: int = 50) -> int:
    """Record and, where sound, accept up to `limit` assignments of consolidators and validators;
    returns how many were recorded."""
    unrecorded = Assignment.objects.unrecorded().filter(
        hit__task__role__in=[Role.CONSOLIDATOR, Role.VALIDATOR]
    )
    done = 0
    for pk in unrecorded.order_by("pk").values_list("pk", flat=True)[:limit]:
        record_case_work(assignment_id=pk, now=clock())
        done += 1
    return done


@transaction.atomic
def record_case_work(*, assignment_id: int, now: datetime) -> bool:
    """Take in one piece of work on a case, once; says whether it could be accepted without a person's
    look."""
    case = case_of_task(Task.objects.get(hit__assignments=assignment_id))
    submissions = record_assignment(
        assignment_id=assignment_id, parse=parse_for_case(case), now=now
    )
    for one in submissions:
        _check_independence(one, case)
    return accept_if_sound(submissions=submissions, now=now)


def _check_independence(submission: Submission, case: Case) -> None:
    """The marketplace keeps a generator out; if one got in all the same, a person decides."""
    problem = dependence_of(submission, case)
    if problem and submission.state == SubmissionState.SUBMITTED:
        submission.problem = f"{submission.problem} {problem}".strip()
        submission.save(update_fields=["problem"])


def dependence_of(submission: Submission, case: Case) -> str:
    """Why the work isn't independent of what it merges or judges; empty if it is."""
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
    """The case that a consolidator's or validator's submission was handed in for."""
    return case_of_task(Task.objects.get(hit__assignments=submission.assignment_id))


def write_due_gold(*, clock: Callable[[], datetime], limit: int = 50) -> int:
    """Write the gold of up to `limit` accepted consolidations that have none; returns how many.

    A sweep of its own, so that work which a person accepted later becomes gold in the same way.
    What trainees merge in a qualification round is compared with a reference, and stays out.
    """
    due = Submission.objects.accepted().filter(
        role=Role.CONSOLIDATOR, gold=None, item__in_production=True
    )
    written = 0
    for submission in due.order_by("pk").select_related("item__project", "worker", "author")[
        :limit
    ]:
        write_gold_of(submission=submission, now=clock())
        written += 1
    return written


@transaction.atomic
def write_gold_of(*, submission: Submission, now: datetime) -> Gold:
    """The gold of an accepted consolidation, with where each question came from."""
    case = Case.objects.select_for_update().get(pk=case_of(submission).pk)
    if existing := Gold.objects.filter(submission=submission).first():
        return existing
    item = submission.item
    content, origins = get_scheme(item.project.scheme).gold_of(submission.content, sources_of(case))
    change_state(
        instance=case,
        new=CaseState.CONSOLIDATED,
        moves=MOVES,
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
    """The next version of the item's gold from this source."""
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
