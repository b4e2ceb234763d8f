"""The content of simulated workers: a reference with seeded errors.

The same arguments always give the same content. At skill 1, it equals the reference.
"""

import random
from collections.abc import Sequence

from metrics.component_matching import match_components
from metrics.regions import Box, hull
from schemes.base import Image, ItemContext, Json, Simulation
from schemes.grounding.content import EMPTY, phrases_by_id

# The shares of errors of a worker without any skill.
_MISSED, _SHIFTED, _MERGED, _OTHER_STATE = 0.5, 0.8, 0.6, 0.4
# The largest shift of a box, as a share of its side, and of a careful worker in pixels.
_SHIFT, _SLIP = 0.6, 3
# The share of wrong verdicts in a careless validation.
_CARELESS_ERRORS = 0.3
_ANY_IMAGE = Image("", 400, 300)


def generate(reference: Json, context: ItemContext, skill: float, seed: str) -> Json:
    """Return the reference with errors, none at `skill` 1.

    Lower skill means more missed and shifted boxes, more groups instead of individuals, and more other
    states. Phrases that the reference lacks have nothing to box.
    """
    rng = random.Random(seed)  # noqa: S311
    answers = phrases_by_id(reference)
    phrases = []
    for phrase in context.target.get("phrases", ()):
        answer = answers.get(phrase["id"], {"state": "scene", "boxes": []})
        phrases.append({"id": phrase["id"], **_blurred(answer, context.image, 1 - skill, rng)})
    return {"phrases": phrases}


def _blurred(answer: Json, image: Image | None, error: float, rng: random.Random) -> Json:
    """Return the state and boxes of an answer with errors, of which `error` is the rate."""
    state, boxes = answer["state"], sorted(answer["boxes"])
    if error <= 0:
        return {"state": state, "boxes": boxes}
    if rng.random() < _OTHER_STATE * error:
        return _other_state(state, boxes)
    if len(boxes) > 1 and rng.random() < _MERGED * error:
        return {"state": "group", "boxes": [_shifted(hull(boxes), image, error, rng)]}
    left = [box for box in boxes if rng.random() >= _MISSED * error] or boxes[:1]
    drawn = {tuple(_shifted(box, image, error, rng)) for box in left}
    return {"state": state, "boxes": [list(box) for box in sorted(drawn)]}


def _other_state(state: str, boxes: Sequence[Box]) -> Json:
    """Return the state with which another one is confused most easily."""
    if state == "group":
        return {"state": "boxes", "boxes": [list(box) for box in boxes]}
    other = {"boxes": "scene", "scene": "absent", "absent": "scene"}[state]
    return {"state": other, "boxes": []}


def _shifted(box: Box, image: Image | None, error: float, rng: random.Random) -> list[int]:
    """Return the box with slips of the hand, or far off its place."""
    x1, y1, x2, y2 = box
    reach = (_SLIP, _SLIP)
    if rng.random() < _SHIFTED * error:
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


def split(reference: Json, provenance: Sequence[Json]) -> list[Json]:
    """Return the grounding as the only generation."""
    return [reference]


def consolidate(reference: Json, sources: Sequence[Json], skill: float, seed: str) -> Json:
    """Return the reference as a consolidation, with errors below skill 1.

    A phrase that the reference lacks keeps the first annotator's answer. A phrase is absent only if an
    annotator thought so.
    """
    rng = random.Random(seed)  # noqa: S311
    answers = phrases_by_id(reference)
    by_source = [phrases_by_id(source) for source in sources]
    phrases = []
    for id in dict.fromkeys(id for source in by_source for id in source):
        given = [source[id] for source in by_source if id in source]
        answer = _blurred(answers.get(id, given[0]), None, 1 - skill, rng)
        if answer["state"] == "absent" and all(own["state"] != "absent" for own in given):
            answer = {"state": "scene", "boxes": []}
        phrases.append({"id": id, **answer})
    return {"phrases": phrases}


def validate(reference: Json, asked: Json, context: ItemContext, skill: float, seed: str) -> Json:
    """Return verdicts by the reference.

    A box is right if it matches one of the reference's at an IoU of 0.5. Below skill 1, some
    validations are careless, and some of their verdicts are wrong.
    """
    rng = random.Random(seed)  # noqa: S311
    error = 0.0 if rng.random() < skill else _CARELESS_ERRORS

    def verdict(is_so: bool) -> bool:
        return is_so if rng.random() >= error else not is_so

    answers = phrases_by_id(reference)
    phrases = []
    for phrase in asked["phrases"]:
        answer = answers.get(phrase["id"], {"state": "scene", "boxes": []})
        match = match_components(answer["boxes"], phrase["boxes"])
        right = {at for _, at in match.pairs}
        phrases.append(
            {
                "id": phrase["id"],
                "valid": verdict(phrase["state"] == answer["state"]),
                "missing": verdict(bool(match.missed)),
                "boxes": [verdict(at in right) for at in range(len(phrase["boxes"]))],
            }
        )
    return {"phrases": phrases}


SIMULATION = Simulation(
    generate=generate,
    invent=invent,
    split=split,
    nothing=EMPTY,
    consolidate=consolidate,
    validate=validate,
)
