"""A project's current pace, and its expected end at that pace."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Min, Q, QuerySet

from annotation.models import Submission
from consolidation.domain.cases.experiment import annotations_for_gold
from consolidation.domain.cases.own_gold import is_own_gold
from consolidation.models import Gold
from projects.models import Project

WINDOW = timedelta(hours=24)
# A shorter span is too short for a forecast.
LEAST = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Pace:
    """The work done in production within `span`.

    The span is the last 24 hours, or the time since the first submission if that is shorter.
    `finished` counts items by their first gold.
    """

    span: timedelta
    annotations: int
    finished: int

    def end(self, left: int, now: datetime) -> datetime | None:
        """Return when `left` more items are finished at this pace, or None if unknown."""
        if not left or not self.finished or self.span < LEAST:
            return None
        try:
            return now + self.span * (left / self.finished)
        except OverflowError:
            return None


NO_PACE = Pace(timedelta(0), 0, 0)


def pace_of(*, project: Project, now: datetime, done: QuerySet[Submission] | None = None) -> Pace:
    """Return the project's pace.

    `done` is the queryset of annotations that become gold, if the caller already has it.
    """
    if done is None:
        done = annotations_for_gold(project=project)
    recent = Count("pk", filter=Q(submitted_at__gte=now - WINDOW))
    totals = done.order_by().aggregate(first=Min("submitted_at"), recent=recent)
    begin = max(now - WINDOW, totals["first"] or now)
    gold = Gold.objects.filter(
        is_own_gold(project),
        item__project=project,
        item__in_production=True,
        version=1,
        created_at__gte=begin,
    )
    return Pace(span=now - begin, annotations=totals["recent"], finished=gold.count())
