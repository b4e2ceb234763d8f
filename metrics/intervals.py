"""Intervals of figures, in a module of their own that does not import numpy."""

from dataclasses import dataclass


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
