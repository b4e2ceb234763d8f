"""Capture-recapture: how many parts two independent annotators both missed.

Each annotator is a capture occasion, and a part that both annotated is a recapture. Chapman's estimator
of the number of all parts has a finite value even without recaptures (Chapman 1951; Seber 1982,
section 3.1). Minus the parts that either annotated, it is
`(first - both) * (second - both) / (both + 1)`, the number of parts that both missed.

The estimate assumes that the annotators work independently and that all parts are equally easy to
find. Parts that are hard for everyone make it too low, so the number of missed parts is rather a
lower bound.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .counts import ratio
from .intervals import Interval


@dataclass(frozen=True, slots=True)
class Captures:
    """The numbers of distinct parts that the first annotator, the second, and both annotated."""

    first: int
    second: int
    both: int

    @property
    def union(self) -> int:
        """Return the number of parts that either annotated."""
        return self.first + self.second - self.both

    @property
    def only_one(self) -> int:
        """Return the number of parts that exactly one of them annotated."""
        return self.union - self.both

    @property
    def missed(self) -> float:
        """Return the estimated number of parts that both missed."""
        return (self.first - self.both) * (self.second - self.both) / (self.both + 1)

    @property
    def coverage(self) -> float | None:
        """Return the estimated share of all parts that either annotated, or None without parts."""
        return ratio(self.union, self.union + self.missed)


@dataclass(frozen=True, slots=True)
class CoverageEstimate:
    """The captures of several items, with 95 % intervals over the items."""

    captures: Captures
    items: int
    coverage: Interval
    missed: Interval


def estimate_coverage(
    items: Sequence[Captures], *, repetitions: int = 1000, seed: int = 0
) -> CoverageEstimate:
    """Estimate the coverage of two annotators over items, whose captures are summed.

    The intervals come from a bootstrap over items.
    """
    from metrics import bootstrap  # noqa: PLC0415 - loads numpy

    rows = [(item.first, item.second, item.both) for item in items]
    sums = bootstrap.resampled_sums(rows or [(0, 0, 0)], repetitions=repetitions, seed=abs(seed))
    first, second, both = sums.astype(float).T
    union = first + second - both
    missed = (first - both) * (second - both) / (both + 1)
    return CoverageEstimate(
        captures=sum_captures(items),
        items=len(items),
        coverage=bootstrap.percentile_interval(bootstrap.quotient(union, union + missed)),
        missed=bootstrap.percentile_interval(missed),
    )


def sum_captures(items: Iterable[Captures]) -> Captures:
    """Return the field-by-field sum."""
    first = second = both = 0
    for item in items:
        first += item.first
        second += item.second
        both += item.both
    return Captures(first, second, both)
