"""Reliability diagrams: what experts kept of gold, by what the fit expected."""

from dataclasses import dataclass
from typing import Any

from datasets.models import CertaintyFit
from projects.charts import Column, PageChart
from web.charts import Axis, Chart, Series, Style, Unit


@dataclass(frozen=True, slots=True)
class _Kind:
    title: str
    description: str
    expected: str
    actual: str
    count: str


KINDS = {
    "parts": _Kind(
        title="Certainty of parts",
        description=(
            "The parts of items that experts annotated too, by their probability. Points on the line are "
            "of probabilities that come true."
        ),
        expected="Mean probability",
        actual="Kept by experts",
        count="Parts",
    ),
    "coverage": _Kind(
        title="Expected coverage",
        description=(
            "The items that experts annotated too, by the expected coverage of their gold. The actual "
            "coverage is the share of an expert's parts that the gold has."
        ),
        expected="Expected coverage",
        actual="Coverage of experts’ parts",
        count="Items",
    ),
}


def calibration_chart(fit: CertaintyFit, kind: str) -> PageChart:
    """Return the reliability diagram of one of KINDS."""
    texts, found = KINDS[kind], fit.calibration[kind]
    bins: list[dict[str, Any]] = found["bins"]
    points = [(row["predicted"], row["actual"]) for row in bins]
    chart = Chart(
        texts.title,
        Axis(texts.expected, Unit.PERCENT),
        Axis(texts.actual, Unit.PERCENT),
        [
            Series(texts.actual, points, Style.POINTS),
            Series("Perfect calibration", [(0.0, 0.0), (1.0, 1.0)], Style.DASHED),
        ],
    )
    return PageChart(
        name=f"calibration-of-{kind}",
        title=texts.title,
        description=texts.description,
        columns=(
            Column("expected", texts.expected, Unit.PERCENT),
            Column("actual", texts.actual, Unit.PERCENT),
            Column("count", texts.count),
        ),
        rows=[(row["predicted"], row["actual"], row["count"]) for row in bins],
        counted_at=fit.fitted_at,
        chart=chart if bins else None,
        empty="The chart needs items with both project gold and expert gold.",
    )
