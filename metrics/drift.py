"""Detection of a fall in a worker's figures, by comparing the newest items with earlier ones."""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist

# Number of items in a block. The first comparison needs two blocks.
BLOCK = 20
# Share of comparisons that flag a steady worker, which is one false alarm per 4,000 items.
FALSE_ALARMS = 0.005


def fall_p_value(before: Sequence[float], latest: Sequence[float]) -> float:
    """Return the p-value of the one-sided test by Mann and Whitney (1947) that `latest` is lower.

    The normal approximation is corrected for ties and continuity. The test assumes no distribution,
    because item figures concentrate at 0 and 1. The p-value is 1 if a side is empty or all values
    are equal. It equals that of scipy's `mannwhitneyu`, which would need much memory in each process.
    """
    if not before or not latest or len({*before, *latest}) == 1:
        return 1.0
    ordered = sorted(before)
    # The number of pairs in which `latest` is higher. Equal values count half.
    pairs = sum(bisect_left(ordered, value) + bisect_right(ordered, value) for value in latest) / 2
    product, total = len(before) * len(latest), len(before) + len(latest)
    ties = sum(count**3 - count for count in Counter([*before, *latest]).values())
    deviation = sqrt(product / 12 * (total + 1 - ties / (total * (total - 1))))
    return NormalDist().cdf((pairs - product / 2 + 0.5) / deviation)


def has_fallen(series: Sequence[float], *, known: int = 0) -> float | None:
    """Return the p-value of the newest full block if it shows a fall, else None.

    Blocks within the first `known` items were tested before and are not tested again. The rate of
    false alarms therefore does not depend on the number of calls.
    """
    full = len(series) // BLOCK * BLOCK
    if full < 2 * BLOCK or full <= known:
        return None
    p_value = fall_p_value(series[: full - BLOCK], series[full - BLOCK : full])
    return p_value if p_value < FALSE_ALARMS else None
