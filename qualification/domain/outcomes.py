"""What became of a generator's work: each annotation of production held against the gold of its item."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from django.db.models import F, OuterRef, Q, QuerySet, Subquery

from annotation.enums import Role
from annotation.models import Project, Submission
from consolidation.enums import GoldSource
from consolidation.models import Gold
from crowd.models import Worker
from metrics.counts import Counts
from qualification.domain.figures import compare_item
from qualification.models import Outcome, RoundItem

# The items that a point of the curve is summed over.
WINDOW = 20


def hold_against_gold(*, clock: Callable[[], datetime], limit: int = 200) -> int:
    """Compare up to `limit` annotations with the newest gold of their items, where that has not been
    done; returns how many."""
    due = list(_annotations_with_gold().exclude(outcome__gold=F("newest")).order_by("pk")[:limit])
    golds = Gold.objects.in_bulk([one.newest for one in due])  # type: ignore[attr-defined]
    for one in due:
        _compare(one, golds[one.newest], clock())  # type: ignore[attr-defined]
    return len(due)


def _annotations_with_gold() -> QuerySet[Submission]:
    """Accepted annotations of production with `newest`, the id of the standing consolidated gold."""
    newest = (
        Gold.objects.filter(
            Q(case=None) | Q(case__place=0),
            item=OuterRef("item"),
            source=GoldSource.CONSOLIDATED,
        )
        .order_by("-version")
        .values("pk")[:1]
    )
    rows = Submission.objects.accepted().filter(
        role=Role.GENERATOR, worker__isnull=False, item__in_production=True
    )
    rows = rows.select_related("item__project", "item__sentence")
    return rows.annotate(newest=Subquery(newest)).filter(newest__isnull=False)


def _compare(submission: Submission, gold: Gold, now: datetime) -> None:
    found = compare_item(RoundItem(item=submission.item, reference=gold), submission)
    Outcome.objects.update_or_create(
        submission=submission,
        defaults={
            "gold": gold,
            "rule": found.rule,
            "counts": {name: asdict(counts) for name, counts in found.counts.items()},
            "compared_at": now,
        },
    )


@dataclass(frozen=True, slots=True)
class Point:
    """One item of a worker: the figure of the item, and that of the last WINDOW items up to it."""

    at: datetime
    item: float | None
    window: float | None


def outcomes_of(*, project: Project, worker: Worker | None = None) -> QuerySet[Outcome]:
    """In the order in which the work was done."""
    rows = Outcome.objects.filter(submission__item__project=project)
    if worker:
        rows = rows.filter(submission__worker=worker)
    return rows.order_by("submission__submitted_at", "submission")


def ua_of(counts: object) -> Counts:
    return Counts(**counts["UA"])  # type: ignore[index]


def series_of(outcomes: Sequence[tuple[datetime, Counts]]) -> list[Point]:
    """The curve of a worker's outcomes, given in their order."""
    points = []
    total = Counts()
    for place, (at, counts) in enumerate(outcomes):
        total = total + counts
        if place >= WINDOW:
            gone = outcomes[place - WINDOW][1]
            total = Counts(total.tp - gone.tp, total.fp - gone.fp, total.fn - gone.fn)
        points.append(Point(at, counts.f1, total.f1))
    return points
