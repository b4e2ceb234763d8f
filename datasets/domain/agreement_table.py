"""An agreement report as JSON and as CSV rows."""

from collections.abc import Iterator
from typing import Any

from datasets.domain.agreement import AgreementReport
from metrics.counts import Counts
from metrics.intervals import Interval

COLUMNS = (
    "first", "second", "items",
    "ua_f1", "ua_low", "ua_high", "la_f1", "la_low", "la_high",
    "ua_tp", "ua_fp", "ua_fn", "la_tp", "la_fp", "la_fn",
)  # fmt: skip


def agreement_rows(report: AgreementReport) -> Iterator[tuple[Any, ...]]:
    """Yield a row of COLUMNS for each pair, then a row named "all"."""
    for pair, ua, la in report.rows():
        yield _row(str(pair.first), str(pair.second), pair.items, (pair.ua, ua), (pair.la, la))
    total = report.agreement
    yield _row(
        "all", "", report.items, (total.ua, report.ua_interval), (total.la, report.la_interval)
    )


def _row(
    first: str, second: str, items: int, ua: tuple[Counts, Interval], la: tuple[Counts, Interval]
) -> tuple[Any, ...]:
    figures = [
        value for scores, interval in (ua, la) for value in (scores.f1, interval.low, interval.high)
    ]
    counts = [value for scores, _ in (ua, la) for value in (scores.tp, scores.fp, scores.fn)]
    return (first, second, items, *figures, *counts)


def agreement_json(report: AgreementReport) -> dict[str, Any]:
    """Return the report as JSON. Undefined figures are None.

    The counts are sums over both directions.
    """
    total = report.agreement
    *pairs, _ = (dict(zip(COLUMNS, row, strict=True)) for row in agreement_rows(report))
    return {
        "items": report.items,
        "pairs": pairs,
        "UA": _figure(total.ua, total.mean_ua_f1, report.ua_interval),
        "LA": _figure(total.la, total.mean_la_f1, report.la_interval),
    }


def _figure(counts: Counts, mean: float | None, interval: Interval) -> dict[str, Any]:
    return {"f1": counts.f1, "mean_f1": mean, "interval": [interval.low, interval.high]}
