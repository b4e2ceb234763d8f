"""Percentile bootstrap intervals of figures over items."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .counts import Counts
from .intervals import Interval

Floats = NDArray[np.float64]
Item = TypeVar("Item")


def resampled_sums(rows: ArrayLike, *, repetitions: int, seed: int) -> NDArray[np.int64]:
    """Return the column sums of `repetitions` draws of n rows with replacement.

    `rows` has n items x k integers and the result `repetitions` x k. Equal rows are drawn together
    by multinomial counts, which has the same distribution. The result depends on the seed but not
    on the order of the rows. Raise ValueError for fewer than one repetition. Efron and Tibshirani
    1993, section 6.
    """
    if repetitions < 1:
        raise ValueError(f"a bootstrap needs at least 1 repetition, not {repetitions}")
    table = np.asarray(rows, dtype=np.int64)
    if len(table) == 0:
        width = table.shape[1] if table.ndim > 1 else 0
        return np.zeros((repetitions, width), dtype=np.int64)
    distinct, times = np.unique(table, axis=0, return_counts=True)
    rng = np.random.default_rng(seed)
    draws = rng.multinomial(len(table), times / len(table), size=repetitions)
    return draws @ distinct


def percentile_interval(figures: Floats, *, level: float = 0.95) -> Interval:
    """Return the percentiles (1 - level) / 2 and (1 + level) / 2 of the figures.

    NaN is an undefined figure. Raise ValueError unless 0 < level < 1.
    """
    if not 0 < level < 1:
        raise ValueError(f"the level must be between 0 and 1, not {level}")
    defined = figures[~np.isnan(figures)]
    undefined = 1 - len(defined) / len(figures)
    if len(defined) == 0:
        return Interval(None, None, level, undefined)
    low, high = np.percentile(defined, [50 * (1 - level), 50 * (1 + level)])
    return Interval(float(low), float(high), level, undefined)


def bootstrap_counts(
    counts: Sequence[Counts], *, repetitions: int, seed: int, level: float = 0.95
) -> dict[str, Interval]:
    """Return the intervals of the micro-averaged "precision", "recall" and "f1".

    `counts` has an entry per item. Use the same seed for UA and LA of the same items.
    """
    rows = np.array([(entry.tp, entry.fp, entry.fn) for entry in counts], dtype=np.int64)
    tp, fp, fn = resampled_sums(rows.reshape(-1, 3), repetitions=repetitions, seed=seed).T
    figures = {
        "precision": quotient(tp, tp + fp),
        "recall": quotient(tp, tp + fn),
        "f1": quotient(2 * tp, 2 * tp + fp + fn),
    }
    return {name: percentile_interval(values, level=level) for name, values in figures.items()}


def bootstrap_items(
    items: Sequence[Item],
    figure: Callable[[Sequence[Item]], float | None],
    *,
    repetitions: int,
    seed: int,
    level: float = 0.95,
) -> Interval:
    """Return the interval of a figure of all items, computed for each draw."""
    if not items:
        return Interval(None, None, level, 1.0)
    rng = np.random.default_rng(seed)
    draws = rng.integers(len(items), size=(repetitions, len(items)))
    figures = [figure([items[at] for at in draw]) for draw in draws]
    values = [np.nan if value is None else value for value in figures]
    return percentile_interval(np.array(values, dtype=np.float64), level=level)


def bootstrap_difference(
    first: Sequence[Item],
    second: Sequence[Item],
    figure: Callable[[Sequence[Item]], float | None],
    *,
    repetitions: int,
    seed: int,
    level: float = 0.95,
) -> Interval:
    """Return the interval of the figure of `second` minus that of `first`, two independent groups.

    Both groups are drawn with replacement, each from its own items. Efron and Tibshirani 1993,
    section 8.3.
    """
    if not first or not second:
        return Interval(None, None, level, 1.0)
    rng = np.random.default_rng(seed)
    differences = np.full(repetitions, np.nan)
    for at in range(repetitions):
        figures = [
            figure([group[index] for index in rng.integers(len(group), size=len(group))])
            for group in (first, second)
        ]
        if figures[0] is not None and figures[1] is not None:
            differences[at] = figures[1] - figures[0]
    return percentile_interval(differences, level=level)


def quotient(part: ArrayLike, whole: ArrayLike) -> Floats:
    """Divide element by element. The result is NaN where `whole` is 0."""
    numerator, denominator = np.broadcast_arrays(
        np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    )
    result: Floats = np.full(denominator.shape, np.nan)
    np.divide(numerator, denominator, out=result, where=denominator != 0)
    return result


def bootstrap_share(
    flags: ArrayLike, *, repetitions: int, seed: int, level: float = 0.95
) -> Interval:
    """Return the interval of the share of true flags, such as accuracy."""
    hits = np.asarray(flags, dtype=np.int64)
    if len(hits) == 0:
        return Interval(None, None, level, 1.0)
    drawn = resampled_sums(hits.reshape(-1, 1), repetitions=repetitions, seed=seed)
    return percentile_interval(quotient(drawn[:, 0], len(hits)), level=level)
