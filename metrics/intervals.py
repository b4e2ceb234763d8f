"""An interval of a figure; kept apart from the drawing so that showing one loads no numpy."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Interval:
    """The middle `level` of the resampled figures; None where no resample defined the figure.

    `undefined` is the share of resamples without a value (they are left out of the percentiles).
    """

    low: float | None
    high: float | None
    level: float
    undefined: float
