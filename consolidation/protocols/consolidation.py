"""Consolidation: another worker merges independent generations (Roit et al. 2020, section 3)."""

from collections.abc import Callable
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from annotation.domain.publishing.republish import ENDED, unsettled, with_work_to_come
from annotation.models import Submission
from audit.domain.change_state import change_state
from consolidation.domain.case_records import TRANSITIONS, case_of, sources_of
from consolidation.domain.gold.add_gold import add_gold
from consolidation.enums import CaseState, GoldSource
from consolidation.models import Case, Gold
from consolidation.protocols.base import CaseProtocol, Parse
from crowd.models import Hit
from jobs.domain.sweep import for_each_row
from projects.domain.schemes import scheme_of
from projects.enums import Protocol, Role
from projects.models import Project
from schemes.contract.scheme import Scheme


def _write_gold(submission: Submission, now: datetime) -> int:
    write_gold_of(submission=submission, now=now)
    return 1


@transaction.atomic
def write_gold_of(*, submission: Submission, now: datetime) -> Gold:
    """Write the gold of an accepted consolidation with the origin of each unit."""
    case = Case.objects.select_for_update().get(pk=case_of(submission).pk)
    if existing := Gold.objects.filter(submission=submission).first():
        return existing
    item = submission.item
    content, origins = (
        scheme_of(item.project).get_merging().gold_of(submission.content, sources_of(case))
    )
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


class Consolidation(CaseProtocol):
    """Another worker merges independent generations."""

    name = Protocol.CONSOLIDATION
    role = Role.CONSOLIDATOR
    page = "consolidation:consolidate"
    gold_source = GoldSource.CONSOLIDATED
    settled = CaseState.CONSOLIDATED

    def parser(self, scheme: Scheme) -> Parse:
        return scheme.get_merging().parse

    def write_due_gold(self, *, clock: Callable[[], datetime], limit: int = 50) -> int:
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

    def short_cases(self, project: Project | None, now: datetime) -> QuerySet[Case]:
        """Return offered cases whose HIT has ended without usable or pending work."""
        cases = Case.objects.filter(state=CaseState.OFFERED, task__hit__state__in=ENDED)
        if project is not None:
            cases = cases.filter(item__project=project)
        cases = cases.filter(
            task__role=Role.CONSOLIDATOR, given__isnull=True, task__hit__increase_to=None
        )
        hits = Hit.objects.filter(task__case_task__case=OuterRef("pk"))
        submissions = Submission.objects.filter(
            assignment__hit__task__case_task__case=OuterRef("pk")
        )
        return (
            cases.exclude(Exists(submissions.live()))
            .exclude(Exists(unsettled(submissions)))
            .exclude(Exists(with_work_to_come(hits, now=now)))
        )

    def missing(self, case: Case) -> tuple[int, str]:
        return 1, "The case has no consolidation."

    def min_workers(self, project: Project) -> int:
        return project.generators_per_item + 1


CONSOLIDATION = Consolidation()
