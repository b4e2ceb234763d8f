"""Validation: others judge the state of each phrase, its boxes, and whether a box is missing.

A validation is aligned with the phrases and boxes of the source. `valid` judges the state.

    {"phrases": [{"id": "p0", "valid": true, "missing": false, "boxes": [true, false]}]}
"""

from collections.abc import Iterator, Sequence
from typing import Annotated

from pydantic import Field

from schemes.base import ContentError, ItemContext, Json, Validating
from schemes.content_models import Strict, validated
from schemes.grounding.content import MAX_BOXES, MAX_PHRASES

# Stored with every figure. A changed rule gets a new name.
RULE = "grounding.validation.v2"


class _JudgedPhrase(Strict):
    id: Annotated[str, Field(max_length=40)]
    valid: bool
    missing: bool = False
    boxes: Annotated[list[bool], Field(max_length=MAX_BOXES)] = Field(default_factory=list)


class _Validation(Strict):
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
    validation = validated(_Validation, content)
    phrases = asked(sources)["phrases"]
    if len(validation.phrases) != len(phrases):
        message = f"{len(validation.phrases)} are judged of {len(phrases)}."
        raise ContentError("phrases", message)
    parsed = []
    for at, (judged, phrase) in enumerate(zip(validation.phrases, phrases, strict=True)):
        path = f"phrases[{at}]"
        if judged.id != phrase["id"]:
            raise ContentError(f"{path}.id", f"must be {phrase['id']!r}.")
        if len(judged.boxes) != len(phrase["boxes"]):
            message = f"{len(judged.boxes)} are judged of {len(phrase['boxes'])}."
            raise ContentError(f"{path}.boxes", message)
        parsed.append(judged.model_dump())
    return {"phrases": parsed}


def is_empty(sources: Sequence[Json]) -> bool:
    """Return True for a caption without phrases."""
    return not sources[0]["phrases"]


def gold_of(
    sources: Sequence[Json], validations: Sequence[Json], agree: int
) -> tuple[Json, list[Json]]:
    """Return what at least `agree` validators support, and the provenance of its phrases.

    A phrase needs a supported state, and a supported box if its state has boxes. It is complete only if
    as many validators miss no box. The provenance counts its rejected boxes and those who miss one.
    """
    phrases, provenance = [], []
    for at, phrase in enumerate(sources[0]["phrases"]):
        judgments = [validation["phrases"][at] for validation in validations]
        valid = sum(judgment["valid"] for judgment in judgments)
        boxes = _supported(phrase, judgments, agree)
        if valid < agree or (phrase["boxes"] and not boxes):
            continue
        missing = sum(judgment["missing"] for judgment in judgments)
        gold = {"id": phrase["id"], "state": phrase["state"], "boxes": boxes}
        is_complete = len(judgments) - missing >= agree
        phrases.append(gold if is_complete else {**gold, "complete": False})
        state = "kept" if boxes == phrase["boxes"] else "edited"
        rejected = len(phrase["boxes"]) - len(boxes)
        counts = {"valid": valid, "missing": missing, "rejected": rejected}
        provenance.append({"source": 0, "state": state, **counts})
    return {"phrases": phrases}, provenance


def disputes(sources: Sequence[Json], validations: Sequence[Json], agree: int) -> Json:
    """Return the parts that fewer than `agree` validators support, or {}.

    `{"phrases": [{"id", "state": bool, "boxes": [box, ...], "missing": bool}]}`, where `state` and
    `missing` are True if the part is disputed, and `boxes` are the disputed boxes.
    """
    disputed = []
    for at, phrase in enumerate(sources[0]["phrases"]):
        judgments = [validation["phrases"][at] for validation in validations]
        supported = _supported(phrase, judgments, agree)
        dispute = {
            "id": phrase["id"],
            "state": sum(judgment["valid"] for judgment in judgments) < agree,
            "boxes": [box for box in phrase["boxes"] if box not in supported],
            "missing": sum(not judgment["missing"] for judgment in judgments) < agree,
        }
        if dispute["state"] or dispute["boxes"] or dispute["missing"]:
            disputed.append(dispute)
    return {"phrases": disputed} if disputed else {}


def same_verdicts(first: Json, second: Json) -> tuple[int, int]:
    """Return (equal verdicts, all verdicts)."""
    pairs = list(zip(_verdicts(first), _verdicts(second), strict=True))
    return sum(ours == theirs for ours, theirs in pairs), len(pairs)


def verdicts(content: Json) -> tuple[int, int]:
    """Return (verdicts in favour, all verdicts)."""
    given = list(_verdicts(content))
    return sum(given), len(given)


def method(validators: int, agree: int) -> str:
    """Describe validation for a data card."""
    return (
        f"One trained worker grounded each caption. {validators} other workers judged the state of "
        f"each phrase and each of its boxes, and the gold has what at least {agree} of them found "
        f"valid. A phrase that fewer than {agree} of them found complete is marked as incomplete."
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


VALIDATING = Validating(
    asked=asked,
    parse=parse,
    gold_of=gold_of,
    is_empty=is_empty,
    same_verdicts=same_verdicts,
    verdicts=verdicts,
    rule=RULE,
    method=method,
    disputes=disputes,
)
