"""The steps of a project's protocol with their progress, and the work that waits for people.

In controlled crowdsourcing (Roit et al. 2020, section 3), screening and training select workers.
Two of them annotate each item, and a third consolidates their work into gold. In validation
(FitzGerald et al. 2018, section 2), one worker annotates and others validate. In verification, what
they dispute returns to its annotator.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Count, Exists, OuterRef, Q
from django.utils import timezone

from annotation.domain.publishing.qualification_codes import (
    passed_outside_pool,
    pool_size,
    qualifications_of,
)
from annotation.domain.publishing.queries import (
    ItemCounts,
    count_bonuses_to_decide,
    count_items,
    count_submissions,
)
from annotation.domain.publishing.redundancy import generations_wanted
from annotation.enums import USABLE
from consolidation.domain.cases.experiment import annotations_for_gold
from consolidation.domain.cases.queries import GoldCounts, count_gold
from consolidation.domain.experts.expert_queues import work_left
from consolidation.domain.experts.flag_item import count_open_flags
from consolidation.enums import CaseState
from consolidation.models import Case
from consolidation.protocols import PROTOCOLS
from crowd.domain.hits.queries import PendingWork, pending_work
from crowd.domain.sessions.refuse_sessions import sessions_to_decide
from crowd.domain.sessions.study_figures import failing_studies, unknown_settlements
from crowd.enums import HitState, PaymentState
from dashboard.pace import NO_PACE, Pace, pace_of
from datasets.domain.exports.queue_export import exports_of
from jobs.enums import JobState
from projects.enums import Protocol, Role
from projects.models import Project
from projects.protocols import TERMS
from qualification.domain.rounds.answer_requests import count_open_requests
from qualification.enums import EnrolmentState, RoundKind
from qualification.models import Enrolment

# The page of expert queues. "Your turn" counts the items that its user can work on.
QUEUES = "consolidation:experts"
# The roles of members with pending tasks. Workers and the marketplace have some too.
STAFF_ROLES = frozenset({"requester", "trainer", "expert"})


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the protocol.

    `total` is None if the step has no target. `route` is the view name of its page.
    """

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
class PendingTasks:
    """A number of tasks of a role, or of the marketplace. `route` is the view name of their page."""

    role: str
    count: int
    label: str
    route: str = ""


@dataclass(frozen=True, slots=True)
class Trainees:
    """The workers in rounds of a kind, without those who were withdrawn.

    `outside_pool` counts those who passed but are not in the pool, and `to_decide` those who finished a
    round.
    """

    enrolled: int = 0
    passed: int = 0
    outside_pool: int = 0
    to_decide: int = 0


@dataclass(frozen=True, slots=True)
class Progress:
    """The figures of the project overview (see `progress_of`)."""

    items: ItemCounts
    submissions: Mapping[tuple[str, str], int]
    held_bonuses: int
    gold: GoldCounts
    work: PendingWork
    trainees: Mapping[str, Trainees] = field(default_factory=dict)
    pool: int = 0
    # The number of annotations that all items together need.
    generations: int = 0
    protocol: str = Protocol.CONSOLIDATION
    exports: int = 0
    expert_items: int = 0
    requests: int = 0
    flags: int = 0
    unknown_payments: int = 0
    failing_studies: int = 0
    undecided_sessions: int = 0
    for_gold: Mapping[str, int] = field(default_factory=dict)
    pace: Pace = NO_PACE
    disputed: int = 0
    # The words of the project's crowd provider.
    hit_noun: str = "HIT"
    crowd_name: str = "the marketplace"

    def accepted(self, role: Role) -> int:
        """Return the number of annotations that become gold, without those of training."""
        return self.for_gold.get(role, 0)

    def finished(self) -> int:
        """Return the number of items with gold that the project created."""
        return self.gold.made

    def running(self) -> int:
        """Return the number of items that workers can finish: published, and not for experts."""
        return max(0, self.items.published - self.finished() - self.disputed)

    def expected_end(self, now: datetime) -> datetime | None:
        """Return when the running items are finished at the present pace, or None if unknown."""
        return self.pace.end(self.running(), now)

    def waiting_submissions(self) -> int:
        return sum(n for (_, state), n in self.submissions.items() if state == "review")


def progress_of(*, project: Project) -> Progress:
    """Count the project's progress, with a fixed number of queries."""
    items = count_items(project=project)
    done = annotations_for_gold(project=project, states=USABLE)
    return Progress(
        hit_noun=project.hit_noun,
        crowd_name=project.crowd_name,
        items=items,
        submissions=count_submissions(project=project),
        held_bonuses=count_bonuses_to_decide(project=project),
        gold=count_gold(project=project),
        work=pending_work(budget=project.budget, qualifications=qualifications_of(project)),
        trainees=_trainees(project),
        pool=pool_size(project=project, role=Role.GENERATOR),
        generations=generations_wanted(project=project, items=items.items),
        protocol=project.protocol,
        exports=exports_of(project).filter(state=JobState.FINISHED).count(),
        expert_items=work_left(project=project),
        requests=count_open_requests(project=project),
        flags=count_open_flags(project=project),
        **_study_problems(project),
        for_gold=dict(done.order_by().values_list("role").annotate(n=Count("pk"))),
        pace=pace_of(project=project, now=timezone.now(), done=done),
        disputed=Case.objects.filter(
            item__project=project, item__in_production=True, state=CaseState.DISPUTED
        ).count(),
    )


def _trainees(project: Project) -> dict[str, Trainees]:
    """Count the workers by kind of round. A worker of several rounds of a kind counts once.

    A worker who was declined in another round of the kind did not pass.
    """
    declined = Enrolment.objects.filter(
        round__project=project,
        round__kind=OuterRef("round__kind"),
        worker=OuterRef("worker"),
        state=EnrolmentState.DECLINED,
    )
    passed = Q(state=EnrolmentState.PASSED) & ~Q(Exists(declined))
    outside = Q(worker__in=passed_outside_pool(project=project, role=Role.GENERATOR))
    enrolments = Enrolment.objects.filter(round__project=project).order_by()
    rows = enrolments.exclude(state=EnrolmentState.WITHDRAWN).values_list("round__kind")
    counted = rows.annotate(
        enrolled=Count("worker", distinct=True),
        passed=Count("worker", distinct=True, filter=passed),
        outside=Count("worker", distinct=True, filter=passed & outside),
        to_decide=Count("worker", distinct=True, filter=Q(state=EnrolmentState.FINISHED)),
    )
    return {
        kind: Trainees(enrolled=enrolled, passed=passed, outside_pool=outside, to_decide=to_decide)
        for kind, enrolled, passed, outside, to_decide in counted
    }


def _study_problems(project: Project) -> dict[str, int]:
    """Count what a person has to look at, for a project whose provider has studies."""
    if not project.has_sessions:
        return {}
    return {
        "unknown_payments": unknown_settlements(budget=project.budget).count(),
        "undecided_sessions": sessions_to_decide(budget=project.budget, now=timezone.now()).count(),
        "failing_studies": failing_studies(budget=project.budget).count(),
    }


def steps_of(progress: Progress) -> list[Step]:
    """Return the steps from screening to export."""
    notes = [_count(progress.pool, "in the pool")]
    training = progress.trainees.get(RoundKind.TRAINING, Trainees())
    if training.outside_pool:
        notes.append(_count(training.outside_pool, "passed and not in the pool"))
    return [
        _round_step(progress, RoundKind.SCREENING, "workers enrolled"),
        _round_step(progress, RoundKind.TRAINING, "workers passed", *notes),
        _generation(progress),
        _cases(progress),
        _gold(progress),
        Step(
            "export", "Export", "exports finished", progress.exports, None, route="datasets:exports"
        ),
    ]


def _round_step(progress: Progress, kind: RoundKind, unit: str, *notes: str) -> Step:
    trainees = progress.trainees.get(kind, Trainees())
    enrolled, passed = trainees.enrolled, trainees.passed
    done, total = passed, enrolled or None
    if kind == RoundKind.SCREENING:
        done, total, notes = enrolled, None, (_count(passed, "passed"), *notes)
    title = kind.label.capitalize()
    return Step(kind.value, title, unit, done, total, notes, "qualification:rounds")


def _generation(progress: Progress) -> Step:
    items = progress.items
    return Step(
        "generation",
        "Generation",
        "annotations accepted",
        progress.accepted(Role.GENERATOR),
        progress.generations,
        (_count(items.published, f"of {items.items:,} published"),),
        "consolidation:items",
        "state=generating",
    )


def _cases(progress: Progress) -> Step:
    """Return the step of the cases, named by the protocol."""
    cases = progress.gold.cases
    notes = [_count(cases.get(CaseState.OPEN, 0) + cases.get(CaseState.OFFERED, 0), "cases open")]
    protocol, terms = PROTOCOLS[progress.protocol], TERMS[progress.protocol]
    if terms.is_voted:
        notes.append(_count(progress.accepted(protocol.role), f"{protocol.name}s accepted"))
    if terms.is_revised:
        notes.append(_count(cases.get(CaseState.REVISING, 0), "being revised"))
        notes.append(_count(cases.get(CaseState.DISPUTED, 0), "disputed"))
        notes.append(_count(cases.get(CaseState.RESOLVED, 0), "resolved by experts"))
    return Step(
        protocol.name,
        protocol.name.capitalize(),
        f"items {protocol.settled}",
        cases.get(protocol.settled, 0),
        progress.items.items,
        tuple(notes),
        "consolidation:items",
        "state=case-open",
    )


def _gold(progress: Progress) -> Step:
    by_source = progress.gold.items_by_source
    notes = tuple(_count(n, source) for source, n in sorted(by_source.items()))
    state = PROTOCOLS[progress.protocol].gold_source.value
    return Step(
        "gold",
        "Gold",
        f"items with {state} gold",
        progress.finished(),
        progress.items.items,
        notes,
        "consolidation:items",
        f"state={state}",
    )


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}"


def pending_tasks(progress: Progress) -> list[PendingTasks]:
    """Return the pending tasks, those of people before those of the marketplace."""
    hits, payments = Counter(progress.work.hits), Counter(progress.work.payments)
    finished = sum(trainees.to_decide for trainees in progress.trainees.values())
    refused = hits[HitState.FAILED] + payments[PaymentState.FAILED]
    on_their_way = payments[PaymentState.PENDING] + payments[PaymentState.SENT]
    jobs, hit = "dashboard:jobs", progress.hit_noun
    waiting = progress.waiting_submissions()
    rows = [
        PendingTasks("requester", waiting, "submissions to review", "consolidation:submissions"),
        PendingTasks(
            "requester", progress.held_bonuses, "held bonuses to review", "annotation:held_bonuses"
        ),
        PendingTasks(
            "requester", progress.unknown_payments, "payments to look up", "consolidation:studies"
        ),
        PendingTasks(
            "requester",
            progress.undecided_sessions,
            "sessions without work",
            "consolidation:studies",
        ),
        PendingTasks(
            "requester", progress.failing_studies, "studies with problems", "consolidation:studies"
        ),
        # Until the first items are published, the path of the project names what comes before.
        PendingTasks(
            "requester",
            progress.items.unpublished if progress.items.published else 0,
            "unpublished items",
            "annotation:publish",
        ),
        PendingTasks("requester", payments[PaymentState.HELD], "payments waiting for budget", jobs),
        PendingTasks("requester", refused, f"failed {hit}s and payments", jobs),
        PendingTasks(
            "requester",
            progress.requests,
            "qualification requests to decide",
            "qualification:requests",
        ),
        PendingTasks("trainer", finished, "trainees awaiting a decision", "qualification:rounds"),
        PendingTasks(
            "expert", progress.gold.reviews, "gold annotations to review", "consolidation:reviews"
        ),
        PendingTasks("expert", progress.expert_items, "items to annotate or merge", QUEUES),
        PendingTasks(
            "requester", progress.flags, "flagged items awaiting a decision", "consolidation:flags"
        ),
        PendingTasks("workers", hits[HitState.LIVE], f"live {hit}s"),
        PendingTasks(progress.crowd_name, hits[HitState.PENDING], f"{hit}s to be created", jobs),
        PendingTasks(progress.crowd_name, on_their_way, "payments being processed", jobs),
    ]
    return [row for row in rows if row.count]
