"""Pay presets of QA-SRL, in whole cents.

Roit et al. 2020, section 3, has two free questions. FitzGerald et al. 2018 has one. Only the latter
paid validators: 8 cents, plus 2 for each question beyond the fourth.
"""


def _terms(reward: int, *, free: int, first: int, step: int, allowance: int) -> dict[str, int]:
    return {
        "reward_cents": reward,
        "free_units": free,
        "bonus_first_cents": first,
        "bonus_step_cents": step,
        "allowance_units": allowance,
    }


def _preset(free_questions: int) -> dict[str, dict[str, int]]:
    return {
        "generator": _terms(5, free=free_questions, first=5, step=1, allowance=5),
        "consolidator": _terms(5, free=0, first=3, step=0, allowance=8),
        "validator": _terms(8, free=4, first=2, step=0, allowance=8),
    }


PAY_PRESETS = {"qasrl-2020": _preset(2), "qasrl-2018": _preset(1)}
