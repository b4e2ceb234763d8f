"""Purity, inverse purity and BCubed of clusterings (Amigo et al. 2009).

Gold and system have a label per item, in the same order. Labels are numpy arrays of integers, which
are faster, or sequences of hashable values. Only equality of labels matters. All figures are in
[0, 1], or None without items. They are computed as fractions and rounded once, so they do not
depend on the order of the items. QasemiZadeh et al. 2019 (SemEval Task 2).
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .bootstrap import Floats, percentile_interval, quotient
from .intervals import Interval

Labels = Sequence[Hashable] | NDArray[np.integer]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ClusterScores:
    """The figures of a clustering. Each F is the harmonic mean of the two figures before it."""

    items: int
    gold_clusters: int
    system_clusters: int
    purity: float | None
    inverse_purity: float | None
    purity_f: float | None
    bcubed_precision: float | None
    bcubed_recall: float | None
    bcubed_f: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Contingency:
    """The non-zero cells of a contingency table.

    `counts[i]` items have the codes `gold[i]` and `system[i]`. Cells are sorted by gold code, then
    by system code. The sizes are indexed by code.
    """

    counts: Ints
    gold: Ints
    system: Ints
    gold_sizes: Ints
    system_sizes: Ints

    @property
    def items(self) -> int:
        return int(self.counts.sum())


def contingency(gold: Labels, system: Labels) -> Contingency:
    """Return the contingency table. Raise ValueError if the lengths differ."""
    if len(gold) != len(system):
        raise ValueError(f"{len(gold)} gold labels but {len(system)} system labels")
    gold_codes, system_codes = label_codes(gold), label_codes(system)
    gold_sizes, system_sizes = np.bincount(gold_codes), np.bincount(system_codes)
    width = max(len(system_sizes), 1)
    keys = np.sort(gold_codes * width + system_codes)
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    counts = np.diff(starts, append=len(keys))
    cells = keys[starts]
    return Contingency(counts, cells // width, cells % width, gold_sizes, system_sizes)


def label_codes(labels: Labels) -> Ints:
    """Return a code >= 0 for each item. Codes are equal if and only if the labels are.

    The codes of an array can have gaps.
    """
    if not isinstance(labels, np.ndarray):
        codes: dict[Hashable, int] = {}
        return np.array([codes.setdefault(label, len(codes)) for label in labels], dtype=np.int64)
    if len(labels) == 0:
        return np.zeros(0, dtype=np.int64)
    if labels.min() >= 0 and labels.max() < 2 * len(labels):
        return labels.astype(np.int64, copy=False)  # small integers already are codes
    return np.unique(labels, return_inverse=True)[1].astype(np.int64, copy=False)


def purity(gold: Labels, system: Labels) -> float | None:
    """Return the share of items in the largest gold cluster of their system cluster.

    Purity is 1 if no system cluster mixes gold clusters, as with one cluster per item.
    """
    return _rounded(_purity(contingency(gold, system)))


def inverse_purity(gold: Labels, system: Labels) -> float | None:
    """Return the purity with the sides exchanged.

    Inverse purity is 1 if no gold cluster is split, as with a single cluster.
    """
    return purity(system, gold)


def bcubed_precision(gold: Labels, system: Labels) -> float | None:
    """Return the mean share of an item's system cluster that has the item's gold label.

    This is the sum of n(g, s)^2 / (|s| N) over the cells. Bagga and Baldwin 1998.
    """
    return _rounded(_bcubed_precision(contingency(gold, system)))


def bcubed_recall(gold: Labels, system: Labels) -> float | None:
    """Return the BCubed precision with the sides exchanged."""
    return bcubed_precision(system, gold)


def cluster_scores(gold: Labels, system: Labels) -> ClusterScores:
    """Return all figures. Time is O(n log n)."""
    return scores_of(contingency(gold, system))


def scores_of(table: Contingency) -> ClusterScores:
    """Return all figures of a contingency table."""
    inverse = _exchanged(table)
    return ClusterScores(
        table.items,
        int(np.count_nonzero(table.gold_sizes)),
        int(np.count_nonzero(table.system_sizes)),
        *_with_f(_purity(table), _purity(inverse)),
        *_with_f(_bcubed_precision(table), _bcubed_precision(inverse)),
    )


def _with_f(
    precision: Fraction | None, recall: Fraction | None
) -> tuple[float | None, float | None, float | None]:
    if precision is None or recall is None:
        return None, None, None
    return float(precision), float(recall), float(2 / (1 / precision + 1 / recall))


def _rounded(figure: Fraction | None) -> float | None:
    return None if figure is None else float(figure)


def _exchanged(table: Contingency) -> Contingency:
    return Contingency(table.counts, table.system, table.gold, table.system_sizes, table.gold_sizes)


def _purity(table: Contingency) -> Fraction | None:
    if not len(table.counts):
        return None
    largest = np.zeros(len(table.system_sizes), dtype=np.int64)
    np.maximum.at(largest, table.system, table.counts)
    return Fraction(int(largest.sum()), table.items)


def _bcubed_precision(table: Contingency) -> Fraction | None:
    if not len(table.counts):
        return None
    # Cells of system clusters of equal size share a denominator, which saves divisions.
    sizes = table.system_sizes[table.system]
    distinct, group = _grouped(sizes)
    squares = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(squares, group, table.counts * table.counts)
    totals, denominators = squares.tolist(), distinct.tolist()
    common = lcm(*denominators)
    shares = sum(total * (common // size) for total, size in zip(totals, denominators, strict=True))
    return Fraction(shares, common * table.items)


def _grouped(sizes: Ints) -> tuple[Ints, Ints]:
    """Return the distinct sizes and the index of each entry's size among them."""
    present = np.flatnonzero(np.bincount(sizes))
    position = np.zeros(int(present[-1]) + 1, dtype=np.int64)
    position[present] = np.arange(len(present))
    return present, position[sizes]


def item_bcubed(gold: Labels, system: Labels) -> tuple[Floats, Floats]:
    """Return the BCubed precision and recall of each item. Their means are the totals."""
    gold_codes, system_codes = label_codes(gold), label_codes(system)
    table = contingency(gold_codes, system_codes)
    width = max(len(table.system_sizes), 1)
    cells = table.gold * width + table.system
    shared = table.counts[np.searchsorted(cells, gold_codes * width + system_codes)]
    return (
        quotient(shared, table.system_sizes[system_codes]),
        quotient(shared, table.gold_sizes[gold_codes]),
    )


def one_cluster_per_item(items: int) -> Ints:
    """Return the baseline 1CPI, with purity 1 and the smallest possible inverse purity."""
    return np.arange(items, dtype=np.int64)


def all_in_one(items: int) -> Ints:
    """Return the baseline AIN1, with inverse purity 1 and the smallest possible purity."""
    return np.zeros(items, dtype=np.int64)


def random_clusters(items: int, *, clusters: int, seed: int) -> Ints:
    """Return the baseline RANDOM, in which all clusters are equally likely for each item."""
    return np.random.default_rng(seed).integers(0, max(clusters, 1), items, dtype=np.int64)


def scores_by_confidence(
    gold: Labels, system: Labels, confidence: Sequence[int]
) -> dict[int, tuple[ClusterScores, ClusterScores]]:
    """Return the scores at each confidence and at that confidence or above, ascending.

    Raise ValueError if the lengths differ.
    """
    if not len(gold) == len(system) == len(confidence):
        raise ValueError("gold, system and confidence must have one entry per item")
    gold_codes, system_codes = label_codes(gold), label_codes(system)
    levels = np.asarray(confidence, dtype=np.int64)

    def scores_where(mask: NDArray[np.bool_]) -> ClusterScores:
        return cluster_scores(gold_codes[mask], system_codes[mask])

    return {
        int(level): (scores_where(levels == level), scores_where(levels >= level))
        for level in np.unique(levels)
    }


def leave_one_gold_cluster_out(gold: Labels, system: Labels) -> dict[Hashable, float | None]:
    """Return how easy each gold label is, as its effect on the score per item.

    The effect is (BCubed F of all items - BCubed F without the label's items) / cluster size. It is
    in [-1, 1] and positive if the label's items raise the score. It is None for the only gold
    cluster. Time is linear. SemEval-2019 Task 2, analysis.
    """
    table = contingency(gold, system)
    codes = label_codes(gold).tolist()
    names = gold.tolist() if isinstance(gold, np.ndarray) else gold
    labels = dict(zip(names, codes, strict=True))
    if not labels:
        return {}
    total = scores_of(table).bcubed_f
    without = _bcubed_f_without(table)
    sizes = table.gold_sizes
    return {
        label: None
        if total is None or np.isnan(without[code])
        else (total - float(without[code])) / int(sizes[code])
        for label, code in labels.items()
    }


def _bcubed_f_without(table: Contingency) -> Floats:
    """Return BCubed F without each gold code's items. It is NaN if no items remain."""
    counts, gold, system = table.counts, table.gold, table.system
    remaining = table.items - table.gold_sizes
    squares = np.bincount(system, weights=counts * counts, minlength=len(table.system_sizes))
    before = squares[system] / table.system_sizes[system]
    after = quotient(squares[system] - counts * counts, table.system_sizes[system] - counts)
    change = np.nan_to_num(after) - before
    shares = quotient(squares, table.system_sizes)
    correct = np.nansum(shares) + np.bincount(gold, weights=change, minlength=len(remaining))
    recalls = quotient(counts * counts, table.gold_sizes[gold])
    recalled = recalls.sum() - np.bincount(gold, weights=recalls, minlength=len(remaining))
    precision, recall = quotient(correct, remaining), quotient(recalled, remaining)
    return quotient(2 * precision * recall, precision + recall)


def bootstrap_clusters(
    gold: Labels, system: Labels, *, repetitions: int, seed: int, level: float = 0.95
) -> dict[str, Interval]:
    """Return the bootstrap intervals of "purity_f" and "bcubed_f" from the same draws of items.

    Each item keeps its scores among all items (see `item_scores`).
    """
    rows = item_scores(gold, system)
    if not len(rows):
        undefined = percentile_interval(np.array([np.nan]), level=level)
        return {"purity_f": undefined, "bcubed_f": undefined}
    distinct, times = np.unique(rows, axis=0, return_counts=True)
    rng = np.random.default_rng(seed)
    draws = rng.multinomial(len(rows), times / len(rows), size=repetitions)
    figures = mean_scores(draws @ distinct, draws.sum(axis=1))
    return {
        name: percentile_interval(figures[name], level=level) for name in ("purity_f", "bcubed_f")
    }


def item_scores(gold: Labels, system: Labels) -> Floats:
    """Return purity, inverse purity, BCubed precision and BCubed recall of each item (items x 4).

    The purity of an item is that of its system cluster, and its inverse purity that of its gold cluster.
    The means of the columns are the totals. Resampling uses these scores and not new clusters, because
    copies of an item in its own clusters would raise all figures.
    """
    gold_codes, system_codes = label_codes(gold), label_codes(system)
    table = contingency(gold_codes, system_codes)
    return np.column_stack(
        [
            _purities(table)[system_codes],
            _purities(_exchanged(table))[gold_codes],
            *item_bcubed(gold_codes, system_codes),
        ]
    )


def _purities(table: Contingency) -> Floats:
    """Return the purity of each system cluster."""
    largest = np.zeros(len(table.system_sizes), dtype=np.int64)
    np.maximum.at(largest, table.system, table.counts)
    return quotient(largest, table.system_sizes)


def mean_scores(sums: Floats, items: ArrayLike) -> dict[str, Floats]:
    """Return the figures of ClusterScores for sums of item scores (draws x 4). NaN is undefined."""
    purity, inverse, precision, recall = (quotient(column, items) for column in sums.T)
    return {
        "purity": purity,
        "inverse_purity": inverse,
        "purity_f": quotient(2 * purity * inverse, purity + inverse),
        "bcubed_precision": precision,
        "bcubed_recall": recall,
        "bcubed_f": quotient(2 * precision * recall, precision + recall),
    }
