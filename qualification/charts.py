"""Charts of the pool: workers' speed against quality, and one worker's agreement over time."""

from datetime import datetime

from crowd.models import Worker
from projects.charts import Column, PageChart
from projects.domain.cached_figures import figures_of
from projects.models import Project
from qualification.domain.pool.monitor_pool import PoolFigures, pool_figures
from qualification.domain.scores.gold_comparisons import (
    WINDOW,
    gold_comparisons_of,
    main_figure,
    series_of,
)
from schemes.figures import Figure
from web.charts import Axis, Chart, Series, Style, Unit

# Number of newest items in the table beside a worker's curve
ROWS = 100


def pool_chart(*, project: Project) -> PageChart:
    """Return a point per worker: mean active seconds per item, and agreement with the gold."""
    cached = figures_of(pool_figures, project=project)
    figures: PoolFigures = cached.value
    figure = main_figure(project)
    names = dict(Worker.objects.filter(pk__in=figures.agreement).values_list("pk", "pseudonym"))
    rows = [
        (names[worker], _seconds_per_item(figures, worker), value, compared)
        for worker, (compared, value, _) in figures.agreement.items()
        if value is not None and worker in names and worker in figures.coverage
    ]
    points = [(seconds, value) for _, seconds, value, _ in rows]
    chart = Chart(
        "Speed and quality",
        Axis("active seconds per item"),
        Axis(f"{figure.label} against the gold", _unit_of(figure)),
        [Series("Workers", points, Style.POINTS, [name for name, *_ in rows])],
    )
    return PageChart(
        name="speed-and-quality",
        title="Speed and quality of workers",
        description="Each point is a worker: mean active time per item and agreement with the gold.",
        columns=(
            Column("worker", "Worker", None),
            Column("seconds_per_item", "Seconds per item"),
            Column("agreement", figure.label, _unit_of(figure)),
            Column("items", "Items with gold"),
        ),
        rows=sorted(rows),
        counted_at=cached.counted_at,
        chart=chart if rows else None,
        empty="The chart starts when items of trained workers have gold.",
    )


def worker_chart(*, project: Project, worker: Worker, now: datetime) -> PageChart:
    """Return a worker's agreement with the gold over the last WINDOW items, at each item."""
    figure = main_figure(project)
    measured = gold_comparisons_of(project=project, worker=worker).values_list(
        "submission__submitted_at", "measures"
    )
    points = series_of(figure, [(at, measures[figure.key]) for at, measures in measured])
    numbered = list(enumerate(points, start=1))
    curve = [(float(at), point.window) for at, point in numbered if point.window is not None]
    chart = Chart(
        f"{figure.label} over the last {WINDOW} items",
        Axis("items, in the order of submission"),
        Axis(figure.label, _unit_of(figure)),
        [Series(figure.label, curve)],
    )
    return PageChart(
        name=f"agreement-{worker.pseudonym}",
        title="Agreement with the gold",
        description=f"{figure.label} over the last {WINDOW} items up to each item.",
        columns=(
            Column("item", "Item no."),
            Column("submitted_at", "Submitted (UTC)", Unit.TIME),
            Column("value", f"{figure.label} of the item", _unit_of(figure)),
            Column("window", f"Last {WINDOW} items", _unit_of(figure)),
        ),
        rows=[
            (number, point.at, point.item, point.window)
            for number, point in reversed(numbered[-ROWS:])
        ],
        counted_at=now,
        chart=chart if curve else None,
        empty="None of their items has become gold yet.",
    )


def _seconds_per_item(figures: PoolFigures, worker: int) -> float:
    items, _, seconds = figures.coverage[worker]
    return seconds / items


def _unit_of(figure: Figure) -> Unit:
    return Unit.PERCENT if figure.unit == "%" else Unit.NUMBER
