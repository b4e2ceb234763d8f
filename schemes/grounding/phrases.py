"""Grounded phrases in JSON Lines: gold boxes, predicted boxes and candidates, one phrase per line.

{"id": "p1", "image": [640, 480], "gold": [[10, 20, 60, 80]], "predicted": [[12, 20, 60, 81]],
 "plural": false, "cardinality": null, "candidates": [[[12, 20, 60, 81]], []]}
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schemes.base import ErrorSink, FieldError
from schemes.json_values import json_object
from schemes.text_lines import numbered_lines

Box = tuple[float, float, float, float]
Boxes = tuple[Box, ...]

_REQUIRED = ("id", "image", "gold", "predicted", "plural")
_MAX_SIDE = 1_000_000


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase and its boxes, half-open `[x1, y1, x2, y2)` inside an image of width x height.

    Integers stay integers. `cardinality` is the number of individuals, or None if unknown. `candidates`
    is None if the file has none. `clipped` counts the boxes that were clipped to the image, and `dropped`
    those without area, which are left out.
    """

    id: str
    image: tuple[int, int]
    gold: Boxes
    predicted: Boxes
    plural: bool
    cardinality: int | None
    candidates: tuple[Boxes, ...] | None
    line: int
    clipped: int = 0
    dropped: int = 0


def read_phrases(path: Path, *, on_error: ErrorSink) -> Iterator[Phrase]:
    """Yield the phrases of a file, skipping blank lines.

    Boxes are clipped to the image, and boxes without area are dropped. Invalid objects, repeated ids and
    phrases without gold go to `on_error`, and the phrase is skipped. Raises FileError as
    `numbered_lines` does.
    """
    seen: dict[str, int] = {}
    for line, text in numbered_lines(path):
        if not text.strip():
            continue
        try:
            phrase = _phrase(_object(text), line)
            first = seen.setdefault(phrase.id, line)
            if first != line:
                raise FieldError("id", f"{phrase.id!r} is repeated from line {first}.")
        except FieldError as bad:
            on_error(bad.at(path, line))
            continue
        yield phrase


def predictions_for(
    path: Path, gold: Mapping[str, Mapping[str, Any]], *, on_error: ErrorSink
) -> list[Phrase]:
    """Return the file's predictions for phrases whose gold is given by id.

    `gold` has the fields `gold`, `plural` and `cardinality`, which replace those of the file. Other
    phrases of the file are ignored. Boxes are clipped to the image. Errors are as in `read_phrases`.
    """
    phrases: dict[str, Phrase] = {}
    for line, text in numbered_lines(path):
        if not text.strip():
            continue
        try:
            entry = _object(text, ("id", "image", "predicted"))
            id = _id(entry["id"])
            if id in gold:
                if id in phrases:
                    raise FieldError("id", f"{id!r} is repeated from line {phrases[id].line}.")
                phrases[id] = _phrase({**entry, **gold[id]}, line)
        except FieldError as bad:
            on_error(bad.at(path, line))
    return list(phrases.values())


def _object(text: str, required: Sequence[str] = _REQUIRED) -> dict[str, Any]:
    entry = json_object(text)
    for name in required:
        if name not in entry:
            raise FieldError(name, "is missing.")
    return entry


def _phrase(entry: dict[str, Any], line: int) -> Phrase:
    image = _image(entry["image"])
    reader = _BoxReader(*image)
    gold = reader.boxes(entry["gold"], "gold")
    if not gold:
        raise FieldError("gold", "has no box with an area; leave phrases without boxes out.")
    candidates = entry.get("candidates")
    return Phrase(
        id=_id(entry["id"]),
        image=image,
        gold=gold,
        predicted=reader.boxes(entry["predicted"], "predicted"),
        plural=_flag(entry["plural"]),
        cardinality=_cardinality(entry.get("cardinality")),
        candidates=None
        if candidates is None
        else tuple(
            reader.boxes(boxes, f"candidates[{at}]")
            for at, boxes in enumerate(_list(candidates, "candidates"))
        ),
        line=line,
        clipped=reader.clipped,
        dropped=reader.dropped,
    )


@dataclass(slots=True)
class _BoxReader:
    """A reader of the boxes of an image, which counts those outside it and without area."""

    width: int
    height: int
    clipped: int = 0
    dropped: int = 0

    def boxes(self, value: object, field: str) -> Boxes:
        """Return the boxes with an area. Raise FieldError."""
        boxes = [_box(box, f"{field}[{at}]", self) for at, box in enumerate(_list(value, field))]
        kept = tuple(box for box in boxes if box is not None)
        self.dropped += len(boxes) - len(kept)
        return kept


def _id(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise FieldError("id", f"{_shown(value)} is neither text nor a whole number.")
    return str(value)


def _image(value: object) -> tuple[int, int]:
    sides = _list(value, "image")
    if len(sides) != 2 or not all(type(side) is int and 0 < side <= _MAX_SIDE for side in sides):
        raise FieldError("image", f"{_shown(value)} is not [width, height] in whole pixels.")
    return sides[0], sides[1]


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise FieldError("plural", f"{_shown(value)} is neither true nor false.")
    return value


def _cardinality(value: object) -> int | None:
    if value is None or (type(value) is int and value > 0):
        return value
    raise FieldError("cardinality", f"{_shown(value)} is neither null nor a number from 1.")


def _box(value: object, field: str, limits: _BoxReader) -> Box | None:
    """Return the box, or None if it has no area. Raise FieldError."""
    corners = _list(value, field)
    if len(corners) != 4 or not all(_is_number(corner) for corner in corners):
        raise FieldError(field, f"{_shown(value)} is not a box [x1, y1, x2, y2].")
    x1, y1, x2, y2 = corners
    box = max(x1, 0), max(y1, 0), min(x2, limits.width), min(y2, limits.height)
    if box[0] >= box[2] or box[1] >= box[3]:
        return None
    limits.clipped += box != tuple(corners)
    return box


def _is_number(value: object) -> bool:
    return type(value) is int or (type(value) is float and math.isfinite(value))


def _list(value: object, field: str) -> list[Any]:
    if not isinstance(value, list):
        raise FieldError(field, f"{_shown(value)} is not a list.")
    return value


def _shown(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."
