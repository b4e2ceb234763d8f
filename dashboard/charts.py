"""The chart of finished items over time, with a forecast."""

from datetime import datetime, timedelta
from itertools import pairwise

from django.db.models import Count

from annotation.domain.publishing.queries import corpus_size
from consolidation.domain.cases.own_gold import is_own_gold
from consolidation.models import Gold
from dashboard.pace import pace_of
from projects.charts import Column, PageChart
from projects.domain.cached_figures import figures_of
from projects.models import Project
from projects.time_buckets import Bucket, aggregate_over_time
from schemes.contract.values import Noun
from web.charts import Axis, Chart, Series, Style, Unit

COLUMNS = (
    Column("period", "From (UTC)", Unit.TIME),
    Column("items", "Items finished"),
    Column("total", "Total"),
)
_ITEMS = Noun("item", "items")
# The forecast is drawn for at most this multiple of the time since the first gold.
FORECAST = 2


def progress_chart(*, project: Project, now: datetime) -> PageChart:
    """Return the items finished over time, and when the rest will be finished at the current pace."""
    cached = figures_of(finished_over_time, project=project)
    items: int = figures_of(corpus_size, project=project).value.items
    pace = pace_of(project=project, now=now)
    total, rows = 0, []
    for bucket in cached.value:
        total += bucket.values[0]
        rows.append((bucket.start, bucket.values[0], total))
    end = pace.end(items - total, now)
    return PageChart(
        name="progress",
        title="Items finished over time",
        description=_description(items, total, end),
        columns=COLUMNS,
        rows=rows,
        counted_at=cached.counted_at,
        chart=_chart(items, rows, now, end) if rows else None,
        empty="The chart starts with the first finished item.",
    )


def finished_over_time(*, project: Project) -> list[Bucket]:
    """Count items by the time of their first gold."""
    gold = Gold.objects.filter(
        is_own_gold(project), item__project=project, item__in_production=True, version=1
    )
    return aggregate_over_time(gold, "created_at", items=Count("pk"))


def _description(items: int, finished: int, end: datetime | None) -> str:
    text = f"{finished:,} of {_ITEMS.count(items)} {'is' if items == 1 else 'are'} finished."
    return f"{text} The dotted line continues at the pace of the last 24 hours." if end else text


def _chart(
    items: int, rows: list[tuple[datetime, int, int]], now: datetime, end: datetime | None
) -> Chart:
    ends = [start for start, _, _ in rows[1:]] + [min(now, rows[-1][0] + _length(rows))]
    points = [(rows[0][0].timestamp(), 0.0)]
    points += [(at.timestamp(), float(row[2])) for at, row in zip(ends, rows, strict=True)]
    series = [Series("Finished", points)]
    if end:
        points.append((now.timestamp(), points[-1][1]))
        series.append(Series("Forecast", _forecast(points, end, items), Style.DASHED))
    return Chart(
        "Items finished",
        Axis("UTC", Unit.TIME),
        Axis("items"),
        series,
        levels={_ITEMS.count(items): float(items)},
    )


def _length(rows: list[tuple[datetime, int, int]]) -> timedelta:
    """Return the shortest distance of two periods, or a minute for a single period."""
    starts = [start for start, _, _ in rows]
    gaps = (later - earlier for earlier, later in pairwise(starts))
    return min(gaps, default=timedelta(minutes=1))


def _forecast(
    points: list[tuple[float, float]], end: datetime, items: int
) -> list[tuple[float, float]]:
    """Return the line to the expected end, cut where it would squeeze the past."""
    now, done = points[-1]
    rest = end.timestamp() - now
    drawn = min(rest, FORECAST * max(now - points[0][0], 60.0))
    return [(now, done), (now + drawn, done + (items - done) * drawn / rest)]
