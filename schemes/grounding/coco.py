"""COCO: captions of images in a JSON file, and boxes of instances.

A captions file has `images` and `annotations` with a `caption`. COCO links no phrases to boxes, so files
that this scheme writes also have `captions` with phrases, whose `ann_ids` are those of instances in
`annotations`. A box is `[x, y, width, height]`, 0-based.
"""

import json
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import Any

from schemes.base import ErrorSink, ExportRow, FieldError, FileError, Json
from schemes.grounding.captions import Caption, caption_of, image_of
from schemes.grounding.phrases_jsonl import phrase_of
from schemes.grounding.spooled import SpooledArray, spooled_array, write_object
from schemes.original_text import known_text
from schemes.plain_text import sentences

MAX_BYTES = 2**30
Box = tuple[int, int, int, int]


def read_json(path: Path) -> Any:
    """Return the JSON value of a file. Raise FileError."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise FileError(path.name, None, "is larger than 1 GiB.")
        return json.loads(path.read_bytes())
    except OSError as error:
        raise FileError(path.name, None, f"cannot be opened ({error.strerror}).") from error
    except (ValueError, RecursionError) as error:
        raise FileError(path.name, None, f"is not JSON ({error}).") from error


def read_captions(path: Path, on_error: ErrorSink) -> Iterator[Caption]:
    """Yield the captions of a file. Raise FileError if it is not a captions file."""
    data = read_json(path)
    try:
        images = {image["id"]: image["file_name"] for image in data["images"]}
        entries = data.get("captions") or [
            entry for entry in data["annotations"] if "caption" in entry
        ]
        instances = {entry["id"]: entry for entry in data["annotations"]}
    except (KeyError, TypeError) as error:
        raise FileError(path.name, None, f"is not a file of COCO captions ({error}).") from error
    for entry in in_groups(entries, "image_id"):
        try:
            yield _caption(entry, images, instances, path.name)
        except FieldError as error:
            on_error(FileError(path.name, None, error.message, field=error.field))
        except (KeyError, TypeError, ValueError) as error:
            message = (
                f"the caption {entry.get('id') if isinstance(entry, dict) else entry!r} is bad"
            )
            on_error(FileError(path.name, None, f"{message} ({error})."))


def in_groups(entries: Iterable[Any], field: str) -> Iterator[Any]:
    """Yield the entries with the same value of a field together, groups by their first entries."""
    groups: dict[str, list[Any]] = {}
    for entry in entries:
        value = entry.get(field) if isinstance(entry, dict) else None
        groups.setdefault(str(value), []).append(entry)
    return chain.from_iterable(groups.values())


def _caption(entry: Json, images: dict[Any, str], instances: dict[Any, Json], file: str) -> Caption:
    name = images[entry["image_id"]]
    tokens = tuple(entry.get("tokens") or words_of(entry["caption"]))
    if not tokens:
        raise ValueError("no words")
    phrases = None
    if "phrases" in entry:
        phrases = [
            phrase_of(
                {**phrase, "boxes": boxes_of(phrase, instances)}, f"phrases[{at}]", len(tokens)
            )
            for at, phrase in enumerate(entry["phrases"])
        ]
    metadata: Json = {key: entry[key] for key in ("captions", "other_phrases") if key in entry}
    external_id = str(entry.get("caption_id") or f"{name}#{entry['id']}")
    text = known_text(entry.get("caption"), tokens)
    return Caption(external_id, tokens, name, phrases, metadata, file=file, text=text)


def words_of(text: object) -> Iterator[str]:
    """Yield the tokens of a text, where a full stop is a token of its own."""
    return chain.from_iterable(sentences(str(text)))


def boxes_of(entry: Json, instances: dict[Any, Json]) -> list[list[int]]:
    """Return the boxes of the instances that an entry names. Raise KeyError, ValueError."""
    return [list(_corners(instances[pk]["bbox"])) for pk in entry.get("ann_ids", ())]


def _corners(bbox: Any) -> Box:
    x, y, width, height = map(float, bbox)
    return round(x), round(y), round(x + width), round(y + height)


class Instances:
    """Numbered boxes of images, for files with references to them."""

    def __init__(self, stack: ExitStack) -> None:
        """Create the arrays of a file, which the stack deletes."""
        self.images = stack.enter_context(spooled_array())
        self.annotations = stack.enter_context(spooled_array())
        self.categories = stack.enter_context(spooled_array())
        self.categories.append({"id": 1, "name": "object"})
        self._image_ids: dict[str, int] = {}
        # Of the last image only, because captions of an image are adjacent.
        self._box_ids: dict[Box, int] = {}
        self._last = 0

    def image_id(self, row: ExportRow) -> int:
        image = image_of(row)
        if image.name not in self._image_ids:
            number = self._image_ids[image.name] = len(self._image_ids) + 1
            size = {"width": image.width, "height": image.height}
            self.images.append({"id": number, "file_name": image.name, **size})
        return self._image_ids[image.name]

    def ids(self, image_id: int, boxes: Iterable[Box]) -> list[int]:
        """Return the ids of boxes, which are new unless another phrase has the same box."""
        if image_id != self._last:
            self._last, self._box_ids = image_id, {}
        return [self._id(image_id, box) for box in boxes]

    def _id(self, image_id: int, box: Box) -> int:
        if box not in self._box_ids:
            number = self._box_ids[box] = self.annotations.count + 1
            x1, y1, x2, y2 = box
            self.annotations.append(
                {
                    "id": number,
                    "image_id": image_id,
                    "category_id": 1,
                    "bbox": [x1, y1, x2 - x1, y2 - y1],
                    "area": (x2 - x1) * (y2 - y1),
                    "iscrowd": 0,
                }
            )
        return self._box_ids[box]

    def arrays(self) -> dict[str, SpooledArray]:
        return {
            "images": self.images,
            "annotations": self.annotations,
            "categories": self.categories,
        }


def write(rows: Iterable[ExportRow], path: Path) -> int:
    """Write a file with captions, phrases and instances, and return the number of captions."""
    with ExitStack() as stack:
        instances = Instances(stack)
        captions = stack.enter_context(spooled_array())
        for number, row in enumerate(rows, start=1):
            captions.append(_written(number, caption_of(row), instances.image_id(row), instances))
        with path.open("w", encoding="utf-8") as file:
            write_object(file, {**instances.arrays(), "captions": captions})
        return captions.count


def _written(number: int, caption: Caption, image_id: int, instances: Instances) -> Json:
    return {
        "id": number,
        "image_id": image_id,
        "caption": caption.text or " ".join(caption.tokens),
        "caption_id": caption.external_id,
        "tokens": caption.tokens,
        "phrases": [
            {
                **phrase.target(),
                **({"state": phrase.state} if phrase.state else {}),
                "ann_ids": instances.ids(image_id, phrase.boxes),
            }
            for phrase in caption.phrases or ()
        ],
        **caption.metadata,
    }
