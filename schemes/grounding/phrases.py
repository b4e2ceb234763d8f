"""Grounded phrases in JSON Lines: gold boxes, predicted boxes and candidates, one phrase per line.

{"id": "p1", "image": [640, 480], "gold": [[10, 20, 60, 80]], "predicted": [[12, 20, 60, 81]],
 "plural": false, "cardinality": null, "candidates": [[[12, 20, 60, 81]], []]}

A candidate is a list of boxes, or an object with its label and score:
{"label": "man", "score": 0.81, "boxes": [[12, 20, 60, 81]]}
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schemes.contract.errors import ErrorSink, FieldError
from schemes.grounding.candidates import Box, Candidate
from schemes.json_values import json_object
from schemes.text_lines import numbered_lines

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
    candidates: tuple[Candidate, ...] | None
    line: int
    clipped: int = 0
    dropped: int = 0


def read_phrases(path: Path, *, on_error: ErrorSink, predicted: bool = True) -> Iterator[Phrase]:
    """Yield the phrases of a file, skipping blank lines.

    Boxes are clipped to the image, and boxes without area are dropped. Invalid objects, repeated ids and
    phrases without gold go to `on_error`, and the phrase is skipped. Unless `predicted`, phrases with
    candidates need no predicted boxes. Raises FileError as `numbered_lines` does.
    """
    seen: dict[str, int] = {}
    for line, text in numbered_lines(path):
        if not text.strip():
            continue
        try:
            entry = json_object(text)
            if not predicted and entry.get("candidates") is not None:
                entry.setdefault("predicted", [])
            phrase = _phrase(_with_fields(entry, _REQUIRED), line)
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

    `gold` has the fields `gold`, `plural` and `cardinality`, which replace those of the file, and may
    have `image`. Other phrases of the file are ignored. Predicted boxes are clipped to the image. A
    phrase with another size of the image than the gold is an error. Other errors are as in
    `read_phrases`.
    """
    phrases: dict[str, Phrase] = {}
    for line, text in numbered_lines(path):
        if not text.strip():
            continue
        try:
            entry = _with_fields(json_object(text), ("id", "image", "predicted"))
            id = _id(entry["id"])
            if id in gold:
                if id in phrases:
                    raise FieldError("id", f"{id!r} is repeated from line {phrases[id].line}.")
                _check_size(_image(entry["image"]), gold[id])
                phrases[id] = _phrase({**entry, **gold[id]}, line)
        except FieldError as bad:
            on_error(bad.at(path, line))
    return list(phrases.values())


def ids_of(path: Path) -> Iterator[str]:
    """Yield the id of each line, also repeated ones. Raise FileError."""
    for line, text in numbered_lines(path):
        if not text.strip():
            continue
        try:
            id = _id(_with_fields(json_object(text), ("id",))["id"])
        except FieldError as bad:
            raise bad.at(path, line) from bad
        yield id


def _check_size(image: tuple[int, int], gold: Mapping[str, Any]) -> None:
    """Raise FieldError if the gold is of an image of another size, because boxes would not fit."""
    width, height = image
    known = gold.get("image")
    if known and tuple(known) != image:
        raise FieldError("image", f"is [{width}, {height}], but that of the gold is {list(known)}.")
    for box in gold["gold"]:
        if not known and (box[2] > width or box[3] > height):
            raise FieldError(
                "image", f"is [{width}, {height}], but the gold has a box {list(box)}."
            )


def read_gold_phrases(path: Path, *, on_error: ErrorSink) -> dict[str, dict[str, Any]]:
    """Return the fields `image`, `gold`, `plural` and `cardinality` of a file's phrases by id.

    The file needs no predictions. Errors are as in `read_phrases`.
    """
    gold: dict[str, dict[str, Any]] = {}
    for line, text in numbered_lines(path):
        if not text.strip():
            continue
        try:
            entry = _with_fields(json_object(text), ("id", "image", "gold", "plural"))
            phrase = _phrase({**entry, "predicted": []}, line)
            if phrase.id in gold:
                raise FieldError("id", f"{phrase.id!r} is repeated.")
        except FieldError as bad:
            on_error(bad.at(path, line))
            continue
        gold[phrase.id] = {
            "image": list(phrase.image),
            "gold": [list(box) for box in phrase.gold],
            "plural": phrase.plural,
            "cardinality": phrase.cardinality,
        }
    return gold


def _with_fields(entry: dict[str, Any], required: Sequence[str]) -> dict[str, Any]:
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
            _candidate(candidate, f"candidates[{at}]", reader)
            for at, candidate in enumerate(_list(candidates, "candidates"))
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


def _candidate(value: object, field: str, reader: _BoxReader) -> Candidate:
    if not isinstance(value, dict):
        return Candidate(reader.boxes(value, field))
    label, score = value.get("label"), value.get("score")
    if label is not None and not isinstance(label, str):
        raise FieldError(f"{field}.label", f"{_shown(label)} is neither text nor null.")
    if score is not None and not _is_number(score):
        raise FieldError(f"{field}.score", f"{_shown(score)} is neither a number nor null.")
    return Candidate(reader.boxes(value.get("boxes"), f"{field}.boxes"), label, score)


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
