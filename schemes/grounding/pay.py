"""Pay presets of the grounding scheme, in whole cents.

Annotators are paid per caption and per box. The amounts are suggestions of this project.
"""


def _terms(reward: int, per_box: int, allowance: int) -> dict[str, int]:
    return {
        "reward_cents": reward,
        "free_units": 0,
        "bonus_first_cents": per_box,
        "bonus_step_cents": 0,
        "allowance_units": allowance,
        "max_units": 0,
        "hold_above_units": 0,
        "least_seconds": 5,
    }


PAY_PRESETS = {
    "grounding": {
        "generator": _terms(8, 2, 8),
        "consolidator": _terms(8, 1, 10),
        "validator": _terms(8, 0, 1),
        "reviser": _terms(8, 0, 1),
    }
}
