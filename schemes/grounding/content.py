"""Validation of grounded captions. Input becomes normalised JSON or raises a ContentError.

Schema version 1. The content of a caption has an entry per phrase of its target, in order:

    {"phrases": [{"id": "p0", "state": "boxes", "boxes": [[12, 20, 60, 81], [70, 22, 118, 80]]}]}

Boxes are half-open `[x1, y1, x2, y2)` in pixels of the upright image, sorted and distinct. The states
are "boxes" (one box per individual), "group" (a single box, because individuals can't be distinguished),
"scene" (nothing to box, such as an event) and "absent" (not in the picture). Phrases share a box if
their coordinates are equal. Gold may lack phrases. A phrase of gold with `"complete": false` may lack
a box, because too few validators found it complete.

A consolidation has the same form.
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from schemes.content_models import Strict, json_schemas, validated
from schemes.contract.errors import ContentError
from schemes.contract.items import ItemContext
from schemes.contract.values import Image, Json

SCHEMA_VERSION = 1
MAX_BOXES = 50
MAX_PHRASES = 200
MAX_ITEM_BOXES = 200
STATES = ("boxes", "group", "scene", "absent")
EMPTY: Json = {"phrases": []}

Corners = Annotated[list[int], Field(min_length=4, max_length=4)]


class _Phrase(Strict):
    id: Annotated[str, Field(max_length=40)]
    state: Literal["boxes", "group", "scene", "absent"]
    boxes: Annotated[list[Corners], Field(max_length=MAX_BOXES)] = Field(default_factory=list)
    complete: bool = True


class _Grounding(Strict):
    phrases: Annotated[list[_Phrase], Field(max_length=MAX_PHRASES)]


JSON_SCHEMAS = json_schemas(generation=_Grounding, gold=_Grounding, consolidation=_Grounding)


def parse_generation(content: object, context: ItemContext) -> Json:
    """Parse an annotator's content, which must have every phrase. Raise ContentError."""
    parsed = parse_gold(content, context)
    for at, phrase in enumerate(parsed["phrases"]):
        if not is_complete(phrase):
            raise ContentError(f"phrases[{at}].complete", "is for gold only.")
    answered = {phrase["id"] for phrase in parsed["phrases"]}
    for phrase in context.target["phrases"]:
        if phrase["id"] not in answered:
            raise ContentError(
                "phrases",
                "%(phrase)s has no answer.",
                phrase=repr(phrase_text(phrase, context)),
            )
    return parsed


def parse_gold(content: object, context: ItemContext) -> Json:
    """Parse a reference, which may lack phrases. Raise ContentError."""
    grounding = validated(_Grounding, content)
    order = {phrase["id"]: at for at, phrase in enumerate(context.target["phrases"])}
    seen: set[str] = set()
    phrases = []
    for at, phrase in enumerate(grounding.phrases):
        path = f"phrases[{at}]"
        if phrase.id not in order:
            raise ContentError(f"{path}.id", "is not a phrase of this caption.")
        if phrase.id in seen:
            raise ContentError(f"{path}.id", "is repeated.")
        seen.add(phrase.id)
        phrases.append(_parsed(phrase, path, context.image))
    if sum(len(phrase["boxes"]) for phrase in phrases) > MAX_ITEM_BOXES:
        raise ContentError(
            "phrases", "have more than %(max_boxes)s boxes in total.", max_boxes=MAX_ITEM_BOXES
        )
    return {"phrases": sorted(phrases, key=lambda phrase: order[phrase["id"]])}


def parse_consolidation(content: object, context: ItemContext, sources: Sequence[Json]) -> Json:
    """Parse a consolidator's content. Raise ContentError.

    A phrase is absent only if an annotator and the consolidator agree that it is.
    """
    parsed = parse_generation(content, context)
    absent = {
        phrase["id"]
        for source in sources
        for phrase in source["phrases"]
        if phrase["state"] == "absent"
    }
    for at, phrase in enumerate(parsed["phrases"]):
        if phrase["state"] == "absent" and phrase["id"] not in absent:
            raise ContentError(
                f"phrases[{at}].state", "can't be absent, because no annotator thought so."
            )
    return parsed


def distinct_boxes(content: Json) -> set[tuple[int, ...]]:
    """Return the boxes of a caption. A box that phrases share occurs once."""
    return {tuple(box) for phrase in content.get("phrases", ()) for box in phrase["boxes"]}


def count_units(content: Json, role: str) -> int:
    """Return the number of distinct boxes, or of judged boxes for validators."""
    if role == "validator":
        return sum(len(phrase["boxes"]) for phrase in content.get("phrases", ()))
    return len(distinct_boxes(content))


def count_parts(content: Json) -> dict[str, int]:
    """Return the numbers of phrases, distinct boxes and phrases of each state without individuals.

    `incomplete` counts the phrases that may lack a box.
    """
    states = [phrase["state"] for phrase in content.get("phrases", ())]
    return {
        "phrases": len(states),
        "boxes": len(distinct_boxes(content)),
        **{state: states.count(state) for state in STATES if state != "boxes"},
        "incomplete": sum(not is_complete(phrase) for phrase in content.get("phrases", ())),
    }


def is_complete(phrase: Json) -> bool:
    """Return False for a phrase of gold that may lack a box."""
    return bool(phrase.get("complete", True))


def has_proper_components(boxes: int, cardinality: int | None) -> bool:
    """Return True if a plural phrase has several boxes, and as many as its words call for."""
    return boxes > 1 and cardinality in (None, boxes)


def phrase_text(phrase: Json, context: ItemContext) -> str:
    """Return the words of a phrase of the target."""
    return context.span_text(phrase["start"], phrase["end"])


def phrases_by_id(content: Json) -> dict[str, Json]:
    return {phrase["id"]: phrase for phrase in content.get("phrases", ())}


def check_box(box: Sequence[int], path: str, image: Image | None) -> None:
    """Raise ContentError for a box without area or outside the image."""
    x1, y1, x2, y2 = box
    if x1 >= x2 or y1 >= y2:
        raise ContentError(path, "has no area.")
    if image is None:
        return
    if x1 < 0 or y1 < 0 or x2 > image.width or y2 > image.height:
        raise ContentError(
            path,
            "is not inside the image of %(width)s x %(height)s.",
            width=image.width,
            height=image.height,
        )


def _parsed(phrase: _Phrase, path: str, image: Image | None) -> Json:
    if phrase.state in ("scene", "absent") and phrase.boxes:
        raise ContentError(
            f"{path}.boxes", "must be empty for the state %(state)s.", state=repr(phrase.state)
        )
    for at, box in enumerate(phrase.boxes):
        check_box(box, f"{path}.boxes[{at}]", image)
    boxes = sorted({tuple(box) for box in phrase.boxes})
    if phrase.state == "group" and len(boxes) != 1:
        raise ContentError(f"{path}.boxes", "must be a single box for a group.")
    if phrase.state == "boxes" and not boxes:
        raise ContentError(f"{path}.boxes", "has no box.")
    parsed = {"id": phrase.id, "state": phrase.state, "boxes": [list(box) for box in boxes]}
    return parsed if phrase.complete else {**parsed, "complete": False}
