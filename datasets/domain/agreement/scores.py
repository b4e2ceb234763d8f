"""A scheme's figures and totals over several items."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from metrics.counts import ratio
from schemes.contract.content import Total
from schemes.contract.scheme import Scheme
from schemes.contract.values import Json
from schemes.figures import Figure


@dataclass(frozen=True, slots=True)
class Scores:
    """A comparison's total of each figure, and the number of compared items."""

    items: int
    totals: Mapping[str, Json]

    @classmethod
    def of(cls, scheme: Scheme, measures: Collection[Mapping[str, Json]]) -> Self:
        """Combine the measures of all items (see `Comparison.measure`)."""
        totals = {
            figure.key: figure.total([measure[figure.key] for measure in measures])
            for figure in scheme.comparison.figures
        }
        return cls(len(measures), totals)

    def as_json(self) -> dict[str, Any]:
        return {"items": self.items, **self.totals}

    def value(self, figure: Figure) -> float | None:
        return figure.value_of(self.totals[figure.key])


def table_cell(figure: Figure, value: object) -> object:
    """Return a figure's value for `schemes.reports.text_table`, which shows floats as per cent."""
    return value if figure.unit == "%" or not isinstance(value, float) else f"{value:.2f}"


def column_name(figure: Figure, column: str) -> str:
    """Return the name of a figure's column in CSV files."""
    return f"{figure.key.lower()}_{column}"


@dataclass(frozen=True, slots=True)
class Yield:
    """The number of a source's items, and the totals of their content by key."""

    items: int
    totals: Mapping[str, int]

    @classmethod
    def of(cls, scheme: Scheme, contents: Collection[Json]) -> Self:
        return cls(len(contents), summed_totals(scheme, contents))

    def per_item(self, key: str) -> float | None:
        return ratio(self.totals[key], self.items)

    def as_json(self) -> dict[str, Any]:
        means = {f"{key}_per_item": self.per_item(key) for key in self.totals}
        return {"items": self.items, **self.totals, **means}


def summed_totals(scheme: Scheme, contents: Iterable[Json]) -> dict[str, int]:
    """Return the sums of the scheme's totals over several contents."""
    sums = dict.fromkeys([total.key for total in scheme.content.totals], 0)
    for content in contents:
        counted = scheme.content.count(content)
        for key in sums:
            sums[key] += counted[key]
    return sums


def with_counts(totals: Sequence[Total], counts: Mapping[str, int]) -> list[str]:
    """Return the counts with their nouns, such as "3 labels". Missing counts are left out."""
    return [total.noun.count(counts[total.key]) for total in totals if total.key in counts]
