"""Records that readers return and writers get."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from schemes.contract.values import Image, Json
from schemes.original_text import Offset, Offsets


@dataclass(frozen=True, slots=True)
class SentenceRecord:
    """A sentence read from a file. `line` is its line number, for messages.

    `text` is the sentence as it was written, if the file has it. `offsets` has the range of each
    token in it, if the reader knows more than `schemes.original_text.align`. `image` is the name of
    its image file, if it describes one, and `image_size` its width and height, if the file states
    them.
    """

    external_id: str
    tokens: tuple[str, ...]
    line: int
    metadata: Json = field(default_factory=dict)
    image: str = ""
    text: str = ""
    image_size: tuple[int, int] | None = None
    offsets: tuple[Offset, ...] = ()


@dataclass(frozen=True, slots=True)
class StatedWords:
    """Words that a file states beside token positions.

    `field` and `line` name their place in messages. Without a line, it is that of the record. `place`
    has the positions as the file writes them, if it counts differently. A lemma is compared with all
    forms of its word. Without a text, the positions need only be in the sentence.
    """

    field: str
    positions: tuple[int, ...]
    text: str
    is_lemma: bool = False
    line: int = 0
    place: str = ""


@dataclass(frozen=True, slots=True)
class Stated:
    """What a file states about an item's sentence or image beside positions and coordinates.

    Empty fields were not stated. Imports compare the others with what is stored, see
    `schemes.stated`. `text` is that of the whole sentence.
    """

    tokens: tuple[str, ...] = ()
    text: str = ""
    words: tuple[StatedWords, ...] = ()
    image: str = ""
    image_size: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class ItemRecord:
    """A unit of annotation. `local_key` is unique within the sentence.

    `file` is the name of its file, for messages, where several files were read. `stated` is what the
    file says twice about the item, or about its gold.
    """

    external_id: str
    local_key: str
    target: Json
    line: int = 0
    file: str = ""
    stated: Stated = Stated()


@dataclass(frozen=True, slots=True)
class GoldRecord:
    """The reference annotation of an item, as read from a file.

    `provenance` has one entry per unit of the content: the ids of the worker and of the source
    assignments, where the file has them. `neighbours` are the sentence ids and local keys of records
    that may have lost a row to this record, if its own id or position is wrong. `is_blank` is True if
    the file annotates nothing, which is no gold, although it names the item. `places` has the file and
    line of fields of the content that are not at `line`, by paths as in ContentError. `notes` counts what
    the reader left out. `empty` has the paths of fields that the file leaves without parts. Their parts
    may be in another record by mistake.
    """

    item: ItemRecord
    content: Json
    provenance: list[Json]
    line: int
    neighbours: tuple[tuple[str, str], ...] = ()
    is_blank: bool = False
    places: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    notes: Mapping[str, int] = field(default_factory=dict)
    empty: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fit:
    """A gold record adapted to its stored item. `notes` counts changes, such as clipped boxes."""

    record: GoldRecord
    notes: Mapping[str, int] = field(default_factory=dict)


class PositionMap(Protocol):
    """A map of positions from a file's tokens to those of the stored sentence."""

    def span(self, start: int, end: int, field: str) -> tuple[int, int]:
        """Return the half-open range of the same words. Raise ContentError."""
        ...

    def position(self, at: int, field: str) -> int:
        """Return the position of the same word. Raise ContentError if it isn't a single token."""
        ...


@dataclass(frozen=True, slots=True)
class ExportRow:
    """A gold item to be written. Its ids are safe to publish.

    `origin` has the ids of those who annotated the item, for formats that write items without units.
    Like the origins in `provenance`, it has `worker_id`, `assign_id`, and `source_worker_ids`, a list,
    in formats with source workers.
    `metadata` and `image` are those of the sentence, for formats that need them. `text` and `offsets`
    are those of `ItemContext`. `document` is the document or image of the sentence, or "". `certainty` is
    there if the export asks for it, and the gold has been estimated.
    """

    external_id: str
    tokens: tuple[str, ...]
    target: Json
    content: Json
    provenance: list[Json]
    judged: "Judged | None" = None
    metadata: Json = field(default_factory=dict)
    image: Image | None = None
    text: str = ""
    offsets: Offsets = ()
    origin: Json = field(default_factory=dict)
    document: str = ""
    certainty: "Certainty | None" = None


@dataclass(frozen=True, slots=True)
class Certainty:
    """How certain an item's gold is.

    `coverage` is the expected share of all right parts that the gold has, in [0, 1], or None.
    `difficulty` is on the scale of log-odds. `probabilities` maps the keys of the gold's parts, as in
    aligned rows, to the probability that an expert would keep them.
    """

    coverage: float | None
    difficulty: float
    probabilities: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Judged:
    """The judgments that led to an item's gold, for formats that store every judgment.

    `generations` has each annotator's id and content. `consolidation` is the content of the annotator
    who merged them, and `by` is that annotator's id. It is empty if an expert wrote the gold or if the
    gold was computed from validations. `validations` has each validator's id and content.
    """

    generations: list[tuple[str, Json]]
    by: str
    consolidation: Json
    validations: list[tuple[str, Json]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SubmittedRow:
    """An accepted submission to be written. Its ids are safe to publish.

    `original` is the content as it was made, if a newer version of the scheme's definition changed it.
    """

    external_id: str
    tokens: tuple[str, ...]
    target: Json
    role: str
    worker_id: str
    assign_id: str
    content: Json
    text: str = ""
    offsets: Offsets = ()
    document: str = ""
    original: Json | None = None
    original_version: int | None = None
