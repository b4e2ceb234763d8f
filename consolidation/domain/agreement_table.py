"""An agreement report as JSON and as rows of a CSV file."""

from collections.abc import Iterator
from typing import Any

from consolidation.domain.agreement import AgreementReport
from metrics.counts import Counts
from metrics.intervals import Interval

COLUMNS = (
    "first", "second", "items",
    "ua_f1", "ua_low", "ua_high", "la_f1", "la_low", "la_high",
    "ua_tp", "ua_fp", "ua_fn", "la_tp", "la_fp", "la_fn",
)  # fmt: skip


def agreement_rows(report: AgreementReport) -> Iterator[tuple[Any, ...]]:
    """A row of COLUMNS for each pair, then one named "all"."""
    for pair, ua, la in report.rows():
        yield _row(str(pair.first), str(pair.second), pair.items, (pair.ua, ua), (pair.la, la))
    found = report.agreement
    yield _row(
        "all", "", report.items, (found.ua, report.ua_interval), (found.la, report.la_interval)
    )


def _row(
    first: str, second: str, items: int, ua: tuple[Counts, Interval], la: tuple[Counts, Interval]
) -> tuple[Any, ...]:
    figures = [value for one, found in (ua, la) for value in (one.f1, found.low, found.high)]
    counts = [value for one, _ in (ua, la) for value in (one.tp, one.fp, one.fn)]
    return (first, second, items, *figures, *counts)


def agreement_json(report: AgreementReport) -> dict[str, Any]:
    """`{"items", "pairs": [row], "UA": {"f1", "mean_f1", "interval"}, "LA": ...}`; undefined figures
    are None. Counts are of both directions added up."""
    found = report.agreement
    *pairs, _ = (dict(zip(COLUMNS, row, strict=True)) for row in agreement_rows(report))
    return {
        "items": report.items,
        "pairs": pairs,
        "UA": _figure(found.ua, found.mean_ua_f1, report.ua_interval),
        "LA": _figure(found.la, found.mean_la_f1, report.la_interval),
    }


def _figure(counts: Counts, mean: float | None, found: Interval) -> dict[str, Any]:
    return {"f1": counts.f1, "mean_f1": mean, "interval": [found.low, found.high]}
