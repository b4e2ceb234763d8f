"""Chance-corrected agreement on nominal labels: Cohen's kappa and Krippendorff's alpha.

Both take pairs of labels that two annotators gave to the same items.
"""

from collections import Counter
from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from .bootstrap import percentile_interval, quotient
from .intervals import Interval

Pair = tuple[Hashable, Hashable]
# Bounds the memory of a bootstrap, in numbers of draws times labels.
_CELLS = 4_000_000


def cohen_kappa(pairs: Sequence[Pair]) -> float | None:
    """Return kappa, or None without pairs or if only one label occurs.

    kappa = (p_o - p_e) / (1 - p_e), where p_e is the product of each annotator's own label shares,
    summed over labels. Cohen 1960.
    """
    count = len(pairs)
    first, second = (Counter(pair[side] for pair in pairs) for side in (0, 1))
    # In whole numbers, so that equal shares cancel exactly
    expected = sum(times * second[label] for label, times in first.items())
    observed = sum(a == b for a, b in pairs) * count
    return _ratio(observed - expected, count * count - expected)


def krippendorff_alpha(pairs: Sequence[Pair]) -> float | None:
    """Return alpha for nominal labels, or None without pairs or if only one label occurs.

    alpha = 1 - D_o / D_e, where D_e is the share of unequal pairs among all 2n labels, drawn without
    replacement. Krippendorff 2004, chapter 11.
    """
    labels = Counter(label for pair in pairs for label in pair)
    total = 2 * len(pairs)
    unequal = sum(a != b for a, b in pairs)
    expected = total * total - sum(times * times for times in labels.values())
    disagreement = _ratio(2 * unequal * (total - 1), expected)
    return None if disagreement is None else 1 - disagreement


def bootstrap_kappa(
    groups: Sequence[Sequence[Pair]], *, repetitions: int, seed: int, level: float = 0.95
) -> Interval:
    """Return the interval of Cohen's kappa. Each group of pairs is drawn as a whole."""
    if not any(groups):
        return Interval(None, None, level, 1.0)
    first, second, equal, sizes = _tables(groups)
    values = []
    for draws in _draws(len(groups), first.shape[1], repetitions, seed):
        count = draws @ sizes
        expected = ((draws @ first) * (draws @ second)).sum(axis=1)
        values.append(quotient((draws @ equal) * count - expected, count * count - expected))
    return percentile_interval(np.concatenate(values), level=level)


def bootstrap_alpha(
    groups: Sequence[Sequence[Pair]], *, repetitions: int, seed: int, level: float = 0.95
) -> Interval:
    """Return the interval of Krippendorff's alpha. Each group of pairs is drawn as a whole."""
    if not any(groups):
        return Interval(None, None, level, 1.0)
    first, second, equal, sizes = _tables(groups)
    labels = first + second
    values = []
    for draws in _draws(len(groups), labels.shape[1], repetitions, seed):
        total = 2 * (draws @ sizes)
        unequal = draws @ (sizes - equal)
        expected = total * total - ((draws @ labels) ** 2).sum(axis=1)
        values.append(1 - quotient(2 * unequal * (total - 1), expected))
    return percentile_interval(np.concatenate(values), level=level)


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


_Table = NDArray[np.int64]


def _tables(groups: Sequence[Sequence[Pair]]) -> tuple[_Table, _Table, _Table, _Table]:
    """Return, per group: both annotators' label counts (n x k), equal pairs and all pairs (n)."""
    labels = {
        label: at
        for at, label in enumerate(
            dict.fromkeys(label for group in groups for pair in group for label in pair)
        )
    }
    first, second = (np.zeros((len(groups), len(labels)), dtype=np.int64) for _ in range(2))
    for row, group in enumerate(groups):
        for a, b in group:
            first[row, labels[a]] += 1
            second[row, labels[b]] += 1
    equal = np.array([sum(a == b for a, b in group) for group in groups], dtype=np.int64)
    return first, second, equal, np.array([len(group) for group in groups], dtype=np.int64)


def _draws(count: int, labels: int, repetitions: int, seed: int) -> list[_Table]:
    """Return how often each group is drawn (repetitions x n), in parts of bounded size."""
    rng = np.random.default_rng(seed)
    part = max(1, min(repetitions, _CELLS // max(1, labels, count)))
    shares = np.full(count, 1 / count)
    sizes = [min(part, repetitions - done) for done in range(0, repetitions, part)]
    return [rng.multinomial(count, shares, size=size) for size in sizes]
