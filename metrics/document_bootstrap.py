"""Comparison of systems by figures over documents: bootstrap intervals and paired tests.

Items of a document depend on each other, so documents are drawn, with all their items. All systems
are computed on the same draws. Efron and Tibshirani 1993, chapters 13 and 16; Koehn 2004.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from .bootstrap import Floats, percentile_interval, quotient
from .intervals import Interval

Ints = NDArray[np.int64]
Key = TypeVar("Key", bound=Hashable)

# With fewer documents, draws hardly differ from each other, and any difference would look significant.
MIN_DOCUMENTS = 10
# The number of draws that are computed together, which limits memory.
_CHUNK = 50


class DocumentScores(Protocol):
    """A system's scores, from which its figures can be computed for any draw of the documents."""

    @property
    def documents(self) -> int:
        """Return the number of documents."""

    def figures(self, draws: Ints) -> Mapping[str, Floats]:
        """Return each figure by key, with a value per draw. NaN is an undefined figure.

        `draws` has draws x documents integers: how often each document was drawn.
        """


@dataclass(frozen=True, slots=True, eq=False)
class RatioScores:
    """Figures that are quotients of sums over documents, such as micro-averaged F1.

    `rows` has documents x columns counts. `ratios` has a numerator and a denominator per figure, as
    factors of the columns.
    """

    rows: Ints
    ratios: Mapping[str, tuple[Sequence[int], Sequence[int]]]

    @property
    def documents(self) -> int:
        return len(self.rows)

    def figures(self, draws: Ints) -> Mapping[str, Floats]:
        # Floats represent these sums exactly, and are multiplied faster than integers.
        sums = draws.astype(np.float64) @ self.rows.astype(np.float64)
        return {
            key: quotient(sums @ np.array(part), sums @ np.array(whole))
            for key, (part, whole) in self.ratios.items()
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """How far a figure of the first system is above that of the second.

    `p_value` is two-sided. `adjusted` is the p-value corrected for the number of pairs (Holm 1979).
    Both are None for undefined differences and for fewer than MIN_DOCUMENTS documents.
    """

    value: float | None
    interval: Interval
    p_value: float | None
    adjusted: float | None = None


Differences = dict[tuple[int, int], dict[str, Difference]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedSystems:
    """The figures and intervals of each system, and differences by the indexes of two systems."""

    figures: Sequence[Mapping[str, float | None]]
    intervals: Sequence[Mapping[str, Interval]]
    differences: Differences


def compare_systems(
    systems: Sequence[DocumentScores], *, repetitions: int, seed: int, level: float = 0.95
) -> ComparedSystems:
    """Return the figures of systems on the same documents, with intervals and paired differences.

    The p-value is the share of draws whose difference is at least as far from the observed difference
    as that is from 0. Intervals are undefined for a single document. Raise ValueError if the numbers of
    documents differ, or for fewer than one repetition.
    """
    if len({system.documents for system in systems}) > 1:
        raise ValueError("the systems must have the same documents")
    if repetitions < 1:
        raise ValueError(f"a bootstrap needs at least 1 repetition, not {repetitions}")
    documents = systems[0].documents if systems else 0
    observed = [_observed(system) for system in systems]
    drawn = _drawn_figures(systems, documents, repetitions, seed)
    differences: Differences = {
        (first, second): {
            key: _difference(
                observed[first][key] - observed[second][key],
                drawn[first][key] - drawn[second][key],
                level,
                is_testable=documents >= MIN_DOCUMENTS,
            )
            for key in observed[first]
        }
        for first, second in combinations(range(len(systems)), 2)
    }
    return ComparedSystems(
        figures=[{key: _defined(value) for key, value in row.items()} for row in observed],
        intervals=[
            {key: percentile_interval(values, level=level) for key, values in figures.items()}
            for figures in drawn
        ],
        differences=_adjusted(differences),
    )


def draw_figures(system: DocumentScores, *, repetitions: int, seed: int) -> dict[str, Floats]:
    """Return each figure by key, with a value for each of the draws of `compare_systems`.

    Systems on the same documents are drawn alike, so that stored values of two systems can be compared.
    Raise ValueError for fewer than one repetition.
    """
    if repetitions < 1:
        raise ValueError(f"a bootstrap needs at least 1 repetition, not {repetitions}")
    [drawn] = _drawn_figures([system], system.documents, repetitions, seed)
    return drawn


def drawn_difference(
    values: tuple[float | None, float | None],
    drawn: tuple[Floats, Floats],
    *,
    documents: int,
    level: float = 0.95,
) -> Difference:
    """Return how far a figure of the first system is above that of the second, from stored draws."""
    first, second = (np.nan if value is None else value for value in values)
    return _difference(
        first - second, drawn[0] - drawn[1], level, is_testable=documents >= MIN_DOCUMENTS
    )


def _observed(system: DocumentScores) -> dict[str, float]:
    everything = np.ones((1, system.documents), dtype=np.int64)
    return {key: float(values[0]) for key, values in system.figures(everything).items()}


def _drawn_figures(
    systems: Sequence[DocumentScores], documents: int, repetitions: int, seed: int
) -> list[dict[str, Floats]]:
    """Return the figures of each system by key, with a value per draw."""
    chunks: list[list[Mapping[str, Floats]]] = [[] for _ in systems]
    for draws in _draws(documents, repetitions, seed):
        for system, figures in zip(systems, chunks, strict=True):
            figures.append(system.figures(draws))
    drawn = [
        {key: np.concatenate([chunk[key] for chunk in figures]) for key in figures[0]}
        for figures in chunks
    ]
    if documents > 1:
        return drawn
    # All draws of a single document are equal, so they give no interval.
    return [{key: np.full(repetitions, np.nan) for key in figures} for figures in drawn]


def _draws(documents: int, repetitions: int, seed: int) -> Iterator[Ints]:
    rng = np.random.default_rng(seed)
    for start in range(0, repetitions, _CHUNK):
        size = min(_CHUNK, repetitions - start)
        yield np.stack([_draw(rng, documents) for _ in range(size)])


def _draw(rng: np.random.Generator, documents: int) -> Ints:
    if documents == 0:
        return np.zeros(0, dtype=np.int64)
    return np.bincount(rng.integers(documents, size=documents), minlength=documents)


def _difference(value: float, drawn: Floats, level: float, *, is_testable: bool) -> Difference:
    defined = drawn[~np.isnan(drawn)]
    p_value = None
    if is_testable and not np.isnan(value) and len(defined):
        # Rounding must not decide whether a draw is as extreme as the observed difference.
        extreme = np.abs(defined - value) >= abs(value) - 1e-12
        p_value = (1 + int(extreme.sum())) / (1 + len(defined))
    interval = percentile_interval(drawn, level=level)
    return Difference(value=_defined(value), interval=interval, p_value=p_value)


def _defined(value: float) -> float | None:
    return None if np.isnan(value) else value


def _adjusted(differences: Differences) -> Differences:
    """Return the differences with p-values that are adjusted among all pairs of a figure."""
    adjusted = {pair: dict(by_figure) for pair, by_figure in differences.items()}
    for key in next(iter(differences.values()), {}):
        of_pairs = {pair: by_figure[key].p_value for pair, by_figure in differences.items()}
        for pair, p_value in holm(of_pairs).items():
            adjusted[pair][key] = replace(adjusted[pair][key], adjusted=p_value)
    return adjusted


def holm(p_values: Mapping[Key, float | None]) -> dict[Key, float]:
    """Return the defined p-values, adjusted for their number (Holm 1979)."""
    defined = {key: value for key, value in p_values.items() if value is not None}
    adjusted: dict[Key, float] = {}
    largest = 0.0
    for rank, key in enumerate(sorted(defined, key=lambda key: defined[key])):
        largest = max(largest, min(1.0, (len(defined) - rank) * defined[key]))
        adjusted[key] = largest
    return adjusted
