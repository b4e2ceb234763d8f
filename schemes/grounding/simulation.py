"""The content of simulated workers: a reference with seeded errors, and judgments of it.

The module is the part `simulation` of the scheme.

The same arguments always give the same content. At skill 1, it equals the reference. Consolidators and
validators see the annotators' boxes and the caption only (`simulated_judges`).
"""

import random
from collections.abc import Mapping, Sequence

from metrics.regions import Box, hull
from schemes.contract.items import ItemContext
from schemes.contract.values import Image, Json
from schemes.grounding.content import EMPTY, phrases_by_id
from schemes.grounding.error_rates import RATES
from schemes.grounding.simulated_judges import consolidate, validate
from schemes.simulated_person import Person

__all__ = ["consolidate", "generate", "invent", "nothing", "published", "validate"]

# The largest shift of a box, as a share of its side, and of a careful worker in pixels.
_SHIFT, _SLIP = 0.6, 3
_ANY_IMAGE = Image("", 400, 300)

nothing = EMPTY
published: Mapping[str, str] = {}


def generate(reference: Json, context: ItemContext, person: Person, seed: str) -> Json:
    """Return the reference with a person's errors, none at skill 1.

    People miss, invent and move boxes, box groups instead of individuals, and choose other states.
    Phrases that the reference lacks have nothing to box.
    """
    rng = random.Random(seed)  # noqa: S311
    answers = phrases_by_id(reference)
    phrases = []
    for phrase in context.target.get("phrases", ()):
        answer = answers.get(phrase["id"], {"state": "scene", "boxes": []})
        phrases.append({"id": phrase["id"], **_blurred(answer, context.image, person, rng)})
    return {"phrases": phrases}


def _blurred(answer: Json, image: Image | None, person: Person, rng: random.Random) -> Json:
    """Return the state and boxes of an answer with a person's errors."""
    state, boxes = answer["state"], sorted(answer["boxes"])
    if person.is_exact():
        return {"state": state, "boxes": boxes}
    if person.errs(RATES.other_state, rng):
        return _other_state(state, boxes)
    if len(boxes) > 1 and person.errs(RATES.merged_boxes, rng):
        return {"state": "group", "boxes": [_shifted(hull(boxes), image, person, rng)]}
    left = [box for box in boxes if not person.misses(RATES.missed_box, rng)] or boxes[:1]
    if state == "boxes" and boxes and person.invents(RATES.invented_box, rng):
        x1, y1, x2, y2 = rng.choice(boxes)
        left = [*left, [2 * x1 - x2, y1, x1, y2] if x1 >= x2 - x1 else [x2, y1, 2 * x2 - x1, y2]]
    drawn = {tuple(_shifted(box, image, person, rng)) for box in left}
    return {"state": state, "boxes": [list(box) for box in sorted(drawn)]}


def _other_state(state: str, boxes: Sequence[Box]) -> Json:
    """Return the state with which another one is confused most easily."""
    if state == "group":
        return {"state": "boxes", "boxes": [list(box) for box in boxes]}
    other = {"boxes": "scene", "scene": "absent", "absent": "scene"}[state]
    return {"state": other, "boxes": []}


def _shifted(box: Box, image: Image | None, person: Person, rng: random.Random) -> list[int]:
    """Return the box with slips of the hand, or far off its place."""
    x1, y1, x2, y2 = box
    reach = (_SLIP, _SLIP)
    if person.errs(RATES.moved_box, rng):
        reach = (max(1, round(_SHIFT * (x2 - x1))), max(1, round(_SHIFT * (y2 - y1))))
    right, down = (rng.randint(-most, most) for most in reach)
    wider, taller = (rng.randint(-most // 2, most // 2) for most in reach)
    moved = [x1 + right, y1 + down, x2 + right + wider, y2 + down + taller]
    return _inside(moved, image or Image("", x2, y2))


def _inside(box: Box, image: Image) -> list[int]:
    """Return the box clipped to the image, with sides of at least one pixel."""
    x1, y1 = min(max(box[0], 0), image.width - 1), min(max(box[1], 0), image.height - 1)
    return [x1, y1, max(min(box[2], image.width), x1 + 1), max(min(box[3], image.height), y1 + 1)]


def invent(context: ItemContext) -> Json:
    """Return made-up boxes for a caption without a reference, for trial runs only.

    Each phrase has a row of its own with as many equal boxes as its words call for.
    """
    image = context.image or _ANY_IMAGE
    targets = context.target.get("phrases", ())
    height = max(1, image.height // max(1, len(targets)))
    phrases = []
    for row, phrase in enumerate(targets):
        number = min(phrase.get("cardinality") or (2 if phrase.get("plural") else 1), 10)
        width = max(2, image.width // number)
        boxes = [
            [at * width, row * height, at * width + max(1, width - 1), (row + 1) * height]
            for at in range(number)
        ]
        inside = sorted({tuple(_inside(box, image)) for box in boxes})
        phrases.append(
            {"id": phrase["id"], "state": "boxes", "boxes": [list(box) for box in inside]}
        )
    return {"phrases": phrases}
