"""COCO: captions of images in a JSON file, and boxes of instances.

A captions file has `images` and `annotations` with a `caption`. COCO links no phrases to boxes, so files
that this scheme writes also have `captions` with phrases, whose `ann_ids` are those of instances in
`annotations`. A box is `[x, y, width, height]`, 0-based.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

from schemes.contract.errors import ErrorSink, FieldError, FileError
from schemes.contract.records import ExportRow
from schemes.contract.values import Json
from schemes.grounding import coco_entries
from schemes.grounding.captions import Caption, CaptionPhrase, caption_of, check_caption, image_of
from schemes.grounding.coco_entries import Entries, id_of, required_id
from schemes.grounding.image_sizes import Size, stated_size
from schemes.grounding.phrases_jsonl import phrase_of
from schemes.grounding.spooled import SpooledArray, spooled_array, write_object
from schemes.json_values import json_value
from schemes.original_text import known_text
from schemes.plain_text import sentences

MAX_BYTES = 2**30
# The fields in which captions of the same id must agree
_CONTENT = ("image_id", "caption", "tokens", "phrases")
Box = tuple[int, int, int, int]


def read_json(path: Path) -> Any:
    """Return the JSON value of a file. Raise FileError."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise FileError(path.name, None, "is larger than 1 GiB.")
        return json_value(path.read_bytes())
    except OSError as error:
        raise FileError(path.name, None, f"cannot be opened ({error.strerror}).") from error
    except FieldError as error:
        raise FileError(path.name, None, error.message, field=error.field) from None


def read_captions(path: Path, on_error: ErrorSink, *, with_gold: bool = False) -> Iterator[Caption]:
    """Yield the captions of a file. Raise FileError if it is not a captions file."""
    data = read_json(path)
    images, instances = coco_entries.images(), coco_entries.instances()
    try:
        images.add(data["images"])
        instances.add(instances_of(data))
        entries = data.get("captions") or [
            entry for entry in data["annotations"] if "caption" in entry
        ]
        if not isinstance(entries, list):
            raise TypeError("captions are no list")
    except (KeyError, TypeError, AttributeError) as error:
        raise FileError(path.name, None, f"is not a file of COCO captions ({error}).") from error
    reader = _Reader(path, images, instances, on_error if with_gold else None)
    reader.find_repeated(entries)
    for entry in in_groups(entries, _image_key):
        try:
            yield check_caption(reader.caption(entry))
        except FieldError as error:
            message = f"{_shown(entry)}: {error.message}"
            on_error(FileError(path.name, None, message, field=error.field))


def _shown(entry: Any) -> str:
    pk = id_of(entry.get("id")) if isinstance(entry, dict) else None
    return "a caption without an id" if pk is None else f"caption {pk}"


def instances_of(data: Json) -> list[Any]:
    """Return the annotations that are no captions, whose ids are counted apart. Raise KeyError."""
    return [entry for entry in data["annotations"] if "caption" not in entry or "bbox" in entry]


@dataclass(frozen=True, slots=True)
class CocoImage:
    """An image of a file. `size` is None unless the file states it."""

    name: str
    size: Size | None


def image_of_entry(entry: Json) -> CocoImage:
    """Return an image. Raise FieldError."""
    name = entry.get("file_name")
    if not isinstance(name, str) or not name:
        raise FieldError("file_name", f"image {entry.get('id')} has no name of a file.")
    try:
        return CocoImage(name, stated_size(entry.get("width"), entry.get("height")))
    except FieldError as error:
        raise FieldError(error.field, f"of {name}: {error.message}") from None


def in_groups(entries: Iterable[Any], key: Callable[[Any], Hashable]) -> Iterator[Any]:
    """Yield the entries with the same key together, groups by their first entries."""
    groups: dict[Hashable, list[Any]] = {}
    for entry in entries:
        groups.setdefault(key(entry), []).append(entry)
    return chain.from_iterable(groups.values())


def _image_key(entry: Any) -> str:
    return str(entry.get("image_id")) if isinstance(entry, dict) else ""


@dataclass(frozen=True, slots=True)
class _Reader:
    """A reader of the captions of a file. Bad gold goes to `on_gold_error`, if it is wanted."""

    path: Path
    images: Entries
    instances: Entries
    on_gold_error: ErrorSink | None
    # Ids of several captions that differ
    repeated: set[str] = field(default_factory=set)

    def find_repeated(self, entries: Iterable[Any]) -> None:
        """Find the ids of captions that can't be read, because several captions have them."""
        contents: dict[str, list[Any]] = {}
        for entry in entries:
            try:
                name = self._name(entry)
            except FieldError:
                continue
            content = [entry.get(part) for part in _CONTENT]
            if contents.setdefault(name, content) != content:
                self.repeated.add(name)

    def _name(self, entry: Any) -> str:
        """Return the id of a caption. Raise FieldError."""
        if not isinstance(entry, dict):
            raise FieldError("", "is not an object.")
        image = self.images.get(entry.get("image_id"), "image_id")
        if entry.get("caption_id") not in (None, ""):
            return str(required_id(entry["caption_id"], "caption_id"))
        pk = required_id(entry.get("id"), "id")
        return f"{image_of_entry(image).name}#{pk}"

    def caption(self, entry: Any) -> Caption:
        """Return a caption. Raise FieldError, but not for bad gold."""
        name = self._name(entry)
        if name in self.repeated:
            raise FieldError("id", f"several captions have the id {name}, and differ.")
        image = image_of_entry(self.images.get(entry.get("image_id"), "image_id"))
        tokens = tokens_of(entry, "caption")
        caption = Caption(
            name,
            tokens,
            image.name,
            None,
            {key: entry[key] for key in ("captions", "other_phrases") if key in entry},
            file=self.path.name,
            text=known_text(entry.get("caption"), tokens),
            image_size=image.size,
        )
        phrases = entry.get("phrases")
        if not isinstance(phrases, list):
            return caption
        return self._with_phrases(caption, phrases, entry.get("image_id"))

    def _with_phrases(self, caption: Caption, entries: list[Any], image_id: object) -> Caption:
        phrases: list[CaptionPhrase] = []
        is_bad = False
        for at, entry in enumerate(entries):
            path, length = f"phrases[{at}]", len(caption.tokens)
            plain = {**entry, "boxes": []} if isinstance(entry, dict) else entry
            phrase = phrase_of(plain, path, length)
            try:
                boxes = boxes_of(entry, self.instances, image_id)
                phrase = phrase_of({**plain, "boxes": boxes}, path, length)
            except FieldError as error:
                is_bad = True
                self._report(caption, error)
            phrases.append(phrase)
        return replace(caption, phrases=phrases, has_bad_gold=is_bad)

    def _report(self, caption: Caption, error: FieldError) -> None:
        if self.on_gold_error:
            message = f"caption {caption.external_id}: {error.message} Its gold is left out."
            self.on_gold_error(FileError(self.path.name, None, message, field=error.field))


def tokens_of(entry: Json, field: str) -> tuple[str, ...]:
    """Return the tokens of a caption, or those of its text. Raise FieldError."""
    given = entry.get("tokens")
    if given is not None:
        is_list = isinstance(given, list) and given
        if not is_list or not all(isinstance(token, str) and token.strip() for token in given):
            raise FieldError("tokens", "must be a list of words.")
        return tuple(given)
    text = entry.get(field)
    tokens = tuple(words_of(text)) if isinstance(text, str) else ()
    if not tokens:
        raise FieldError(field, "has no words.")
    return tokens


def words_of(text: str) -> Iterator[str]:
    """Yield the tokens of a text, where a full stop is a token of its own."""
    return chain.from_iterable(sentences(text))


def boxes_of(entry: Json, instances: Entries, image_id: object) -> list[list[int]]:
    """Return the boxes of the instances that an entry names.

    Raise FieldError, also for an instance of another image. `image_id` is None if it is unknown.
    """
    given = entry.get("ann_ids", [])
    if not isinstance(given, list):
        raise FieldError("ann_ids", "must be a list of instances.")
    boxes = []
    for pk in given:
        instance = instances.get(pk, "ann_ids")
        other = instance.get("image_id")
        if None not in (image_id, other) and id_of(other) != id_of(image_id):
            raise FieldError("ann_ids", f"instance {pk} is in image {other}.")
        boxes.append(list(_corners(instance.get("bbox"), pk)))
    return boxes


def _corners(bbox: Any, pk: object) -> Box:
    try:
        if not isinstance(bbox, list) or not all(type(side) in (int, float) for side in bbox):
            raise TypeError
        x, y, width, height = map(float, bbox)
        return round(x), round(y), round(x + width), round(y + height)
    except (TypeError, ValueError, OverflowError):
        message = f"the box of instance {pk} is not [x, y, width, height]."
        raise FieldError("bbox", message) from None


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
                **({} if phrase.complete else {"complete": False}),
                "ann_ids": instances.ids(image_id, phrase.boxes),
            }
            for phrase in caption.phrases or ()
        ],
        **caption.metadata,
    }
