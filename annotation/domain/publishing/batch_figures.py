"""Figures of batches, in a number of queries that does not depend on the number of batches."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Exists, F, IntegerField, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotation.enums import BatchPhase, BatchState, SubmissionState
from annotation.models import Batch, Submission, Task
from crowd.enums import AssignmentState, HitState, LedgerKind
from crowd.models import Assignment, Hit, LedgerEntry
from projects.models import Project
from web.states import State

PACE_OVER = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class BatchFigures:
    """The figures of a batch's HITs by state, its assignments by decision, and its cents.

    `submitted` counts those that need a decision, and `waiting` those that wait for consolidation. The
    cents include fees. `paced` counts the assignments submitted within the last day. `unsynced`
    counts the HITs with a change that the marketplace has not received.
    """

    hits: int = 0
    open: int = 0
    paused: int = 0
    finished: int = 0
    expired: int = 0
    failed: int = 0
    withdrawn: int = 0
    unsynced: int = 0
    submitted: int = 0
    waiting: int = 0
    accepted: int = 0
    rejected: int = 0
    paced: int = 0
    reserved_cents: int = 0
    spent_cents: int = 0

    @property
    def updated(self) -> int:
        """The number of HITs that are up to date at the marketplace."""
        return self.hits - self.unsynced


def displayed_state(batch: Batch, figures: BatchFigures) -> State:
    """Return the state to show for a batch.

    An open batch without open HITs waits for reviews or consolidation, or is finished.
    """
    if batch.state != BatchState.OPEN or figures.open or not figures.hits:
        return BatchState(batch.state)
    if figures.submitted:
        return BatchPhase.SUBMITTED
    return BatchPhase.WAITING if figures.waiting else BatchPhase.FINISHED


def batches_of(*, project: Project, **criteria: str) -> QuerySet[Batch]:
    """Return the batches with their budgets, newest first. Empty criteria match all batches."""
    batches = project.batches.select_related("budget").order_by("-pk")
    return batches.filter(**{name: value for name, value in criteria.items() if value})


def batch_figures_of(*, project: Project) -> dict[int, BatchFigures]:
    """Return the current figures of all batches of the project."""
    return figures_of_batches(batches=project.batches.all(), now=timezone.now())


def figures_of_batches(*, batches: Iterable[Batch], now: datetime) -> dict[int, BatchFigures]:
    """Return the figures of the batches, by batch id."""
    ids = [batch.pk for batch in batches]
    by_batch: dict[int, dict[str, int]] = {pk: {} for pk in ids}
    for rows in (_hits(ids), _assignments(ids, now), _money(ids)):
        for pk, figures in rows.items():
            by_batch[pk].update(figures)
    return {pk: BatchFigures(**figures) for pk, figures in by_batch.items()}


# The filters of a batch's HITs, by name.
HIT_FILTERS: dict[str, Q] = {
    "pending": Q(state=HitState.PENDING, paused_at=None),
    "live": Q(state=HitState.LIVE, paused_at=None),
    "paused": Q(paused_at__isnull=False),
    "finished": Q(state=HitState.FINISHED),
    "expired": Q(state=HitState.EXPIRED),
    "failed": Q(state=HitState.FAILED),
    "withdrawn": Q(state=HitState.WITHDRAWN),
}
ENDED_OR_PAUSED = ("paused", "finished", "expired", "failed", "withdrawn")
OPEN = Q(state__in=[HitState.PENDING, HitState.LIVE], paused_at=None)
UNSYNCED = (
    Q(state=HitState.PENDING, paused_at=None)
    | Q(expiration_wanted__isnull=False, external_id__isnull=False)
    | Q(increase_to__isnull=False, external_id__isnull=False)
)


def _hits(ids: list[int]) -> dict[int, dict[str, int]]:
    rows = Hit.objects.filter(task__batch__in=ids).order_by().values("task__batch")
    counted = rows.annotate(
        hits=Count("pk"),
        open=Count("pk", filter=OPEN),
        unsynced=Count("pk", filter=UNSYNCED),
        **{name: Count("pk", filter=HIT_FILTERS[name]) for name in ENDED_OR_PAUSED},
    )
    return _by_batch(counted, "task__batch")


def _assignments(ids: list[int], now: datetime) -> dict[int, dict[str, int]]:
    refused = [AssignmentState.REJECTING, AssignmentState.REJECTED]
    waiting = Submission.objects.filter(assignment=OuterRef("pk"), state=SubmissionState.WAITING)
    waits = Q(Exists(waiting))
    rows = Assignment.objects.filter(hit__task__batch__in=ids).order_by()
    counted = rows.values("hit__task__batch").annotate(
        submitted=Count("pk", filter=Q(state=AssignmentState.SUBMITTED) & ~waits),
        waiting=Count("pk", filter=Q(state=AssignmentState.SUBMITTED) & waits),
        accepted=Count("pk", filter=Q(state=AssignmentState.APPROVED)),
        rejected=Count("pk", filter=Q(state__in=refused)),
        paced=Count("pk", filter=Q(submitted_at__gt=now - PACE_OVER)),
    )
    return _by_batch(counted, "hit__task__batch")


def _by_batch(rows: Iterable[Any], name: str) -> dict[int, dict[str, int]]:
    return {row[name]: {key: n for key, n in row.items() if key != name} for row in rows}


def _money(ids: list[int]) -> dict[int, dict[str, int]]:
    """Return the reserved and spent cents of the batches, by batch id.

    The figures come from the batch's own budget if it has one, otherwise from the ledger.
    """
    capped = Batch.objects.filter(pk__in=ids, budget__isnull=False).values_list(
        "pk", "budget__reserved_cents", "budget__spent_cents"
    )
    figures = {pk: {"reserved_cents": held, "spent_cents": spent} for pk, held, spent in capped}
    entries = LedgerEntry.objects.filter(
        hit__task__batch__in=[pk for pk in ids if pk not in figures]
    )
    cents = Sum(F("amount_cents") + F("fee_cents"))
    for pk, kind, sum_ in (
        entries.order_by().values_list("hit__task__batch", "kind").annotate(cents=cents)
    ):
        sums = figures.setdefault(pk, {"reserved_cents": 0, "spent_cents": 0})
        sums["reserved_cents"] += sum_ if kind == LedgerKind.RESERVE else -sum_
        if kind == LedgerKind.SETTLE:
            sums["spent_cents"] += sum_
    return figures


def tasks_of(*, batch: Batch) -> QuerySet[Task]:
    """Return the batch's tasks in publishing order, with HIT and items.

    They are annotated with the numbers of submitted (`done`), accepted and rejected assignments.
    """
    refused = [AssignmentState.REJECTING, AssignmentState.REJECTED]
    return (
        batch.tasks.select_related("hit__hit_type")
        .prefetch_related("task_items__item__sentence")
        .annotate(
            done=_assignment_count(),
            accepted=_assignment_count(state=AssignmentState.APPROVED),
            rejected=_assignment_count(state__in=refused),
        )
        .order_by("pk")
    )


def _assignment_count(**criteria: object) -> Coalesce:
    """Return a subquery, which does not slow down counts and pages as a join would."""
    rows = Assignment.objects.filter(hit=OuterRef("hit"), **criteria).order_by()
    counted = rows.values("hit").annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)
