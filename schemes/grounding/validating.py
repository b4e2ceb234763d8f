"""Validation: others judge the state of each phrase, its boxes, and whether a box is missing.

The module is the part `validating` of the scheme.

A validation is aligned with the phrases and boxes of the source. `valid` judges the state. `drawn` has
the missing boxes that the validator drew, and is there only if there are any.

    {"phrases": [{"id": "p0", "valid": true, "missing": true, "boxes": [true, false],
                  "drawn": [[70, 22, 118, 80]]}]}

Drawn boxes of several validators are of the same individual if they match as everywhere in this scheme,
at an IoU of 1/2. A stricter threshold would lose small individuals: boxes of 10 x 10 pixels that differ
by a pixel in both directions have an IoU of 0.68. The gold gets the mean of boxes that enough validators
drew.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from metrics.component_matching import box_iou
from schemes.content_models import Strict, validated
from schemes.contract.content import Total
from schemes.contract.errors import ContentError
from schemes.contract.items import ItemContext
from schemes.contract.values import Image, Json, Noun
from schemes.grounding.content import MAX_BOXES, MAX_ITEM_BOXES, MAX_PHRASES, Corners, check_box
from schemes.grounding.merging import aligned_boxes
from schemes.grounding.pages import AGREED_IOU, MIN_SIDE

# Stored with every figure. A changed rule gets a new name.
rule = "grounding.validation.v3"
totals: Sequence[Total] = (
    Total("drawn", Noun("box that validators drew", "boxes that validators drew")),
    Total("rejected", Noun("box that validators rejected", "boxes that validators rejected")),
)

Box = Sequence[int]


class _JudgedPhrase(Strict):
    id: Annotated[str, Field(max_length=40)]
    valid: bool
    missing: bool = False
    boxes: Annotated[list[bool], Field(max_length=MAX_BOXES)] = Field(default_factory=list)
    drawn: Annotated[list[Corners], Field(max_length=MAX_BOXES)] = Field(default_factory=list)


class Validation(Strict):
    phrases: Annotated[list[_JudgedPhrase], Field(max_length=MAX_PHRASES)]


def asked(sources: Sequence[Json]) -> Json:
    """Return the phrases with their states and boxes."""
    return {
        "phrases": [
            {"id": phrase["id"], "state": phrase["state"], "boxes": phrase["boxes"]}
            for phrase in sources[0]["phrases"]
        ]
    }


def parse(content: object, context: ItemContext, sources: Sequence[Json]) -> Json:
    """Parse a validator's content. Raise ContentError."""
    validation = validated(Validation, content)
    phrases = asked(sources)["phrases"]
    if len(validation.phrases) != len(phrases):
        raise ContentError(
            "phrases",
            "%(judged)s are judged of %(asked)s.",
            judged=len(validation.phrases),
            asked=len(phrases),
        )
    parsed = []
    for at, (judged, phrase) in enumerate(zip(validation.phrases, phrases, strict=True)):
        path = f"phrases[{at}]"
        if judged.id != phrase["id"]:
            raise ContentError(f"{path}.id", "must be %(expected)s.", expected=repr(phrase["id"]))
        if len(judged.boxes) != len(phrase["boxes"]):
            raise ContentError(
                f"{path}.boxes",
                "%(judged)s are judged of %(asked)s.",
                judged=len(judged.boxes),
                asked=len(phrase["boxes"]),
            )
        _check_drawn(judged, phrase, f"{path}.drawn", context.image)
        parsed.append(_stored(judged))
    if (
        sum(len(phrase["boxes"]) + len(phrase.get("drawn", ())) for phrase in parsed)
        > MAX_ITEM_BOXES
    ):
        raise ContentError(
            "phrases", "have more than %(max_boxes)s boxes in total.", max_boxes=MAX_ITEM_BOXES
        )
    return {"phrases": parsed}


def can_draw(phrase: Json) -> bool:
    """Return True if the phrase has a box for each individual, so that another one can be added."""
    return bool(phrase["state"] == "boxes")


def is_new(box: Box, boxes: Sequence[Box]) -> bool:
    """Return True if none of the boxes is the same."""
    return all(float(box_iou(box, other)) < AGREED_IOU for other in boxes)


def is_large_enough(box: Box, image: Image | None) -> bool:
    """Return True if both sides have the smallest length. A side of the whole image is long enough."""
    sides = box[2] - box[0], box[3] - box[1]
    limits = (image.width, image.height) if image else sides
    return all(side >= min(MIN_SIDE, limit) for side, limit in zip(sides, limits, strict=True))


def _check_drawn(judged: _JudgedPhrase, phrase: Json, path: str, image: Image | None) -> None:
    if judged.drawn and not judged.missing:
        raise ContentError(path, "must be empty if no box is missing.")
    if judged.drawn and not can_draw(phrase):
        raise ContentError(path, "is only for a phrase with a box for each individual.")
    boxes = list(phrase["boxes"])
    if len(boxes) + len(judged.drawn) > MAX_BOXES:
        raise ContentError(
            path, "would give the phrase more than %(max_boxes)s boxes.", max_boxes=MAX_BOXES
        )
    for at, box in enumerate(judged.drawn):
        check_box(box, f"{path}[{at}]", image)
        if not is_large_enough(box, image):
            raise ContentError(
                f"{path}[{at}]",
                "needs at least %(min_side)s pixels in each direction.",
                min_side=MIN_SIDE,
            )
        if not is_new(box, boxes):
            raise ContentError(f"{path}[{at}]", "is a box that is already there.")
        boxes.append(box)


def _stored(judged: _JudgedPhrase) -> Json:
    fields = judged.model_dump()
    drawn = sorted(fields.pop("drawn"))
    return {**fields, "drawn": drawn} if drawn else fields


def is_empty(sources: Sequence[Json]) -> bool:
    """Return True for a caption without phrases."""
    return not sources[0]["phrases"]


def gold_of(
    sources: Sequence[Json], validations: Sequence[Json], agree: int
) -> tuple[Json, list[Json]]:
    """Return what at least `agree` validators support, and the provenance of its phrases.

    A phrase needs a supported state, and a supported or drawn box if its state has boxes. The provenance
    counts the validators who find the state right or miss a box, the rejected boxes, the boxes of the
    gold that validators drew, and the drawn individuals without enough support.
    """
    phrases, provenance = [], []
    for at, phrase in enumerate(sources[0]["phrases"]):
        judgments = [validation["phrases"][at] for validation in validations]
        counts = {
            name: sum(judgment[name] for judgment in judgments) for name in ("valid", "missing")
        }
        own = _supported(phrase, judgments, agree)
        drawn = _drawn(judgments, own, agree)
        boxes = sorted([*own, *drawn.boxes])
        if counts["valid"] < agree or (phrase["boxes"] and not boxes):
            continue
        gold = {"id": phrase["id"], "state": phrase["state"], "boxes": boxes}
        is_complete = _is_complete(judgments, drawn, agree)
        phrases.append(gold if is_complete else {**gold, "complete": False})
        state = "kept" if boxes == phrase["boxes"] else "edited"
        counts["rejected"] = len(phrase["boxes"]) - len(own)
        counts |= {"drawn": len(drawn.boxes), "unsupported": drawn.unsupported}
        provenance.append({"source": 0, "state": state, **counts})
    return {"phrases": phrases}, provenance


@dataclass(frozen=True, slots=True)
class _Drawn:
    """The boxes that enough validators drew, and the number of other individuals that were drawn.

    `satisfied` are the validators whose drawn boxes are all among these.
    """

    boxes: list[list[int]]
    unsupported: int
    satisfied: set[int]


def _drawn(judgments: Sequence[Json], own: Sequence[Box], agree: int) -> _Drawn:
    drawings = [judgment.get("drawn", []) for judgment in judgments]
    boxes: list[list[int]] = []
    satisfied = {at for at, drawing in enumerate(drawings) if drawing}
    unsupported = 0
    for row in aligned_boxes(drawings):
        members = {at: index for at, index in enumerate(row["boxes"]) if index is not None}
        mean = _mean([drawings[at][index] for at, index in members.items()])
        if len(members) >= agree and is_new(mean, [*own, *boxes]):
            boxes.append(mean)
        else:
            unsupported += 1
            satisfied -= set(members)
    return _Drawn(boxes, unsupported, satisfied)


def _is_complete(judgments: Sequence[Json], drawn: _Drawn, agree: int) -> bool:
    """Return True if enough validators miss no box, or if drawn boxes are all that anyone misses."""
    missing = {at for at, judgment in enumerate(judgments) if judgment["missing"]}
    if drawn.boxes:
        return missing <= drawn.satisfied
    return len(judgments) - len(missing) >= agree


def _mean(boxes: Sequence[Box]) -> list[int]:
    """Return the mean of boxes, rounded to pixels."""
    count = len(boxes)
    return [(2 * sum(side) + count) // (2 * count) for side in zip(*boxes, strict=True)]


def disputes(sources: Sequence[Json], validations: Sequence[Json], agree: int) -> Json:
    """Return the parts that fewer than `agree` validators support, or {}.

    `{"phrases": [{"id", "state": bool, "boxes": [box, ...], "missing": bool, "drawn": [box, ...]}]}`,
    where `state` and `missing` are True if the part is disputed, `boxes` are the disputed boxes, and
    `drawn` has a box for each individual that validators drew, if `missing`.
    """
    disputed = []
    for at, phrase in enumerate(sources[0]["phrases"]):
        judgments = [validation["phrases"][at] for validation in validations]
        supported = _supported(phrase, judgments, agree)
        is_missing = sum(not judgment["missing"] for judgment in judgments) < agree
        dispute = {
            "id": phrase["id"],
            "state": sum(judgment["valid"] for judgment in judgments) < agree,
            "boxes": [box for box in phrase["boxes"] if box not in supported],
            "missing": is_missing,
            "drawn": _drawn(judgments, [], 1).boxes if is_missing else [],
        }
        if dispute["state"] or dispute["boxes"] or dispute["missing"]:
            disputed.append(dispute)
    return {"phrases": disputed} if disputed else {}


def same_verdicts(first: Json, second: Json) -> tuple[int, int]:
    """Return (equal verdicts, all verdicts)."""
    pairs = list(zip(_verdicts(first), _verdicts(second), strict=True))
    return sum(first == second for first, second in pairs), len(pairs)


def verdicts(content: Json) -> tuple[int, int]:
    """Return (verdicts in favour, all verdicts)."""
    given = list(_verdicts(content))
    return sum(given), len(given)


def method(validators: int, agree: int) -> str:
    """Describe validation for a data card."""
    return (
        f"One trained worker grounded each caption. {validators} other workers judged the state of "
        f"each phrase and each of its boxes, and the gold has what at least {agree} of them found "
        f"valid, and boxes that at least {agree} of them drew because they were missing. A phrase that "
        f"fewer than {agree} of them found complete, also with these boxes, is marked as incomplete."
    )


def _supported(phrase: Json, judgments: Sequence[Json], agree: int) -> list[list[int]]:
    return [
        box
        for at, box in enumerate(phrase["boxes"])
        if sum(judgment["boxes"][at] for judgment in judgments) >= agree
    ]


def _verdicts(content: Json) -> Iterator[bool]:
    for phrase in content["phrases"]:
        yield phrase["valid"]
        yield not phrase["missing"]
        yield from phrase["boxes"]
