"""Percentile bootstrap: how far a figure would move with another draw of the same items."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metrics.counts import Counts
from metrics.intervals import Interval

Floats = NDArray[np.float64]


def resampled_sums(rows: ArrayLike, *, repetitions: int, seed: int) -> NDArray[np.int64]:
    """Sums of `rows` (n items x k whole numbers) over `repetitions` draws of n items with
    replacement: repetitions x k, the columns of one draw together.

    Equal rows are drawn by their multinomial counts, the same distribution at a fraction of the
    work. Same seed, same rows in any order: same result. Efron and Tibshirani 1993, section 6.
    Raises ValueError for fewer than one repetition.
    """
    if repetitions < 1:
        raise ValueError(f"a bootstrap takes at least 1 repetition, not {repetitions}")
    table = np.asarray(rows, dtype=np.int64)
    if len(table) == 0:
        width = table.shape[1] if table.ndim > 1 else 0
        return np.zeros((repetitions, width), dtype=np.int64)
    distinct, times = np.unique(table, axis=0, return_counts=True)
    rng = np.random.default_rng(seed)
    draws = rng.multinomial(len(table), times / len(table), size=repetitions)
    return draws @ distinct


def percentile_interval(figures: Floats, *, level: float = 0.95) -> Interval:
    """The percentiles (1 - level) / 2 and (1 + level) / 2 of the figures, NaN meaning undefined."""
    if not 0 < level < 1:
        raise ValueError(f"the level must lie between 0 and 1, not at {level}")
    defined = figures[~np.isnan(figures)]
    undefined = 1 - len(defined) / len(figures)
    if len(defined) == 0:
        return Interval(None, None, level, undefined)
    low, high = np.percentile(defined, [50 * (1 - level), 50 * (1 + level)])
    return Interval(float(low), float(high), level, undefined)


def bootstrap_counts(
    counts: Sequence[Counts], *, repetitions: int, seed: int, level: float = 0.95
) -> dict[str, Interval]:
    """Intervals of micro-averaged "precision", "recall" and "f1"; `counts` has one entry an item.

    Two figures of the same items (UA and LA) should be drawn with the same seed.
    """
    rows = np.array([(each.tp, each.fp, each.fn) for each in counts], dtype=np.int64)
    tp, fp, fn = resampled_sums(rows.reshape(-1, 3), repetitions=repetitions, seed=seed).T
    figures = {
        "precision": quotient(tp, tp + fp),
        "recall": quotient(tp, tp + fn),
        "f1": quotient(2 * tp, 2 * tp + fp + fn),
    }
    return {name: percentile_interval(found, level=level) for name, found in figures.items()}


def bootstrap_mean(
    values: Sequence[float], *, repetitions: int, seed: int, level: float = 0.95
) -> Interval:
    """The interval of the mean of `values`, one an item; all None without any."""
    rng = np.random.default_rng(seed)
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    if len(ordered) == 0:
        return Interval(None, None, level, 1.0)
    means = np.array([rng.choice(ordered, len(ordered)).mean() for _ in range(repetitions)])
    return percentile_interval(means, level=level)


def quotient(part: ArrayLike, whole: ArrayLike) -> Floats:
    """part / whole, element by element; NaN where whole is 0."""
    top, bottom = np.broadcast_arrays(
        np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    )
    found: Floats = np.full(bottom.shape, np.nan)
    np.divide(top, bottom, out=found, where=bottom != 0)
    return found


def bootstrap_share(
    flags: ArrayLike, *, repetitions: int, seed: int, level: float = 0.95
) -> Interval:
    """The interval of the share of true flags (accuracy); all None without any flag."""
    hits = np.asarray(flags, dtype=np.int64)
    if len(hits) == 0:
        return Interval(None, None, level, 1.0)
    drawn = resampled_sums(hits.reshape(-1, 1), repetitions=repetitions, seed=seed)
    return percentile_interval(quotient(drawn[:, 0], len(hits)), level=level)
