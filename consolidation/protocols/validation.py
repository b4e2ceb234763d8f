"""Validation: several workers judge one generation (FitzGerald et al. 2018, section 2)."""

from collections.abc import Callable, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet

from annotation.domain.publishing.republish import still_published
from annotation.enums import LIVE, SubmissionState
from annotation.models import Submission
from audit.domain.change_state import change_state
from consolidation.domain.case_records import TRANSITIONS, sources_of
from consolidation.domain.gold.add_gold import add_gold
from consolidation.enums import CaseState, GoldSource
from consolidation.models import Case, CaseTask, Judgment
from consolidation.protocols.base import CaseProtocol, Parse
from crowd.models import Assignment, Worker
from jobs.domain.sweep import for_each_row
from projects.domain.schemes import scheme_of
from projects.enums import Protocol, Role
from projects.models import Project
from projects.protocols import TERMS
from schemes.contract.scheme import Scheme
from schemes.contract.values import Json


def validations_of(case: Case) -> list[Submission]:
    """Return the validations of the case's round that count.

    These are the first ones, because extra ones would make agreement more likely.
    """
    accepted = Submission.objects.accepted().filter(
        item=case.item_id, role=Role.VALIDATOR, assignment__hit__task__round=case.round
    )
    return list(accepted.order_by("pk")[: case.item.project.validators_per_item])


@transaction.atomic
def _write_gold(case: Case, now: datetime) -> bool:
    """Write the case's gold with the origin of each unit.

    Return False if the case was already validated.
    """
    case = Case.objects.select_for_update().get(pk=case.pk)
    if case.state == CaseState.VALIDATED:
        return False
    settle(case=case, validations=validations_of(case), now=now)
    return True


def settle(*, case: Case, validations: Sequence[Submission], now: datetime) -> None:
    """Write the gold of these validations. The caller must lock the case's row."""
    item = case.item
    content, provenance = (
        scheme_of(item.project)
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


class Validation(CaseProtocol):
    """Several workers judge one generation."""

    name = Protocol.VALIDATION
    role = Role.VALIDATOR
    page = "consolidation:validate"
    gold_source = GoldSource.VALIDATED
    settled = CaseState.VALIDATED
    has_single_source = True

    def parser(self, scheme: Scheme) -> Parse:
        return scheme.get_validating().parse

    def is_empty(self, scheme: Scheme, sources: Sequence[Json]) -> bool:
        return scheme.get_validating().is_empty(sources)

    def write_due_gold(self, *, clock: Callable[[], datetime], limit: int = 50) -> int:
        """Write the gold of up to `limit` fully validated cases. Return the number written.

        Empty cases need no validations.
        """
        written = 0
        for rows in self.due_cases():
            written += for_each_row(
                sweep="write validated gold",
                rows=rows,
                process=_write_gold,
                clock=clock,
                limit=limit - written,
            )
        return written

    def due_cases(self) -> tuple[QuerySet[Case], QuerySet[Case]]:
        """Return the protocol's fully validated cases and its empty cases."""
        cases = Case.objects.filter(item__project__protocol=self.name).order_by("pk")
        validated = Count("item__submissions", filter=self._usable(SubmissionState.ACCEPTED))
        offered = cases.filter(state=CaseState.OFFERED).annotate(validated=validated)
        due = offered.filter(validated__gte=F("item__project__validators_per_item"))
        return due, cases.filter(is_empty=True, state=CaseState.OPEN)

    def short_cases(self, project: Project | None, now: datetime) -> QuerySet[Case]:
        """Return offered cases without a running HIT that lack validations.

        The annotation `live` is the number of submitted or accepted validations.
        """
        running = CaseTask.objects.filter(
            still_published("task__hit__"), case=OuterRef("pk"), task__round=OuterRef("round")
        )
        unrecorded = Assignment.objects.unrecorded().filter(
            hit__task__case_task__case=OuterRef("pk")
        )
        usable = self._usable(*LIVE)
        cases = Case.objects.filter(
            state=CaseState.OFFERED, task__role=Role.VALIDATOR, item__project__protocol=self.name
        )
        if project is not None:
            cases = cases.filter(item__project=project)
        return (
            cases.exclude(Exists(running))
            .exclude(Exists(unrecorded))
            .annotate(live=Count("item__submissions", filter=usable))
            .filter(live__lt=F("item__project__validators_per_item"))
        )

    def missing(self, case: Case) -> tuple[int, str]:
        live, needed = case.live, case.item.project.validators_per_item  # type: ignore[attr-defined]
        return needed - live, f"{live} of {needed} validations are valid."

    def also_excluded(self, case: Case) -> QuerySet[Worker]:
        """Return the workers who validated the case in its present round."""
        done = Submission.objects.filter(
            item=case.item_id, role=Role.VALIDATOR, assignment__hit__task__round=case.round
        )
        return Worker.objects.filter(pk__in=done.values("worker"))

    def describe(self, project: Project) -> str:
        people = f"{TERMS[self.name].noun}s"
        return f"{project.validators_to_agree} of {project.validators_per_item} {people} agree"

    def min_workers(self, project: Project) -> int:
        items = project.items.filter(in_production=True).order_by().values("sentence")
        most = items.annotate(n=Count("pk")).aggregate(most=Max("n"))["most"] or 1
        return int(most) + project.validators_per_item

    def _usable(self, *states: str) -> Q:
        """Match validations of a case's item in these states."""
        return Q(item__submissions__role=Role.VALIDATOR, item__submissions__state__in=states)


VALIDATION = Validation()
