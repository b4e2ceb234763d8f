"""How fast a project goes at present, and when it ends if it goes on so."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Min, Q, QuerySet

from annotation.models import Project, Submission
from consolidation.domain.experiment import annotations_for_gold
from consolidation.domain.record_gold import own_source
from consolidation.models import Gold

WINDOW = timedelta(hours=24)
# The beginning tells nothing: until then a campaign has a pace but no forecast.
LEAST = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Pace:
    """What was done in production within `span`: the last 24 hours or, in a younger campaign, the time
    since the first annotation was handed in. `finished` counts items, by their first gold."""

    span: timedelta
    annotations: int
    finished: int

    def end(self, left: int, now: datetime) -> datetime | None:
        """When `left` more items are finished at this pace; None where there is no saying."""
        if not left or not self.finished or self.span < LEAST:
            return None
        try:
            return now + self.span * (left / self.finished)
        except OverflowError:
            return None


NO_PACE = Pace(timedelta(0), 0, 0)


def pace_of(*, project: Project, now: datetime, done: QuerySet[Submission] | None = None) -> Pace:
    """`done`, where the caller has them: the annotations of which gold is made."""
    if done is None:
        done = annotations_for_gold(project=project)
    recent = Count("pk", filter=Q(submitted_at__gte=now - WINDOW))
    found = done.order_by().aggregate(first=Min("submitted_at"), recent=recent)
    begin = max(now - WINDOW, found["first"] or now)
    gold = Gold.objects.filter(
        item__project=project,
        item__in_production=True,
        source=own_source(project),
        version=1,
        created_at__gte=begin,
    )
    return Pace(
        span=now - begin,
        annotations=found["recent"],
        finished=gold.count(),
    )
