"""Krippendorff's alpha for values with a distance: ranks, numbers and sets.

All functions take pairs of values that two annotators gave to the same items. alpha = 1 - D_o / D_e,
where D_o is the mean distance of the pairs and D_e that of all values, drawn without replacement.
Krippendorff 2004, chapter 11. Alpha is None without pairs and if all values are equal.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .bootstrap import percentile_interval, quotient
from .intervals import Interval

Scale = Literal["ordinal", "interval", "masi"]
# A rank, a number, or a set of labels
Value = Hashable
Pair = tuple[Value, Value]
Table = NDArray[np.float64]
# Bounds the memory of a bootstrap, in numbers of draws times values.
_CELLS = 4_000_000


def krippendorff_alpha(pairs: Sequence[Pair], *, scale: Scale) -> float | None:
    """Return alpha on a scale.

    The distance of ranks is ordinal, that of numbers is the square of their difference, and that of
    sets, which are frozensets, is MASI (Passonneau 2006).
    """
    if not pairs:
        return None
    groups = _tables([pairs])
    alpha = _alphas(groups, np.ones((1, 1)), scale)[0]
    return None if np.isnan(alpha) else float(alpha)


def bootstrap_alpha(
    groups: Sequence[Sequence[Pair]],
    *,
    scale: Scale,
    repetitions: int,
    seed: int,
    level: float = 0.95,
) -> Interval:
    """Return the interval of alpha. Each group of pairs is drawn as a whole."""
    if not any(groups):
        return Interval(None, None, level, 1.0)
    tables = _tables(groups)
    rng = np.random.default_rng(seed)
    size = max(1, min(repetitions, _CELLS // max(len(groups), _width(tables, scale))))
    shares = np.full(len(groups), 1 / len(groups))
    values = []
    for done in range(0, repetitions, size):
        draws = rng.multinomial(len(groups), shares, size=min(size, repetitions - done))
        values.append(_alphas(tables, draws.astype(float), scale))
    return percentile_interval(np.concatenate(values), level=level)


class _Tables:
    """The pairs of each group as positions in the sorted distinct values."""

    def __init__(self, groups: Sequence[Sequence[Pair]]) -> None:
        distinct = {value for group in groups for pair in group for value in pair}
        self.values: list[Value] = sorted(distinct, key=_order)
        at = {value: index for index, value in enumerate(self.values)}
        self.pairs = np.array(
            [(at[a], at[b]) for group in groups for a, b in group], dtype=np.int64
        ).reshape(-1, 2)
        self.group_of = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
        self.groups = len(groups)

    def sums(self, amounts: Table) -> Table:
        """Return the sum of an amount per pair for each group."""
        sums = np.bincount(self.group_of, weights=amounts, minlength=self.groups)
        return np.asarray(sums, dtype=np.float64)

    def counts(self, draws: Table) -> Table:
        """Return how often each value occurs in the drawn groups (draws x values)."""
        size = len(self.values)
        first, second = (self._counts(draws, self.pairs[:, side], size) for side in (0, 1))
        return first + second

    def pair_counts(self, draws: Table) -> Table:
        """Return how often each pair of values occurs in the drawn groups (draws x values^2)."""
        size = len(self.values)
        return self._counts(draws, self.pairs[:, 0] * size + self.pairs[:, 1], size * size)

    def _counts(self, draws: Table, codes: NDArray[np.int64], size: int) -> Table:
        # Row by row, because a table of groups and codes would not fit into memory.
        rows = [np.bincount(codes, weights=row[self.group_of], minlength=size) for row in draws]
        return np.array(rows, dtype=np.float64)


def _order(value: Value) -> tuple[object, ...]:
    return tuple(sorted(value)) if isinstance(value, frozenset) else (value,)


def _tables(groups: Sequence[Sequence[Pair]]) -> _Tables:
    return _Tables(groups)


def _width(tables: _Tables, scale: Scale) -> int:
    values = len(tables.values)
    return {"interval": 3, "masi": values, "ordinal": values * values}[scale]


def _alphas(tables: _Tables, draws: Table, scale: Scale) -> Table:
    """Return alpha for each row of draws (draws x groups), or NaN."""
    compute: dict[Scale, Callable[[_Tables, Table], tuple[Table, Table]]] = {
        "interval": _interval,
        "masi": _masi,
        "ordinal": _ordinal,
    }
    observed, expected = compute[scale](tables, draws)
    total = 2 * (draws @ tables.sums(np.ones(len(tables.pairs))))
    # The observed distances of ordered pairs are twice those of the pairs.
    return 1 - quotient(2 * observed * (total - 1), expected)


def _interval(tables: _Tables, draws: Table) -> tuple[Table, Table]:
    """Return the sums of distances of pairs, and of all ordered pairs of values."""
    numbers = np.array(tables.values, dtype=np.float64)
    # Centred, because the difference of large squares loses digits.
    numbers -= numbers.mean()
    first, second = (numbers[tables.pairs[:, side]] for side in (0, 1))
    observed = draws @ tables.sums((first - second) ** 2)
    count = 2 * (draws @ tables.sums(np.ones(len(first))))
    total = draws @ tables.sums(first + second)
    squares = draws @ tables.sums(first**2 + second**2)
    expected = 2 * (count * squares - total**2)
    # Rounding must not make equal values differ.
    tiny = 1e-12 * np.maximum(count * squares, 1e-300)
    return observed, np.where(expected > tiny, expected, 0.0)


def _masi(tables: _Tables, draws: Table) -> tuple[Table, Table]:
    distance = np.array([[masi_distance(a, b) for b in tables.values] for a in tables.values])
    observed = draws @ tables.sums(distance[tables.pairs[:, 0], tables.pairs[:, 1]])
    counts = tables.counts(draws)
    return observed, ((counts @ distance) * counts).sum(axis=1)


def _ordinal(tables: _Tables, draws: Table) -> tuple[Table, Table]:
    """Distances of ranks depend on how often the ranks between them occur."""
    counts = tables.counts(draws)
    # The middle of each rank among all values in order
    middle = np.cumsum(counts, axis=1) - counts / 2
    distance = (middle[:, :, None] - middle[:, None, :]) ** 2
    expected = np.einsum("rc,rck,rk->r", counts, distance, counts)
    pairs = tables.pair_counts(draws)
    observed = (pairs * distance.reshape(len(draws), -1)).sum(axis=1)
    return observed, expected


def masi_distance(first: Value, second: Value) -> float:
    """Return 1 - Jaccard x monotonicity of two sets: 0 if they are equal and 1 if they are disjoint."""
    assert isinstance(first, frozenset)
    assert isinstance(second, frozenset)
    if first == second:
        return 0.0
    common = first & second
    if not common:
        return 1.0
    is_nested = common in (first, second)
    return 1 - len(common) / len(first | second) * (2 / 3 if is_nested else 1 / 3)
