"""Consolidators' finished work, taken in, and the gold that comes of it."""

from collections.abc import Callable
from datetime import datetime

from django.db import transaction
from django.db.models import Max

from annotation.domain.decide_submission import accept_if_sound
from annotation.domain.record_assignment import record_assignment
from annotation.enums import Role
from annotation.models import Item, Submission
from audit.domain.change_state import Moves, change_state
from consolidation.domain.open_cases import excluded_workers
from consolidation.enums import CaseState, GoldSource
from consolidation.models import Case, Gold
from crowd.models import Assignment
from schemes.base import Json
from schemes.registry import get_scheme

MOVES: Moves = {
    CaseState.OFFERED: [CaseState.CONSOLIDATED],
    CaseState.CONSOLIDATED: [CaseState.OFFERED],
}


def sources_of(case: Case) -> list[Json]:
    """The contents of the case's submissions, in the order in which pages show them."""
    return [one.submission.content for one in case.sources.select_related("submission")]


def parse_for_case(case: Case) -> Callable[[Item, object], Json]:
    """The scheme's reading of a consolidation of this case."""
    sources = sources_of(case)

    def parse(item: Item, content: object) -> Json:
        return get_scheme(item.project.scheme).parse_consolidation(
            content, tokens=item.sentence.tokens, target=item.target, sources=sources
        )

    return parse


def record_new_consolidations(*, clock: Callable[[], datetime], limit: int = 50) -> int:
    """Record and, where sound, accept up to `limit` assignments and write their gold; returns how
    many were recorded."""
    unrecorded = Assignment.objects.unrecorded().filter(hit__task__role=Role.CONSOLIDATOR)
    done = 0
    for pk in unrecorded.order_by("pk").values_list("pk", flat=True)[:limit]:
        record_consolidation(assignment_id=pk, now=clock())
        done += 1
    return done


@transaction.atomic
def record_consolidation(*, assignment_id: int, now: datetime) -> bool:
    """Take in one consolidation, once; says whether it could be accepted without a person's look."""
    case = Case.objects.select_related("item__project").get(task__hit__assignments=assignment_id)
    submissions = record_assignment(
        assignment_id=assignment_id, parse=parse_for_case(case), now=now
    )
    for one in submissions:
        _check_independence(one, case)
    return accept_if_sound(submissions=submissions, now=now)


def _check_independence(submission: Submission, case: Case) -> None:
    """The marketplace keeps a generator out; if one got in all the same, a person decides."""
    if submission.worker in excluded_workers(case.item):
        submission.problem = "The consolidator wrote one of the annotations."
        submission.save(update_fields=["problem"])


def write_due_gold(*, clock: Callable[[], datetime], limit: int = 50) -> int:
    """Write the gold of up to `limit` accepted consolidations that have none; returns how many.

    A sweep of its own, so that work which a person accepted later becomes gold in the same way.
    """
    due = Submission.objects.accepted().filter(role=Role.CONSOLIDATOR, gold=None).order_by("pk")
    written = 0
    for submission in due.select_related("item__project", "worker", "author")[:limit]:
        write_gold_of(submission=submission, now=clock())
        written += 1
    return written


@transaction.atomic
def write_gold_of(*, submission: Submission, now: datetime) -> Gold:
    """The gold of an accepted consolidation, with where each question came from."""
    case = Case.objects.select_for_update().get(task__hit__assignments=submission.assignment_id)
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
    return Gold.objects.create(
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
