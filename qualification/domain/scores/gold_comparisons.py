"""Comparisons of generators' production work with the resulting gold."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import F, OuterRef, Q, QuerySet, Subquery

from annotation.models import Submission
from consolidation.enums import GoldSource
from consolidation.models import Gold
from crowd.models import Worker
from jobs.domain.sweep import for_each_row
from projects.domain.schemes import scheme_of
from projects.enums import Role
from projects.models import Project
from qualification.domain.scores.figures import compare_item
from qualification.models import GoldComparison, RoundItem
from schemes.figures import Figure, Measure

# Number of items over which each point of the curve is computed
WINDOW = 20


def compare_with_gold(*, clock: Callable[[], datetime], limit: int = 200) -> int:
    """Compare up to `limit` annotations with new gold of their items. Return how many."""
    return for_each_row(
        sweep="compare with gold",
        rows=_annotations_with_gold().exclude(outcome__gold=F("newest")).order_by("pk"),
        process=_compare,
        clock=clock,
        limit=limit,
    )


def _annotations_with_gold() -> QuerySet[Submission]:
    """Return accepted production annotations with `newest`, the id of the consolidated gold."""
    newest = (
        Gold.objects.filter(
            Q(case=None) | Q(case__attempt=0),
            item=OuterRef("item"),
            source=GoldSource.CONSOLIDATED,
        )
        .order_by("-version")
        .values("pk")[:1]
    )
    rows = Submission.objects.accepted().filter(
        role=Role.GENERATOR, worker__isnull=False, item__in_production=True
    )
    rows = rows.select_related("item__project", "item__sentence__image")
    return rows.annotate(newest=Subquery(newest)).filter(newest__isnull=False)


def _compare(submission: Submission, now: datetime) -> int:
    gold = Gold.objects.get(pk=submission.newest)  # type: ignore[attr-defined]
    compared = compare_item(RoundItem(item=submission.item, reference=gold), submission)
    GoldComparison.objects.update_or_create(
        submission=submission,
        defaults={
            "gold": gold,
            "rule": scheme_of(submission.item.project).comparison.rule,
            "measures": dict(compared.measures),
            "compared_at": now,
        },
    )
    return 1


@dataclass(frozen=True, slots=True)
class Point:
    """The figure of one of a worker's items, and of the last WINDOW items up to it."""

    at: datetime
    item: float | None
    window: float | None


def gold_comparisons_of(
    *, project: Project, worker: Worker | None = None
) -> QuerySet[GoldComparison]:
    """Return comparisons in the order in which the work was submitted."""
    rows = GoldComparison.objects.filter(submission__item__project=project)
    if worker:
        rows = rows.filter(submission__worker=worker)
    return rows.order_by("submission__submitted_at", "submission")


def main_figure(project: Project) -> Figure:
    """Return the scheme's first figure, by which workers are monitored."""
    return scheme_of(project).comparison.figures[0]


def series_of(figure: Figure, measured: Sequence[tuple[datetime, Measure]]) -> list[Point]:
    """Return the points of a worker's curve, from times and measures in order."""
    measures = [measure for _, measure in measured]
    return [
        Point(
            at,
            item=figure.value([measure]),
            window=figure.value(measures[max(0, position + 1 - WINDOW) : position + 1]),
        )
        for position, (at, measure) in enumerate(measured)
    ]
