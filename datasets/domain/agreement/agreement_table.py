"""An agreement report as JSON and as CSV rows."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from datasets.domain.agreement.agreement import Agreement, AgreementReport
from datasets.domain.agreement.scores import column_name
from schemes.contract.scheme import Scheme
from schemes.figures import Figure


def agreement_columns(scheme: Scheme) -> list[str]:
    """Return the columns of `agreement_rows`."""
    figures = scheme.comparison.figures
    values = [column_name(f, name) for f in figures for name in (f.main, "low", "high")]
    counts = [column_name(f, name) for f in figures for name in f.counts]
    return ["first", "second", "items", *values, *counts]


def agreement_rows(scheme: Scheme, report: AgreementReport) -> Iterator[tuple[Any, ...]]:
    """Yield a row of `agreement_columns` for each pair, then a row named "all"."""
    declared = scheme.comparison.figures
    for pair in report.pairs:
        yield pair.first, pair.second, pair.items, *_values(declared, pair.figures)
    yield "all", "", report.items, *_values(declared, report.figures)


def _values(declared: Sequence[Figure], figures: Mapping[str, Agreement]) -> list[Any]:
    agreements = [(figure, figures[figure.key]) for figure in declared]
    values = [
        value
        for _, agreement in agreements
        for value in (agreement.value, agreement.interval.low, agreement.interval.high)
    ]
    return [*values, *(a.total[column] for figure, a in agreements for column in figure.counts)]


def agreement_json(scheme: Scheme, report: AgreementReport) -> dict[str, Any]:
    """Return the report as JSON. Undefined figures are None.

    The counts are sums over both directions.
    """
    columns = agreement_columns(scheme)
    *pairs, _ = (dict(zip(columns, row, strict=True)) for row in agreement_rows(scheme, report))
    figures = {
        figure.key: _figure_json(figure, report.figures[figure.key])
        for figure in scheme.comparison.figures
    }
    return {"items": report.items, "pairs": pairs, **figures}


def _figure_json(figure: Figure, agreement: Agreement) -> dict[str, Any]:
    interval = agreement.interval
    return {
        figure.main: agreement.value,
        f"mean_{figure.main}": agreement.mean,
        "interval": [interval.low, interval.high],
    }
