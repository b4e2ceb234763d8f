"""Pay presets of the grounding scheme, in whole cents.

Annotators are paid per caption and per box. The amounts are suggestions of this project.

The limits follow from Flickr30k Entities. Its 276,000 boxes are in 31,783 pictures of five captions
each (Plummer et al. 2015), so all captions of a picture together have 8.7 boxes. A test caption has
2.8 phrases, and 22 % of them are plural with 3.6 boxes (Suter et al. 2021): about 4 boxes a caption.
"""

MAX_BOXES = 60  # of a caption, or of all captions of a picture
BOXES_WITHOUT_REVIEW = 20


def _terms(reward: int, per_box: int, allowance: int) -> dict[str, int]:
    return {
        "reward_cents": reward,
        "free_units": 0,
        "bonus_first_cents": per_box,
        "bonus_step_cents": 0,
        "allowance_units": allowance,
        "max_units": MAX_BOXES,
        "hold_above_units": BOXES_WITHOUT_REVIEW,
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
PAY_TITLES = {"grounding": "Touchstone's rates for phrase grounding"}
