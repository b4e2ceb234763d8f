"""Measures of how an item's answers were entered.

They are computed from counts and times without content, and decide nothing. A measure is None if there
is too little to measure.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import fsum

# What enters characters. Words come from dictation, predictions and swipes, composed characters from an
# input method, replaced ones from autocorrection, restored ones from undo, and untrusted ones from a
# script.
KINDS = (
    "typed",
    "words",
    "composed",
    "replaced",
    "pasted",
    "dropped",
    "restored",
    "other",
    "untrusted",
)
COUNTS = ("gestures", "untrusted", "absences", "away")
# The first bucket of intervals ends at FIRST_MS * GROWTH, and each further one is GROWTH times longer.
BUCKETS, FIRST_MS, GROWTH = 25, 8.0, 1.25
MIN_CHARACTERS = 20
MIN_INTERVALS = 30
MIN_EVENTS = 3


@dataclass(frozen=True, slots=True)
class Inputs:
    """How an item's answers were entered.

    `characters` counts the inserted characters by kind, and `pastes` the pastes. `intervals` counts the
    intervals between typed characters by bucket. `gestures` and `untrusted` count the events that a
    person and that a script caused. The page had no focus `absences` times, for `away_seconds` in all.
    """

    characters: Mapping[str, int]
    pastes: int
    intervals: Sequence[int]
    gestures: int
    untrusted: int
    absences: int
    away_seconds: float

    @property
    def inserted(self) -> int:
        return sum(self.characters.values())

    @property
    def pasted(self) -> int:
        """The characters that were pasted or dropped."""
        return self.characters.get("pasted", 0) + self.characters.get("dropped", 0)


def pasted_share(inputs: Inputs) -> float | None:
    """Return the share of inserted characters that were pasted or dropped, in [0, 1]."""
    if inputs.inserted < MIN_CHARACTERS:
        return None
    return inputs.pasted / inputs.inserted


def untrusted_share(inputs: Inputs) -> float | None:
    """Return the share of events that a script caused, in [0, 1]."""
    events = inputs.gestures + inputs.untrusted
    return inputs.untrusted / events if events >= MIN_EVENTS else None


def characters_per_second(inputs: Inputs, *, active_seconds: float) -> float | None:
    """Return the characters that were typed, pasted or set per active second.

    Dictated, composed and replaced characters don't count, because they come in bursts.
    """
    counted = ("typed", "pasted", "dropped", "other", "untrusted")
    characters = sum(inputs.characters.get(kind, 0) for kind in counted)
    if characters < MIN_CHARACTERS:
        return None
    return characters / max(1.0, active_seconds)


def interval_spread(intervals: Sequence[int]) -> float | None:
    """Return the interquartile range of the intervals divided by their median.

    Quantiles are interpolated inside the buckets.
    """
    if sum(intervals) < MIN_INTERVALS:
        return None
    low, middle, high = (interval_quantile(intervals, share) for share in (0.25, 0.5, 0.75))
    return (high - low) / middle


def interval_quantile(intervals: Sequence[int], share: float) -> float:
    """Return the quantile of the intervals in milliseconds. There must be an interval."""
    position = share * sum(intervals)
    for bucket, end in enumerate(accumulate(intervals)):
        if end >= position and intervals[bucket]:
            part = 1 - (end - position) / intervals[bucket]
            return FIRST_MS * float(GROWTH ** (bucket + part))
    raise ValueError("There are no intervals.")


def rhythm_distance(one: Sequence[int], other: Sequence[int]) -> float | None:
    """Return the total variation distance of two distributions of intervals, in [0, 1]."""
    total, others = sum(one), sum(other)
    if min(total, others) < MIN_INTERVALS:
        return None
    return fsum(abs(a / total - b / others) for a, b in zip(one, other, strict=True)) / 2
