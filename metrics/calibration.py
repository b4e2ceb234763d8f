"""Calibration: whether events occur as often as their probabilities say."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

BINS = 10


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Predictions in a range of probabilities, with their mean and that of what occurred, in [0, 1]."""

    count: int
    predicted: float
    actual: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """The bins of a reliability diagram, and the errors that follow from them.

    `brier` is the mean squared difference of probability and outcome (Brier 1950). `expected_error` is
    the mean difference of a bin's means, weighted by its size (Naeini et al. 2015). Both are None
    without predictions.
    """

    bins: Sequence[ReliabilityBin]
    count: int
    brier: float | None
    expected_error: float | None


def calibration(predictions: Iterable[tuple[float, float]], *, bins: int = BINS) -> Calibration:
    """Return the calibration of (probability, outcome) pairs, with bins of equal width.

    Outcomes are in [0, 1], such as 1 for an event that occurred. The last bin includes probability 1.
    Empty bins are left out.
    """
    by_bin: dict[int, list[tuple[float, float]]] = {}
    for probability, outcome in predictions:
        by_bin.setdefault(min(int(probability * bins), bins - 1), []).append((probability, outcome))
    pairs = [pair for at in by_bin for pair in by_bin[at]]
    rows = [
        ReliabilityBin(len(of_bin), fmean(p for p, _ in of_bin), fmean(o for _, o in of_bin))
        for _, of_bin in sorted(by_bin.items())
    ]
    if not pairs:
        return Calibration([], 0, None, None)
    return Calibration(
        bins=rows,
        count=len(pairs),
        brier=fmean((probability - outcome) ** 2 for probability, outcome in pairs),
        expected_error=sum(row.count * abs(row.predicted - row.actual) for row in rows)
        / len(pairs),
    )
