"""Captions with phrases and their boxes, as all readers and writers of this scheme exchange them."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import PurePath
from typing import Any

from schemes.contract.errors import ContentError, ErrorSink, FieldError, FileError
from schemes.contract.items import ItemContext
from schemes.contract.records import ExportRow, GoldRecord, ItemRecord, SentenceRecord, Stated
from schemes.contract.values import Image, Json
from schemes.grounding.content import MAX_PHRASES, is_complete
from schemes.grounding.noun_phrases import find_noun_phrases
from schemes.original_text import Offsets
from schemes.stated import file_name

LOCAL_KEY = "phrases"
# Metadata of captions: the chains of scenes that their file also says to have no box.
UNBOXED = "unboxed_scenes"
MAX_ID = 40


@dataclass(frozen=True, slots=True)
class CaptionPhrase:
    """A phrase of a caption, at tokens from `start` to before `end`.

    `cardinality` is the number of individuals, or None if unknown. Phrases of a `chain` refer to the
    same things. `state`, `boxes` and `complete` are those of the content, and `state` is "" without gold.
    """

    start: int
    end: int
    id: str = ""
    plural: bool | None = None
    cardinality: int | None = None
    chain: str = ""
    types: tuple[str, ...] = ()
    state: str = ""
    boxes: tuple[tuple[int, int, int, int], ...] = ()
    complete: bool = True

    def moved(self, offset: int) -> "CaptionPhrase":
        return replace(self, start=self.start + offset, end=self.end + offset)

    def target(self) -> Json:
        return {
            "id": self.id,
            "start": self.start,
            "end": self.end,
            "plural": self.plural,
            "cardinality": self.cardinality,
            "chain": self.chain,
            "types": list(self.types),
        }


@dataclass(frozen=True, slots=True)
class Caption:
    """A caption, or all captions of an image, with the name of its image file.

    `phrases` is None if the file has none. `text` is the caption as it was written, if it is known,
    and the captions of an image have a line each. `offsets` are those of stored captions.
    `image_size` is the size that the file states. A caption `has_bad_gold` if a part of its gold can't
    be read.
    """

    external_id: str
    tokens: tuple[str, ...]
    image: str
    phrases: Sequence[CaptionPhrase] | None
    metadata: Json = field(default_factory=dict)
    line: int = 0
    file: str = ""
    text: str = ""
    offsets: Offsets = ()
    image_size: tuple[int, int] | None = None
    has_bad_gold: bool = False

    def sentence(self) -> SentenceRecord:
        metadata = {**self.metadata, "document": stem_of(self.image)}
        if self.phrases is not None:
            metadata["phrases"] = [phrase.target() for phrase in self.phrases]
        return SentenceRecord(
            self.external_id,
            self.tokens,
            self.line,
            metadata,
            self.image,
            self.text,
            self.image_size,
        )

    def item(self) -> ItemRecord:
        target = {"phrases": [phrase.target() for phrase in self.phrases or ()]}
        stated = Stated(tokens=self.tokens, image=self.image, image_size=self.image_size)
        return ItemRecord(self.external_id, LOCAL_KEY, target, self.line, self.file, stated)

    def gold(self) -> GoldRecord:
        """Return the phrases with a state as gold."""
        item = self.item()
        numbered = with_ids(item.target["phrases"])
        content = [
            {
                "id": target["id"],
                "state": phrase.state,
                "boxes": [list(box) for box in phrase.boxes],
                **({} if phrase.complete else {"complete": False}),
            }
            for phrase, target in zip(self.phrases or (), numbered, strict=True)
            if phrase.state
        ]
        item = replace(item, target={"phrases": numbered})
        return GoldRecord(item, {"phrases": content}, [{} for _ in content], self.line)


def join_captions(
    read: Callable[[ErrorSink], Iterable[Caption]], on_error: ErrorSink, *, with_gold: bool
) -> Iterator[Caption]:
    """Yield the captions of each image as one, with its name as its id.

    The metadata has the span of each caption. Phrases get new ids. `read` returns the captions of the
    files, which are read twice. The captions of an image without gold are left out as a whole if
    one of them can't be read. Those that are not adjacent are held in memory.
    """
    survey = _survey(read)
    held: dict[str, list[Caption]] = {image: [] for image in survey.scattered}
    bad = set() if with_gold else survey.bad
    for image in sorted(bad):
        on_error(FileError(image, None, "is left out, because a caption of it may be a bad one."))
    for image, group in groupby(read(on_error), key=lambda caption: caption.image):
        captions = list(group)
        if image in bad:
            continue
        if image in held:
            held[image] += captions
        else:
            yield from _joined_or_bad(captions, on_error)
    for captions in held.values():
        if captions:
            yield from _joined_or_bad(captions, on_error)


@dataclass(slots=True)
class _Images:
    """Images whose captions are not adjacent, and those with captions before or after a bad one."""

    scattered: set[str] = field(default_factory=set)
    bad: set[str] = field(default_factory=set)


def _survey(read: Callable[[ErrorSink], Iterable[Caption]]) -> _Images:
    images, finished = _Images(), set()
    errors: list[FileError] = []

    def collect(error: FileError) -> None:
        errors.append(error)

    last = ""
    for caption in read(collect):
        if errors:
            images.bad |= {last, caption.image} - {""}
            errors.clear()
        if caption.image != last and caption.image in finished:
            images.scattered.add(caption.image)
        finished.add(caption.image)
        last = caption.image
    if errors and last:
        images.bad.add(last)
    return images


def _joined_or_bad(captions: Sequence[Caption], on_error: ErrorSink) -> Iterator[Caption]:
    """Yield the joined captions of an image, equal ones once, or nothing if an id is ambiguous."""
    by_id: dict[str, Caption] = {}
    for caption in captions:
        first = by_id.setdefault(caption.external_id, caption)
        if replace(first, line=0) != replace(caption, line=0):
            message = f"{caption.external_id} is repeated with other content."
            message = f"{message} {caption.image} is left out."
            on_error(FileError(caption.file, caption.line or None, message))
            return
    yield _joined(list(by_id.values()))


def _joined(captions: Sequence[Caption]) -> Caption:
    first = captions[0]
    if "captions" in first.metadata:  # joined before it was written
        return first
    tokens: list[str] = []
    phrases: list[CaptionPhrase] = []
    others: list[Json] = []
    spans: list[list[int]] = []
    for caption in captions:
        start = len(tokens)
        tokens += caption.tokens
        spans.append([start, len(tokens)])
        phrases += [replace(phrase.moved(start), id="") for phrase in _phrases_of(caption)]
        others += [
            {**other, "start": other["start"] + start, "end": other["end"] + start}
            for other in caption.metadata.get("other_phrases", ())
        ]
    unboxed = sorted({chain for caption in captions for chain in caption.metadata.get(UNBOXED, ())})
    return replace(
        first,
        external_id=first.image,
        tokens=tuple(tokens),
        phrases=phrases,
        metadata={
            "captions": spans,
            **({"other_phrases": others} if others else {}),
            **({UNBOXED: unboxed} if unboxed else {}),
        },
        text=_joined_text(captions),
        has_bad_gold=any(caption.has_bad_gold for caption in captions),
    )


def _joined_text(captions: Sequence[Caption]) -> str:
    """Return the captions on a line each, or "" if no caption's text is known."""
    if not any(caption.text for caption in captions):
        return ""
    return "\n".join(caption.text or " ".join(caption.tokens) for caption in captions)


def _phrases_of(caption: Caption) -> Sequence[CaptionPhrase]:
    """Return the known phrases, or the noun phrases of the tagger."""
    if caption.phrases is not None:
        return caption.phrases
    return [CaptionPhrase(start, end) for start, end in find_noun_phrases(caption.tokens)]


def check_caption(caption: Caption) -> Caption:
    """Return the caption. Raise FieldError for an id of another image, or a repeated id of a phrase."""
    named = _NUMBERED.fullmatch(caption.external_id)
    if named and not _is_same_image(named[1], caption.image):
        raise FieldError("id", f"{caption.external_id} names another image than {caption.image}.")
    ids = [phrase.id for phrase in caption.phrases or () if phrase.id]
    if len(set(ids)) < len(ids):
        raise FieldError("phrases", "has an id twice.")
    return caption


# The id of a caption that has none in its file
_NUMBERED = re.compile(r"(.+\.(?:jpe?g|png|gif|webp|bmp|tiff?))#\d+", re.IGNORECASE)


def _is_same_image(name: str, image: str) -> bool:
    name, image = file_name(name), file_name(image)
    return image == name or image.endswith(f"/{name}") or name.endswith(f"/{image}")


def stem_of(image: str) -> str:
    return PurePath(image).stem


def caption_of(row: ExportRow) -> Caption:
    """Return the caption of a gold row. Its image must be known."""
    answers = {phrase["id"]: phrase for phrase in row.content["phrases"]}
    phrases = []
    for target in row.target["phrases"]:
        answer = answers.get(target["id"], {"state": "", "boxes": []})
        phrases.append(
            CaptionPhrase(
                **{**target, "types": tuple(target["types"])},
                state=answer["state"],
                boxes=tuple((x1, y1, x2, y2) for x1, y1, x2, y2 in answer["boxes"]),
                complete=is_complete(answer),
            )
        )
    metadata = {name: row.metadata[name] for name in _KEPT if name in row.metadata}
    return Caption(
        row.external_id,
        row.tokens,
        image_of(row).name,
        phrases,
        metadata,
        text=row.text,
        offsets=row.offsets,
    )


_KEPT = ("captions", "other_phrases", UNBOXED)


def image_of(row: ExportRow) -> Image:
    if row.image is None:
        raise ContentError("image", f"{row.external_id} has no image.")
    return row.image


def with_ids(phrases: Sequence[Json]) -> list[Json]:
    """Return targets of phrases with the ids that are missing, which are p0, p1 and so on."""
    used = {phrase["id"] for phrase in phrases if phrase.get("id")}
    numbered = []
    for at, phrase in enumerate(phrases):
        name = phrase.get("id") or f"p{at}"
        while not phrase.get("id") and name in used:
            name = f"p{name}"
        used.add(name)
        numbered.append({**phrase, "id": name})
    return numbered


def checked_phrases(phrases: Any, context: ItemContext) -> list[Json]:
    """Return complete targets of phrases, ordered by position. Raise ContentError."""
    if not isinstance(phrases, list) or not phrases:
        raise ContentError("phrases", "must be a list with at least a phrase.")
    if len(phrases) > MAX_PHRASES:
        raise ContentError("phrases", f"has more than {MAX_PHRASES} phrases.")
    checked = with_ids(
        [
            _checked(phrase, f"phrases[{at}]", len(context.tokens))
            for at, phrase in enumerate(phrases)
        ]
    )
    ids = [phrase["id"] for phrase in checked]
    if len(set(ids)) < len(ids):
        raise ContentError("phrases", "has an id twice.")
    return sorted(checked, key=lambda phrase: (phrase["start"], phrase["end"]))


def _checked(phrase: Any, path: str, length: int) -> Json:
    if not isinstance(phrase, dict):
        raise ContentError(path, "must be an object.")
    start, end = phrase.get("start"), phrase.get("end")
    if type(start) is not int or type(end) is not int or not 0 <= start < end <= length:
        message = f"tokens {start} to {end} don't exist; the caption has {length} tokens."
        raise ContentError(path, message)
    cardinality = phrase.get("cardinality")
    if cardinality is not None and (type(cardinality) is not int or cardinality < 1):
        raise ContentError(f"{path}.cardinality", "must be a number from 1, or null.")
    plural = phrase.get("plural")
    if plural is not None and not isinstance(plural, bool):
        raise ContentError(f"{path}.plural", "must be true or false.")
    types = phrase.get("types") or []
    if not isinstance(types, list) or not all(isinstance(name, str) for name in types):
        raise ContentError(f"{path}.types", "must be a list of texts.")
    return {
        "id": _text(phrase, "id", path),
        "start": start,
        "end": end,
        "plural": plural,
        "cardinality": cardinality,
        "chain": _text(phrase, "chain", path),
        "types": types,
    }


def _text(phrase: Json, name: str, path: str) -> str:
    value = phrase.get(name) or ""
    if not isinstance(value, str) or len(value) > MAX_ID:
        raise ContentError(f"{path}.{name}", f"must be a text of at most {MAX_ID} characters.")
    return value
