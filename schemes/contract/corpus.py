"""Reading of corpora and gold, and items of sentences."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from schemes.contract.errors import ErrorSink
from schemes.contract.items import ItemContext
from schemes.contract.records import (
    Fit,
    GoldRecord,
    ItemRecord,
    PositionMap,
    SentenceRecord,
    Stated,
)
from schemes.contract.values import Json
from schemes.layouts import Layout


def item_of_row(row: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the sentence's id and the local key in the column `item`, or None."""
    external_id, _, local_key = row.get("item", "").rpartition("/")
    return (external_id, local_key) if external_id and local_key else None


class ReadOption(Protocol):
    """Convert the text of an option. Raise ValueError."""

    def __call__(self, text: str, /) -> Any: ...


@dataclass(frozen=True, slots=True)
class ReaderOption:
    """An option of commands that read gold, such as a threshold.

    `kind` converts the option's text. Formats to which an option does not apply ignore it.
    """

    key: str
    flag: str
    kind: ReadOption
    metavar: str
    help: str


class FindItems(Protocol):
    """Return the items of a sentence. The context has no target."""

    def __call__(self, external_id: str, context: ItemContext) -> list[ItemRecord]: ...


@dataclass(frozen=True, slots=True)
class ItemSearch:
    """A kind of items that can be found in sentences. `label` names it on pages."""

    label: str
    find: FindItems


class MoveGold(Protocol):
    """Return a record with the positions of another tokenization. Raise ContentError."""

    def __call__(self, record: GoldRecord, positions: PositionMap) -> GoldRecord: ...


class ScaleGold(Protocol):
    """Return a record for an image of another size, by factors of width and height.

    Raise ContentError.
    """

    def __call__(self, record: GoldRecord, across: float, down: float) -> GoldRecord: ...


class Corpus(Protocol):
    """Reading of corpora and gold, and items of sentences.

    `formats` maps command-line names of sentence formats to file extensions. `line_formats` are those
    with text on every line, so that an empty line may be a mistake. `layouts`, `gold_layouts` and
    `item_layouts` have the layouts of the formats of sentences, gold and items, from which formats are
    recognised. Formats without a layout must be named. `gold_options` are options of `read_gold`.

    If several kinds of items can be searched, `searches` has them by the name of the command's option,
    the default first. Sentences may have images if the corpus `needs_images`, and imports add the name
    of the image's file to `metadata["image"]`. Readers refuse sentences without an image that they need.

    Readers are streams. They pass bad rows to the error sink, which may raise, and skip them. They
    raise FileError for an unreadable file or an unknown format.
    """

    formats: Mapping[str, Sequence[str]]
    gold_formats: Sequence[str]
    needs_images: bool = False
    gold_options: Sequence[ReaderOption] = ()
    searches: Mapping[str, ItemSearch] = {}
    line_formats: Sequence[str] = ("text",)
    layouts: Mapping[str, Layout] = {}
    gold_layouts: Mapping[str, Layout] = {}
    item_layouts: Mapping[str, Layout] = {}

    @abstractmethod
    def read_sentences(self, path: Path, fmt: str, on_error: ErrorSink) -> Iterator[SentenceRecord]:
        """Yield the sentences of a file in one of `formats`.

        Readers may store known targets in `metadata["items"]`, and the document or image of a sentence
        and its place there in `metadata["document"]` and `metadata["position"]`.
        """

    @abstractmethod
    def read_items(self, paths: Sequence[Path], on_error: ErrorSink) -> Iterator[ItemRecord]:
        """Yield the items of a list of items, which may be in several files."""

    @abstractmethod
    def read_gold(
        self, paths: Sequence[Path], fmt: str, on_error: ErrorSink, **options: Any
    ) -> Iterator[GoldRecord]:
        """Yield the gold of files in one of `gold_formats`, some of which join several files.

        `options` has values of `gold_options`, if there are any.
        """

    @abstractmethod
    def find_items(self, external_id: str, context: ItemContext) -> list[ItemRecord]:
        """Return the items of a sentence without an item file. The context has no target."""

    @abstractmethod
    def complete_item(self, item: ItemRecord, context: ItemContext) -> ItemRecord:
        """Return the item with all fields of the target that pages need.

        Raise ContentError if the sentence has no such item.
        """

    @abstractmethod
    def headline(self, context: ItemContext) -> str:
        """Return a text that identifies an item in a list."""

    def order(self, target: Json) -> int:
        """Return the place of an item in its sentence, to sort by."""
        return 0

    def group(self, external_id: str) -> str:
        """Return the document or image of a sentence by its id, or "" if it has none."""
        return ""

    def position(self, external_id: str) -> int:
        """Return the place of a sentence in its document by its id, or 0."""
        return 0

    def item_key_of_row(self, row: Mapping[str, str]) -> tuple[str, str] | None:
        """Return the sentence's id and the local key of the item in a row of a CSV file, or None.

        The column `item` has both, separated by a slash.
        """
        return item_of_row(row)

    def stated_by_row(self, row: Mapping[str, str]) -> Stated:
        """Return what a row of a CSV file states about its item. Raise ContentError."""
        return Stated()

    def item_type(self, context: ItemContext) -> str:
        """Return the type of an item for reports by type, or ""."""
        return ""

    def split_gold(self, content: Json, provenance: Sequence[Json]) -> list[Json]:
        """Return each annotator's part of gold from a file, as generations in a stable order."""
        return [content]

    def fit_gold(self, record: GoldRecord, context: ItemContext) -> Fit:
        """Adapt a record to its stored item. Raise ContentError."""
        return Fit(record)

    @property
    def move_gold(self) -> MoveGold | None:
        """Return the function that moves gold to other tokens, if the scheme has one."""
        return None

    @property
    def scale_gold(self) -> ScaleGold | None:
        """Return the function that scales gold to another image, if the scheme has one."""
        return None

    def search_of(self, name: str) -> FindItems:
        """Return the search of this name, or `find_items` for ""."""
        return self.searches[name].find if name else self.find_items
