"""The protocol as a picture: its steps with what is in each, and what waits for whom.

Controlled crowdsourcing (Roit et al. 2020, section 3): screening and training select the workers,
two of them generate for each item, a third consolidates, and gold is exported.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.db.models import Count

from annotation.domain.queries import ItemCounts, count_items, count_submissions
from annotation.enums import Role
from annotation.models import Project
from consolidation.domain.open_cases import pool_code
from consolidation.domain.queries import GoldCounts, count_gold
from consolidation.enums import CaseState
from crowd.domain.queries import PendingWork, pending_work
from crowd.enums import GrantState, HitState, PaymentState
from crowd.models import QualificationGrant
from dashboard.exports import exports_of
from qualification.enums import EnrolmentState, RoundKind
from qualification.models import Enrolment


@dataclass(frozen=True, slots=True)
class Step:
    """One step: `done` of `total` (None: there is no end to count towards), and `route`, its page."""

    name: str
    title: str
    unit: str
    done: int
    total: int | None
    notes: tuple[str, ...] = ()
    route: str = ""
    query: str = ""

    @property
    def percent(self) -> int:
        return round(100 * self.done / self.total) if self.total else 0


@dataclass(frozen=True, slots=True)
class Waiting:
    """Work that somebody has to do before it goes on. `route` leads there."""

    whom: str
    count: int
    what: str
    route: str = ""


@dataclass(frozen=True, slots=True)
class Progress:
    """Everything that the overview counts; see `progress_of`."""

    items: ItemCounts
    submissions: Mapping[tuple[str, str], int]
    gold: GoldCounts
    work: PendingWork
    enrolments: Mapping[tuple[str, str], int] = field(default_factory=dict)
    pool: int = 0
    generators_per_item: int = 2
    exports: int = 0

    def accepted(self, role: Role) -> int:
        return self.submissions.get((role, "accepted"), 0)

    def waiting_submissions(self) -> int:
        return sum(n for (_, state), n in self.submissions.items() if state == "waiting")


def progress_of(*, project: Project) -> Progress:
    """Counts from the tables as they stand; the number of queries does not depend on their size."""
    enrolments = Enrolment.objects.filter(round__project=project).order_by()
    rows = enrolments.values_list("round__kind", "state").annotate(n=Count("pk"))
    return Progress(
        items=count_items(project=project),
        submissions=count_submissions(project=project),
        gold=count_gold(project=project),
        work=pending_work(budget=project.budget, qualification_prefix=f"{project.slug}-"),
        enrolments={(kind, state): n for kind, state, n in rows},
        pool=pool_size(project=project, role=Role.GENERATOR),
        generators_per_item=project.generators_per_item,
        exports=sum(one.is_finished for one in exports_of(project)),
    )


def pool_size(*, project: Project, role: Role) -> int:
    """How many workers hold the project's qualification for a role."""
    return QualificationGrant.objects.filter(
        qualification_type__provider=project.provider,
        qualification_type__code=pool_code(project, role),
        state__in=[GrantState.PENDING, GrantState.HELD],
    ).count()


def steps_of(progress: Progress) -> list[Step]:
    """Screening, training, generation, consolidation, gold, export."""
    return [
        _round_step(progress, RoundKind.SCREENING, "workers enrolled"),
        _round_step(
            progress, RoundKind.TRAINING, "workers passed", _count(progress.pool, "in the pool")
        ),
        _generation(progress),
        _consolidation(progress),
        _gold(progress),
        Step("export", "Export", "exports finished", progress.exports, None, route="exports"),
    ]


def _round_step(progress: Progress, kind: RoundKind, unit: str, *notes: str) -> Step:
    states = {state: n for (of, state), n in progress.enrolments.items() if of == kind}
    everyone = sum(states.values())
    passed = states.get(EnrolmentState.PASSED, 0)
    done = everyone if kind == RoundKind.SCREENING else passed
    told = [_count(passed, "passed")] if kind == RoundKind.SCREENING else []
    total = None if kind == RoundKind.SCREENING else everyone or None
    return Step(kind.value, kind.label.capitalize(), unit, done, total, (*told, *notes))


def _generation(progress: Progress) -> Step:
    items = progress.items
    return Step(
        "generation",
        "Generation",
        "annotations accepted",
        progress.accepted(Role.GENERATOR),
        items.items * progress.generators_per_item,
        (_count(items.offered, f"of {items.items:,} items published"),),
        "items",
        "state=generating",
    )


def _consolidation(progress: Progress) -> Step:
    cases = progress.gold.cases
    done = cases.get(CaseState.CONSOLIDATED, 0)
    still = cases.get(CaseState.OPEN, 0) + cases.get(CaseState.OFFERED, 0)
    return Step(
        "consolidation",
        "Consolidation",
        "cases consolidated",
        done,
        progress.items.items,
        (_count(still, "cases open"),),
        "items",
        "state=case-open",
    )


def _gold(progress: Progress) -> Step:
    by_source = progress.gold.items_by_source
    notes = tuple(_count(n, source) for source, n in sorted(by_source.items()))
    return Step(
        "gold",
        "Gold",
        "items with gold",
        progress.gold.items,
        progress.items.items,
        notes,
        "items",
        "state=consolidated",
    )


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}"


def waiting_of(progress: Progress) -> list[Waiting]:
    """What can't go on by itself yet and whose turn it is; people before machines."""
    hits, payments = progress.work.hits, progress.work.payments
    finished = sum(
        n for (_, state), n in progress.enrolments.items() if state == EnrolmentState.FINISHED
    )
    every = [
        Waiting(
            "requester", progress.waiting_submissions(), "submissions to decide", "submissions"
        ),
        Waiting("requester", progress.items.unoffered, "items not published", "publish"),
        Waiting(
            "requester", payments.get(PaymentState.HELD, 0), "payments wait for budget", "jobs"
        ),
        Waiting("requester", _refused(progress.work), "HITs and payments refused", "jobs"),
        Waiting("trainer", finished, "trainees to judge"),
        Waiting("expert", progress.gold.reviews, "gold annotations to review"),
        Waiting("workers", hits.get(HitState.LIVE, 0), "HITs are live"),
        Waiting("the marketplace", hits.get(HitState.PENDING, 0), "HITs to be created", "jobs"),
        Waiting("the marketplace", _on_their_way(progress.work), "payments on their way", "jobs"),
    ]
    return [one for one in every if one.count]


def _refused(work: PendingWork) -> int:
    return work.hits.get(HitState.FAILED, 0) + work.payments.get(PaymentState.FAILED, 0)


def _on_their_way(work: PendingWork) -> int:
    return work.payments.get(PaymentState.PENDING, 0) + work.payments.get(PaymentState.SENT, 0)
