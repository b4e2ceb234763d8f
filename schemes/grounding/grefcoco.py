"""gRefCOCO: expressions that refer to any number of instances (Liu, Ding and Jiang 2023).

`grefs(unc).json` is a list of references with `sentences`, `file_name` and `ann_id`, a list of instances
in `instances.json`. `no_target` means that the picture shows nothing of the kind. An expression is a
caption with a single phrase, its whole text.

Files that this scheme writes also have the caption that a phrase belongs to, so that it can be read back.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from schemes.base import ErrorSink, ExportRow, FieldError, FileError, Json
from schemes.grounding.captions import Caption, CaptionPhrase, caption_of
from schemes.grounding.coco import Instances, boxes_of, images_of, in_groups, read_json, tokens_of
from schemes.grounding.phrases_jsonl import phrase_of
from schemes.grounding.spooled import spooled_array, write_object
from schemes.original_text import known_text, span_text

REFERENCES, INSTANCES = "grefs.json", "instances.json"
# COCO_train2014_000000581857_16.jpg is the image COCO_train2014_000000581857.jpg.
_NUMBERED = re.compile(r"^(COCO_\w+?_\d{12})_\d+(\.\w+)$")


def read_captions(
    paths: Sequence[Path], on_error: ErrorSink, *, with_gold: bool = False
) -> Iterator[Caption]:
    """Yield the expressions of reference files, with gold if a file of instances is given.

    Raise FileError.
    """
    files = [(path, read_json(path)) for path in paths]
    instances: dict[Any, Json] = {}
    sizes: dict[str, tuple[int, int] | None] = {}
    for path, value in files:
        if isinstance(value, dict):
            try:
                instances |= {entry["id"]: entry for entry in value["annotations"]}
                if "images" in value:
                    sizes |= {image.name: image.size for image in images_of(value).values()}
            except (KeyError, TypeError, AttributeError) as error:
                raise FileError(path.name, None, f"has no annotations ({error}).") from error
    for path, value in files:
        if isinstance(value, list):
            reader = _Reader(path, instances, sizes, on_error, with_gold)
            yield from _merged(reader.captions(value), reader.bad_captions)


@dataclass(frozen=True, slots=True)
class _Reader:
    """A reader of a file of references. `sizes` has the stated sizes of images by name."""

    path: Path
    instances: Mapping[Any, Json]
    sizes: Mapping[str, tuple[int, int] | None]
    on_error: ErrorSink
    with_gold: bool
    # Ids of captions with a reference that can't be read
    bad_captions: set[str] = field(default_factory=set)

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
        sentences = reference.get("sentences")
        if not isinstance(sentences, list) or not all(isinstance(s, dict) for s in sentences):
            raise FieldError("sentences", "must be a list of objects.")
        gold: Json = {}
        is_bad = False
        try:
            gold = _gold(reference, self.instances)
        except FieldError as error:
            is_bad = True
            if self.with_gold:
                self._report(reference, error, " Its gold is left out.")
        for number, sentence in enumerate(sentences):
            caption = _caption(reference, sentence, number, gold)
            size = self.sizes.get(caption.image)
            yield replace(caption, file=self.path.name, image_size=size, has_bad_gold=is_bad)

    def _report(self, reference: Any, error: FieldError, consequence: str) -> None:
        name = reference.get("ref_id") if isinstance(reference, dict) else reference
        message = f"reference {name}: {error.message}{consequence}"
        self.on_error(FileError(self.path.name, None, message, field=error.field))


def _caption_key(reference: Any) -> tuple[str, str]:
    """Return the image of a reference, and the id of its caption if the reference is a part of it."""
    sentences = reference.get("sentences") if isinstance(reference, dict) else None
    first = sentences[0] if isinstance(sentences, list) and sentences else None
    caption = first.get("caption") if isinstance(first, dict) else None
    name = str(caption.get("id")) if isinstance(caption, dict) else ""
    return (str(reference.get("file_name")), name) if isinstance(reference, dict) else ("", "")


def _caption(reference: Json, sentence: Json, number: int, gold: Json) -> Caption:
    image = _NUMBERED.sub(r"\1\2", reference["file_name"])
    source = sentence.get("caption")
    if isinstance(source, dict):
        tokens = tokens_of(source, "text")
        phrase = source.get("phrase")
        details = {**phrase, **gold} if isinstance(phrase, dict) else phrase
        metadata = source.get("metadata")
        return Caption(
            str(source.get("id")),
            tokens,
            image,
            [phrase_of(details, "phrase", len(tokens))],
            metadata if isinstance(metadata, dict) else {},
            text=known_text(source.get("text"), tokens),
        )
    tokens = tokens_of(sentence, "sent")
    whole = {"start": 0, "end": len(tokens), **gold}
    name = sentence.get("sent_id", f"{reference.get('ref_id')}-{number}")
    phrases = [phrase_of(whole, "phrase", len(tokens))]
    text = known_text(sentence.get("sent"), tokens)
    return Caption(f"{image}#{name}", tokens, image, phrases, text=text)


def _gold(reference: Json, instances: Mapping[Any, Json]) -> Json:
    """Return the state and boxes of a reference, or nothing without its instances.

    RefCOCO has a single instance, which is not in a list. Raise FieldError.
    """
    if reference.get("no_target"):
        return {"state": reference.get("state", "absent")}
    given = reference.get("ann_id", [])
    ids = [pk for pk in (given if isinstance(given, list) else [given]) if pk != -1]
    if not ids or not instances:
        return {}
    boxes = boxes_of({"ann_ids": ids}, instances, reference.get("image_id"))
    return {"state": reference.get("state", "boxes"), "boxes": sorted(boxes)}


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
        "no_target": phrase.state in ("scene", "absent"),
        **({"state": phrase.state} if phrase.state else {}),
        "sentences": [sentence],
    }
