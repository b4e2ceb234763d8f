"""The error rates of simulated workers of phrase grounding."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ErrorRates:
    """Probabilities at the typical skill (`simulated_person.TYPICAL_SKILL`).

    They are assumptions. The paper of the metrics has no annotators to set them by.
    """

    missed_box: float = 0.05
    invented_box: float = 0.03
    # A box far off its place. Other boxes have slips of a few pixels.
    moved_box: float = 0.08
    # A group's box instead of one box per individual
    merged_boxes: float = 0.06
    other_state: float = 0.04
    # Errors of judges. Their signs of good boxes are in `simulated_judges`.
    kept_doubtful: float = 0.3
    dropped_plausible: float = 0.02
    chose_worse: float = 0.2


RATES = ErrorRates()
