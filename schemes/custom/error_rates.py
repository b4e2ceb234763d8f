"""The error rates of simulated workers of custom schemes."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ErrorRates:
    """Probabilities at the typical skill (`simulated_person.TYPICAL_SKILL`).

    They are assumptions, because custom schemes have no published annotators.
    """

    other_value: float = 0.1
    missed_part: float = 0.08
    invented_part: float = 0.04
    other_extent: float = 0.08
    other_label: float = 0.06
    # Errors of judges
    kept_doubtful: float = 0.3
    dropped_plausible: float = 0.03


RATES = ErrorRates()
