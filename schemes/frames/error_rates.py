"""The error rates of simulated workers of semantic frames."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ErrorRates:
    """Probabilities at the typical skill (`simulated_person.TYPICAL_SKILL`), per part of a record.

    They are assumptions. The paper of SemEval-2019 Task 2 prints no agreement to set them by.
    """

    other_frame: float = 0.1
    missed_argument: float = 0.1
    invented_argument: float = 0.1
    moved_head: float = 0.05
    other_element: float = 0.05
    other_role: float = 0.1
    unsure: float = 0.1
    # Errors of judges. Their signs of good parts are in `visible_signs`.
    kept_doubtful: float = 0.3
    dropped_plausible: float = 0.02
    chose_worse: float = 0.2


RATES = ErrorRates()
