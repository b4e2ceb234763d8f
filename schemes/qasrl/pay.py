"""Pay presets of QA-SRL, in whole cents.

Roit et al. 2020 has two free questions. That the bonus rises by a cent with each question comes from
the authors' annotation software. FitzGerald et al. 2018 has one free question. Only the latter paid
validators: 8 cents, plus 2 for each question beyond the fourth.
"""

# In the published Wikinews dev gold, a verb has at most 8 questions, and 99.9 % of the 1,264 verbs
# have at most 6.
MAX_QUESTIONS = 12  # of a generator
# Bonuses above this number are checked first, as in the authors' tool.
QUESTIONS_WITHOUT_REVIEW = 6
# Consolidators and validators judge the questions of two generators, and of nine at most.
_GENERATORS, _MAX_GENERATORS = 2, 9
JUDGED_WITHOUT_REVIEW = _GENERATORS * QUESTIONS_WITHOUT_REVIEW
MAX_JUDGED = _MAX_GENERATORS * MAX_QUESTIONS


def _terms(
    reward: int,
    *,
    free: int,
    first: int,
    step: int,
    allowance: int,
    seconds: int,
    most: int = MAX_JUDGED,
    hold_above: int = JUDGED_WITHOUT_REVIEW,
) -> dict[str, int]:
    return {
        "reward_cents": reward,
        "free_units": free,
        "bonus_first_cents": first,
        "bonus_step_cents": step,
        "allowance_units": allowance,
        "max_units": most,
        "hold_above_units": hold_above,
        "least_seconds": seconds,
    }


def _preset(free_questions: int) -> dict[str, dict[str, int]]:
    return {
        "generator": _terms(
            5,
            free=free_questions,
            first=5,
            step=1,
            allowance=5,
            seconds=8,
            most=MAX_QUESTIONS,
            hold_above=QUESTIONS_WITHOUT_REVIEW,
        ),
        "consolidator": _terms(5, free=0, first=3, step=0, allowance=8, seconds=6),
        "validator": _terms(8, free=4, first=2, step=0, allowance=8, seconds=5),
    }


PAY_PRESETS = {"qasrl-2020": _preset(2), "qasrl-2018": _preset(1)}
PAY_TITLES = {
    "qasrl-2020": "QA-SRL 2020 paper rates",
    "qasrl-2018": "QA-SRL 2018 paper rates",
}
