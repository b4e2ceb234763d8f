"""Display of grounded captions on pages for staff: a unit per phrase, with its boxes.

The module is the part `views` of the scheme.
"""

from collections.abc import Iterable
from typing import Any

from schemes.contract.items import ItemContext
from schemes.contract.pages import ShownUnit
from schemes.contract.values import Json, Noun
from schemes.grounding.content import STATES, phrase_text
from schemes.grounding.merging import STATE_TEXTS

_BOX = Noun("box", "boxes")


def units(content: object, context: ItemContext) -> list[ShownUnit] | None:
    """Return the phrases with their answers, or None for content of another shape.

    The units of a validation are the verdicts on the phrases, with the boxes that the validator drew.
    """
    phrases = content.get("phrases") if isinstance(content, dict) else None
    if not isinstance(phrases, list):
        return None
    targets = {phrase["id"]: phrase for phrase in context.target.get("phrases", ())}
    known = [_unit(phrase, targets, context) for phrase in phrases]
    shown = [unit for unit in known if unit is not None]
    return shown if len(shown) == len(known) else None


def _unit(phrase: object, targets: Json, context: ItemContext) -> ShownUnit | None:
    if not isinstance(phrase, dict) or not isinstance(phrase.get("id"), str):
        return None
    target, boxes = targets.get(phrase["id"]), phrase.get("boxes")
    if target is None or not isinstance(boxes, list):
        return None
    if isinstance(phrase.get("valid"), bool):
        drawn = phrase.get("drawn", [])
        if not isinstance(drawn, list) or not all(map(_is_box, drawn)):
            return None
        values, boxes = _verdicts(phrase), drawn
    elif phrase.get("state") in STATES and all(map(_is_box, boxes)):
        values = [
            _BOX.count(len(boxes)) if phrase["state"] == "boxes" else STATE_TEXTS[phrase["state"]]
        ]
    else:
        return None
    return ShownUnit(
        label=phrase_text(target, context),
        values=values,
        spans=[(target["start"], target["end"])],
        boxes=boxes,
    )


def _verdicts(phrase: Json) -> list[str]:
    values = ["right answer" if phrase["valid"] else "wrong answer"]
    if phrase["boxes"]:
        valid = sum(value is True for value in phrase["boxes"])
        values.append(f"{valid} of {_BOX.count(len(phrase['boxes']))} right")
    if phrase.get("missing"):
        drawn = len(phrase.get("drawn", ()))
        values.append(f"a box is missing, {drawn} drawn" if drawn else "a box is missing")
    return values


def _is_box(box: Any) -> bool:
    return isinstance(box, list) and len(box) == 4 and all(type(side) is int for side in box)


def remark(content: Json) -> str:
    """Return how many phrases have no box, as a sentence, or ""."""
    states = [phrase.get("state") for phrase in content.get("phrases", ())]
    if not states or None in states:
        return ""
    without = sum(state in ("scene", "absent") for state in states)
    return f"{without} of {len(states)} phrases have no box." if without else ""


def marked(target: Json) -> list[int]:
    """Return the positions of the tokens in phrases."""
    phrases: Iterable[Json] = target.get("phrases", ())
    return sorted({at for phrase in phrases for at in range(phrase["start"], phrase["end"])})
