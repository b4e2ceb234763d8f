"""gRefCOCO: expressions that refer to any number of instances (Liu, Ding and Jiang 2023).

`grefs(unc).json` is a list of references with `sentences`, `file_name` and `ann_id`, a list of instances
in `instances.json`. `no_target` means that the picture shows nothing of the kind. An expression is a
caption with a single phrase, its whole text.

Files that this scheme writes also have the caption that a phrase belongs to, so that it can be read back.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from schemes.contract.errors import ErrorSink, FieldError, FileError
from schemes.contract.records import ExportRow
from schemes.contract.values import Json
from schemes.grounding import coco_entries
from schemes.grounding.captions import Caption, CaptionPhrase, caption_of
from schemes.grounding.coco import (
    Instances,
    boxes_of,
    image_of_entry,
    in_groups,
    instances_of,
    read_json,
    tokens_of,
)
from schemes.grounding.coco_entries import Entries, id_of, required_id
from schemes.grounding.image_sizes import Size
from schemes.grounding.phrases_jsonl import phrase_of
from schemes.grounding.spooled import spooled_array, write_object
from schemes.original_text import known_text, span_text
from schemes.stated import file_name

REFERENCES, INSTANCES = "grefs.json", "instances.json"
# COCO_train2014_000000581857_16.jpg is the image COCO_train2014_000000581857.jpg.
_NUMBERED = re.compile(r"^(COCO_\w+?_\d{12})_\d+(\.\w+)$")
# Releases of COCO differ in what is before the number.
_SPLIT = re.compile(r"^COCO_\w+?_(?=\d{12}\.)")
_WITHOUT_BOXES = ("scene", "absent")
# The fields of gold in which expressions of the same id must agree
_GOLD = ("ann_id", "no_target", "state", "image_id")


def read_captions(
    paths: Sequence[Path], on_error: ErrorSink, *, with_gold: bool = False
) -> Iterator[Caption]:
    """Yield the expressions of reference files, with gold if a file of instances is given.

    Raise FileError.
    """
    files = [(path, read_json(path)) for path in paths]
    pictures = _Pictures()
    for path, value in files:
        if isinstance(value, dict):
            try:
                pictures.add(value)
            except (KeyError, TypeError, AttributeError) as error:
                raise FileError(path.name, None, f"has no annotations ({error}).") from error
    for path, value in files:
        if isinstance(value, list):
            reader = _Reader(path, pictures, on_error, with_gold)
            reader.find_repeated(value)
            yield from _merged(reader.captions(value), reader.bad_captions)


@dataclass(frozen=True, slots=True)
class _Pictures:
    """The images and instances of all files, and the images by name."""

    images: Entries = field(default_factory=coco_entries.images)
    instances: Entries = field(default_factory=coco_entries.instances)
    _by_name: dict[str, list[Json]] = field(default_factory=dict)

    def add(self, value: Json) -> None:
        """Add those of a file. Raise KeyError, TypeError or AttributeError."""
        self.instances.add(instances_of(value))
        images = value.get("images") or []
        self.images.add(images)
        for image in images:
            self._by_name.setdefault(file_name(str(image.get("file_name"))), []).append(image)

    def size(self, name: str) -> Size | None:
        """Return the size of an image, or None if it is not stated. Raise FieldError."""
        sizes = {image_of_entry(image).size for image in self._by_name.get(file_name(name), ())}
        if len(sizes - {None}) > 1:
            raise FieldError("images", f"the files state several sizes of {name}.")
        return next(iter(sizes - {None}), None)

    def check(self, name: str, ids: Iterable[tuple[str, object]]) -> None:
        """Raise FieldError if an id, given with its field, is that of another image."""
        for part, image_id in ids:
            if image_id is None or image_id not in self.images:
                continue
            other = image_of_entry(self.images.get(image_id, part)).name
            if not _is_same(other, name):
                raise FieldError(part, f"image {image_id} is {other}, not {name}.")


def _is_same(name: str, other: str) -> bool:
    """Return True if names may be those of the same image. Folders and COCO's split may be left out."""
    paths = [file_name(path).rpartition("/") for path in (name, other)]
    folders = {folder for folder, _, _ in paths if folder}
    return len(folders) < 2 and len({_SPLIT.sub("", last) for _, _, last in paths}) == 1


@dataclass(frozen=True, slots=True)
class _Reader:
    """A reader of a file of references."""

    path: Path
    pictures: _Pictures
    on_error: ErrorSink
    with_gold: bool
    # Ids of captions with a reference that can't be read
    bad_captions: set[str] = field(default_factory=set)
    # Ids of several whole captions that differ
    repeated: set[str] = field(default_factory=set)

    def find_repeated(self, references: Iterable[Any]) -> None:
        """Find the ids of captions that can't be read, because several captions have them."""
        contents: dict[str, list[Any]] = {}
        for reference in references:
            gold = [reference.get(part) for part in _GOLD] if isinstance(reference, dict) else []
            for number, sentence in enumerate(_sentences(reference)):
                if isinstance(sentence.get("caption"), dict):
                    continue
                try:
                    name = _name(reference, sentence, number)
                except FieldError:
                    continue
                content = [sentence.get("sent"), sentence.get("tokens"), *gold]
                if contents.setdefault(name, content) != content:
                    self.repeated.add(name)

    def captions(self, references: Iterable[Any]) -> Iterator[Caption]:
        for reference in in_groups(references, _caption_key):
            try:
                yield from list(self._of_reference(reference))
            except FieldError as error:
                self._report(reference, error, " Its caption is left out.")
                self.bad_captions.add(_caption_key(reference)[1])

    def _of_reference(self, reference: Any) -> Iterator[Caption]:
        if not isinstance(reference, dict) or not isinstance(reference.get("file_name"), str):
            raise FieldError("file_name", "must be the name of an image file.")
        sentences = _sentences(reference)
        if sentences != reference.get("sentences"):
            raise FieldError("sentences", "must be a list of objects.")
        size = self.pictures.size(_image(reference))
        gold: Json = {}
        is_bad = False
        try:
            gold = _gold(reference, self.pictures)
        except FieldError as error:
            is_bad = True
            if self.with_gold:
                self._report(reference, error, " Its gold is left out.")
        for number, sentence in enumerate(sentences):
            caption = _caption(reference, sentence, number, gold)
            if caption.external_id in self.repeated:
                message = f"several expressions have the id {caption.external_id}, and differ."
                raise FieldError("sent_id", message)
            yield replace(caption, file=self.path.name, image_size=size, has_bad_gold=is_bad)

    def _report(self, reference: Any, error: FieldError, consequence: str) -> None:
        name = reference.get("ref_id") if isinstance(reference, dict) else reference
        message = f"reference {name}: {error.message}{consequence}"
        self.on_error(FileError(self.path.name, None, message, field=error.field))


def _sentences(reference: Any) -> list[Json]:
    """Return the sentences of a reference that are objects."""
    sentences = reference.get("sentences") if isinstance(reference, dict) else None
    return [s for s in sentences if isinstance(s, dict)] if isinstance(sentences, list) else []


def _image(reference: Json) -> str:
    return _NUMBERED.sub(r"\1\2", str(reference.get("file_name")))


def _name(reference: Json, sentence: Json, number: int) -> str:
    """Return the id of a whole caption. Raise FieldError."""
    if sentence.get("sent_id") is not None:
        own = str(required_id(sentence["sent_id"], "sent_id"))
    else:
        own = f"{required_id(reference.get('ref_id'), 'ref_id')}-{number}"
    return f"{_image(reference)}#{own}"


def _caption_key(reference: Any) -> tuple[str, str]:
    """Return the image of a reference, and the id of its caption if the reference is a part of it."""
    sentences = reference.get("sentences") if isinstance(reference, dict) else None
    first = sentences[0] if isinstance(sentences, list) and sentences else None
    caption = first.get("caption") if isinstance(first, dict) else None
    name = str(caption.get("id")) if isinstance(caption, dict) else ""
    return (str(reference.get("file_name")), name) if isinstance(reference, dict) else ("", "")


def _caption(reference: Json, sentence: Json, number: int, gold: Json) -> Caption:
    image = _image(reference)
    source = sentence.get("caption")
    if isinstance(source, dict):
        tokens = tokens_of(source, "text")
        phrase = source.get("phrase")
        details = {**phrase, **gold} if isinstance(phrase, dict) else phrase
        metadata = source.get("metadata")
        return Caption(
            str(required_id(source.get("id"), "caption.id")),
            tokens,
            image,
            [phrase_of(details, "phrase", len(tokens))],
            metadata if isinstance(metadata, dict) else {},
            text=known_text(source.get("text"), tokens),
        )
    tokens = tokens_of(sentence, "sent")
    whole = {"start": 0, "end": len(tokens), **gold}
    phrases = [phrase_of(whole, "phrase", len(tokens))]
    text = known_text(sentence.get("sent"), tokens)
    return Caption(_name(reference, sentence, number), tokens, image, phrases, text=text)


def _gold(reference: Json, pictures: _Pictures) -> Json:
    """Return the state and boxes of a reference, or nothing without its instances.

    RefCOCO has a single instance, which is not in a list. Raise FieldError.
    """
    given = reference.get("ann_id", [])
    ids = [pk for pk in (given if isinstance(given, list) else [given]) if pk not in (-1, None)]
    image_id = reference.get("image_id")
    pictures.check(_image(reference), [("image_id", image_id)])
    if _has_no_target(reference):
        if ids:
            raise FieldError("no_target", f"is true, but ann_id names instance {ids[0]}.")
        return {"state": reference.get("state") or "absent"}
    if not ids or not pictures.instances:
        return {}
    instances = [pictures.instances.get(pk, "ann_id") for pk in ids]
    images = [instance.get("image_id") for instance in instances]
    if len({id_of(image) for image in images if image is not None}) > 1:
        raise FieldError("ann_id", "names instances of several images.")
    boxes = boxes_of({"ann_ids": ids}, pictures.instances, image_id)
    pictures.check(_image(reference), [("ann_id", image) for image in images])
    return {"state": reference.get("state") or "boxes", "boxes": sorted(boxes)}


def _has_no_target(reference: Json) -> bool:
    """Return True if the picture shows nothing of the kind. Raise FieldError."""
    value, state = reference.get("no_target"), reference.get("state")
    if value is None:
        return False
    if not isinstance(value, bool):
        raise FieldError("no_target", "must be true or false.")
    if state and (state in _WITHOUT_BOXES) != value:
        raise FieldError("state", f"is {state}, but no_target is {'true' if value else 'false'}.")
    return value


def _merged(captions: Iterable[Caption], bad: Collection[str]) -> Iterator[Caption]:
    """Yield captions, with the phrases of a caption in adjacent references together, but no bad ones."""
    pending: Caption | None = None
    for caption in captions:
        if pending and pending.external_id == caption.external_id:
            phrases: list[CaptionPhrase] = [*(pending.phrases or ()), *(caption.phrases or ())]
            is_bad = pending.has_bad_gold or caption.has_bad_gold
            pending = replace(pending, phrases=phrases, has_bad_gold=is_bad)
            continue
        if pending and pending.external_id not in bad:
            yield pending
        pending = caption
    if pending and pending.external_id not in bad:
        yield pending


def write(rows: Iterable[ExportRow], references: Path, instances: Path) -> tuple[int, int]:
    """Write the file of references and that of instances. Return the numbers of their entries."""
    with ExitStack() as stack:
        boxes = Instances(stack)
        written = stack.enter_context(spooled_array())
        for row in rows:
            caption, image_id = caption_of(row), boxes.image_id(row)
            for phrase in caption.phrases or ():
                ids = boxes.ids(image_id, phrase.boxes)
                written.append(_written(written.count + 1, caption, phrase, image_id, ids))
        with references.open("w", encoding="utf-8") as file:
            written.copy_to(file)
        with instances.open("w", encoding="utf-8") as file:
            write_object(file, boxes.arrays())
        return written.count, boxes.annotations.count


def _written(
    number: int, caption: Caption, phrase: CaptionPhrase, image_id: int, boxes: Sequence[int]
) -> Json:
    """Return a reference to a phrase, with the ids of its boxes."""
    details = {"id": caption.external_id, "tokens": caption.tokens, "phrase": phrase.target()}
    if caption.metadata:
        details["metadata"] = caption.metadata
    if caption.text:
        details["text"] = caption.text
    words = caption.tokens[phrase.start : phrase.end]
    text = span_text(caption.tokens, caption.text, caption.offsets, phrase.start, phrase.end)
    sentence = {"sent_id": number, "sent": text, "tokens": words, "caption": details}
    return {
        "ref_id": number,
        "image_id": image_id,
        "file_name": caption.image,
        "ann_id": list(boxes) or [-1],
        "no_target": phrase.state in _WITHOUT_BOXES,
        **({"state": phrase.state} if phrase.state else {}),
        "sentences": [sentence],
    }
