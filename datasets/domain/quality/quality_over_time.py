"""Agreement of annotators and coverage over time, on a sample of the items with gold.

An item counts in the period in which its gold was made.
"""

from dataclasses import dataclass
from datetime import datetime

from datasets.domain.quality.coverage import captures_of
from datasets.domain.quality.merged_items import MergedItem, merged_items
from metrics.capture_recapture import Captures, sum_captures
from projects.charts import Column, PageChart
from projects.domain.cached_figures import figures_of
from projects.domain.schemes import scheme_of
from projects.models import Project
from projects.time_buckets import group_over_time
from schemes.contract.scheme import Scheme
from schemes.figures import Figure, Measure
from web.charts import Axis, Chart, Series, Unit

# The chart's limit of items, from the start of the project's seeded shuffle.
LIMIT = 500


@dataclass(frozen=True, slots=True)
class Period:
    """The agreement of an item's first two annotators, and the share of all parts they found.

    Both are shares in [0, 1], or None if undefined.
    """

    start: datetime
    items: int
    agreement: float | None
    coverage: float | None


def quality_over_time(*, project: Project) -> list[Period]:
    """Return the quality of each period in which gold was made of two annotations."""
    scheme = scheme_of(project)
    figure = scheme.comparison.figures[0]
    measured = [
        (item.made_at, (_measures(scheme, figure, item), captures_of(scheme, item)))
        for item in merged_items(project=project, limit=LIMIT)
        if len(item.sources) >= 2
    ]
    return [_period(figure, start, rows) for start, rows in group_over_time(measured)]


def _measures(scheme: Scheme, figure: Figure, item: MergedItem) -> list[Measure]:
    """Return the figure's measures of the first two annotations, each as the reference once."""
    first, second = (source.content for source in item.sources[:2])
    measure, target = scheme.comparison.measure, item.context.target
    pairs = measure(first, second, target), measure(second, first, target)
    return [measures[figure.key] for measures in pairs]


def _period(figure: Figure, start: datetime, rows: list[tuple[list[Measure], Captures]]) -> Period:
    measures = [measure for both, _ in rows for measure in both]
    captures = sum_captures(captures for _, captures in rows)
    return Period(start, len(rows), figure.value(measures), captures.coverage)


def quality_chart(*, project: Project) -> PageChart:
    """Return the chart of agreement and coverage."""
    figure = scheme_of(project).comparison.figures[0]
    cached = figures_of(quality_over_time, project=project)
    periods: list[Period] = cached.value
    series = [
        Series(name, [(at.timestamp(), value) for at, value in values if value is not None])
        for name, values in (
            (f"Agreement ({figure.label})", [(row.start, row.agreement) for row in periods]),
            ("Coverage", [(row.start, row.coverage) for row in periods]),
        )
        if figure.unit == "%" or name == "Coverage"
    ]
    chart = Chart("Quality", Axis("UTC", Unit.TIME), Axis("", Unit.PERCENT), series)
    return PageChart(
        name="quality-over-time",
        title="Quality over time",
        description=(
            "Agreement of an item's two annotators, and the estimated share of all parts that they "
            f"found, for up to {LIMIT} items by the time of their gold."
        ),
        columns=(
            Column("period", "From (UTC)", Unit.TIME),
            Column("items", "Items"),
            Column("agreement", figure.label, Unit.PERCENT if figure.unit == "%" else Unit.NUMBER),
            Column("coverage", "Coverage", Unit.PERCENT),
        ),
        rows=[(row.start, row.items, row.agreement, row.coverage) for row in periods],
        counted_at=cached.counted_at,
        chart=chart if periods else None,
        empty="The chart starts with the first gold that was made of two annotations.",
    )
