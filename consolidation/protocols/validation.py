"""Validation: several workers judge one generation (FitzGerald et al. 2018, section 2)."""

from collections.abc import Callable, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet

from annotation.domain.item_context import scheme_of
from annotation.domain.republish import still_published
from annotation.enums import SubmissionState
from annotation.models import Item, Submission
from audit.domain.change_state import change_state
from consolidation.domain.add_gold import add_gold
from consolidation.domain.cases import TRANSITIONS, sources_of
from consolidation.enums import CaseState, GoldSource
from consolidation.models import Case, CaseTask, Judgment
from consolidation.protocols.base import CaseProtocol, Parse
from crowd.models import Assignment, Worker
from jobs.domain.sweep import for_each_row
from projects.enums import Protocol, Role
from projects.models import Project
from schemes.base import Json, Scheme


def write_due_gold(*, clock: Callable[[], datetime], limit: int = 50) -> int:
    """Write the gold of up to `limit` fully validated cases. Return the number written.

    Empty cases need no validations.
    """
    validated = Count(
        "item__submissions",
        filter=Q(
            item__submissions__role=Role.VALIDATOR,
            item__submissions__state=SubmissionState.ACCEPTED,
        ),
    )
    cases = Case.objects.filter(item__project__protocol=Protocol.VALIDATION).order_by("pk")
    offered = cases.filter(state=CaseState.OFFERED).annotate(validated=validated)
    due = offered.filter(validated__gte=F("item__project__validators_per_item"))
    written = 0
    for rows in (due, cases.filter(is_empty=True, state=CaseState.OPEN)):
        written += for_each_row(
            sweep="write validated gold",
            rows=rows,
            process=_write_gold,
            clock=clock,
            limit=limit - written,
        )
    return written


@transaction.atomic
def _write_gold(case: Case, now: datetime) -> bool:
    """Write the case's gold with the origin of each unit.

    Return False if the case was already validated.
    """
    case = Case.objects.select_for_update().get(pk=case.pk)
    if case.state == CaseState.VALIDATED:
        return False
    item = case.item
    accepted = Submission.objects.accepted().filter(item=item, role=Role.VALIDATOR)
    # Only the first validations, because extra ones would make agreement more likely.
    validations = list(accepted.order_by("pk")[: item.project.validators_per_item])
    content, provenance = (
        scheme_of(item)
        .get_validating()
        .gold_of(
            sources_of(case),
            [validation.content for validation in validations],
            item.project.validators_to_agree,
        )
    )
    change_state(
        instance=case, new=CaseState.VALIDATED, transitions=TRANSITIONS, actor="automatic", now=now
    )
    gold = add_gold(
        item=item,
        source=GoldSource.VALIDATED,
        content=content,
        provenance=provenance,
        case=case,
        now=now,
    )
    Judgment.objects.bulk_create(
        Judgment(gold=gold, submission=validation, position=position)
        for position, validation in enumerate(validations)
    )
    return True


def short_cases(project: Project | None, now: datetime) -> QuerySet[Case]:
    """Return offered cases without a running HIT that lack validations.

    The annotation `live` is the number of submitted or accepted validations.
    """
    running = CaseTask.objects.filter(still_published("task__hit__"), case=OuterRef("pk"))
    unrecorded = Assignment.objects.unrecorded().filter(hit__task__case_task__case=OuterRef("pk"))
    usable = Q(
        item__submissions__role=Role.VALIDATOR,
        item__submissions__state__in=[SubmissionState.SUBMITTED, SubmissionState.ACCEPTED],
    )
    cases = Case.objects.filter(state=CaseState.OFFERED, task__role=Role.VALIDATOR)
    if project is not None:
        cases = cases.filter(item__project=project)
    return (
        cases.exclude(Exists(running))
        .exclude(Exists(unrecorded))
        .annotate(live=Count("item__submissions", filter=usable))
        .filter(live__lt=F("item__project__validators_per_item"))
    )


def _parser(scheme: Scheme) -> Parse:
    return scheme.get_validating().parse


def _is_empty(scheme: Scheme, sources: Sequence[Json]) -> bool:
    return scheme.get_validating().is_empty(sources)


def _missing(case: Case) -> tuple[int, str]:
    live, needed = case.live, case.item.project.validators_per_item  # type: ignore[attr-defined]
    return needed - live, f"{live} of {needed} validations are valid."


def _also_excluded(item: Item) -> QuerySet[Worker]:
    validators = {"submissions__item": item, "submissions__role": Role.VALIDATOR}
    return Worker.objects.filter(**validators).distinct()


def _describe(project: Project) -> str:
    return f"{project.validators_to_agree} of {project.validators_per_item} validators agree"


def _least_workers(project: Project) -> int:
    items = project.items.filter(in_production=True).order_by().values("sentence")
    most = items.annotate(n=Count("pk")).aggregate(most=Max("n"))["most"] or 1
    return int(most) + project.validators_per_item


VALIDATION = CaseProtocol(
    name=Protocol.VALIDATION,
    role=Role.VALIDATOR,
    page="consolidation:validate",
    gold_source=GoldSource.VALIDATED,
    settled=CaseState.VALIDATED,
    has_single_source=True,
    parser=_parser,
    is_empty=_is_empty,
    write_due_gold=write_due_gold,
    short_cases=short_cases,
    missing=_missing,
    also_excluded=_also_excluded,
    describe=_describe,
    least_workers=_least_workers,
)
