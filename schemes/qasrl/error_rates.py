"""The error rates of simulated workers of QA-SRL."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ErrorRates:
    """Probabilities at the typical skill (`simulated_person.TYPICAL_SKILL`).

    They were set by trial, until the means of five seeds on wikinews.dev were close to the figures of
    Roit et al. 2020 (docs/explanation/protocols.md has the table). No rate was measured on people.
    """

    # Roles that most people overlook. Which ones depends on the sentence, not on the person.
    hard_role: float = 0.14
    missed_hard_role: float = 0.75
    # Any other role, and each further answer to a question.
    missed_part: float = 0.07
    # A question about the phrase of the sentence that tempts people most, and about another one.
    asked_tempting: float = 0.7
    asked_other: float = 0.12
    moved_border: float = 0.15
    rephrased: float = 0.09
    # Errors of judges. Their signs of good questions are in `simulated_judges`.
    kept_doubtful: float = 0.4
    dropped_plausible: float = 0.05
    dropped_agreed: float = 0.01
    chose_worse: float = 0.2


RATES = ErrorRates()
