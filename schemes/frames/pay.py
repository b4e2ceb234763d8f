"""Pay presets of the frames scheme, in whole cents.

Annotators are paid per record and per argument, verifiers per verification. The amounts are
suggestions of this project: the annotators of SemEval-2019 Task 2 were employed.

The gold of that task has 2 arguments per record (9,466 of 4,620), and its distribution is not
public. The limits are from the published gold of QA-SRL instead, whose answers are arguments of a verb
too: 99.5 % of the 1,264 verbs have at most 8 answers, and none has more than 17.
"""

MAX_ARGUMENTS = 20  # of an annotator
ARGUMENTS_WITHOUT_REVIEW = 8
# Consolidators judge the arguments of two annotators, and of nine at most.
_ANNOTATORS, _MAX_ANNOTATORS = 2, 9


def _terms(
    reward: int, per_argument: int, allowance: int, *, most: int, hold_above: int
) -> dict[str, int]:
    return {
        "reward_cents": reward,
        "free_units": 0,
        "bonus_first_cents": per_argument,
        "bonus_step_cents": 0,
        "allowance_units": allowance,
        "max_units": most,
        "hold_above_units": hold_above,
        "least_seconds": 5,
    }


_RECORD = {"most": MAX_ARGUMENTS, "hold_above": ARGUMENTS_WITHOUT_REVIEW}
_MERGE = {
    "most": _MAX_ANNOTATORS * MAX_ARGUMENTS,
    "hold_above": _ANNOTATORS * ARGUMENTS_WITHOUT_REVIEW,
}
PAY_PRESETS = {
    "frames": {
        "generator": _terms(12, 3, 4, **_RECORD),
        "consolidator": _terms(8, 2, 8, **_MERGE),
        "validator": _terms(10, 0, 1, **_RECORD),
        "reviser": _terms(10, 0, 1, **_RECORD),
    }
}
PAY_TITLES = {"frames": "Touchstone's rates for frames"}
