"""Pay presets of the frames scheme, in whole cents.

Annotators are paid per record and per argument, verifiers per verification. The amounts are
suggestions of this project: the annotators of SemEval-2019 Task 2 were employed.
"""


def _terms(reward: int, per_argument: int, allowance: int) -> dict[str, int]:
    return {
        "reward_cents": reward,
        "free_units": 0,
        "bonus_first_cents": per_argument,
        "bonus_step_cents": 0,
        "allowance_units": allowance,
        "max_units": 0,
        "hold_above_units": 0,
        "least_seconds": 5,
    }


PAY_PRESETS = {
    "frames": {
        "generator": _terms(12, 3, 4),
        "consolidator": _terms(8, 2, 8),
        "validator": _terms(10, 0, 1),
        "reviser": _terms(10, 0, 1),
    }
}
