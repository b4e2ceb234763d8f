"""Intervals of figures, in a module of their own that does not import numpy."""

from dataclasses import dataclass
from math import sqrt

_Z_95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Interval:
    """The middle `level` of the resampled figures.

    The bounds are None if no resample defines the figure. `undefined` is the share of resamples
    without a value, which the percentiles ignore.
    """

    low: float | None
    high: float | None
    level: float
    undefined: float


def wilson_interval(hits: int, of: int) -> Interval:
    """Return the 95 % score interval of a share (Wilson 1927).

    Unlike the normal approximation, it stays within [0, 1] and is reliable for few or rare hits.
    Both ends are None if there are no cases.
    """
    if not of:
        return Interval(None, None, 0.95, 1.0)
    share, z2 = hits / of, _Z_95**2
    middle = (share + z2 / (2 * of)) / (1 + z2 / of)
    half = _Z_95 * sqrt(share * (1 - share) / of + z2 / (4 * of * of)) / (1 + z2 / of)
    low = 0.0 if hits == 0 else middle - half
    high = 1.0 if hits == of else middle + half
    return Interval(low, high, 0.95, 0.0)
