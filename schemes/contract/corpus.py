"""Reading of corpora and gold, and items of sentences."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

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


@dataclass(frozen=True, slots=True)
class ReaderOption:
    """An option of commands that read gold, such as a threshold.

    `kind` converts the option's text. Formats to which an option does not apply ignore it.
    """

    key: str
    flag: str
    kind: Callable[[str], Any]
    metavar: str
    help: str


@dataclass(frozen=True, slots=True)
class ItemSearch:
    """A kind of items that can be found in sentences. `label` names it on pages."""

    label: str
    find: Callable[[str, ItemContext], list[ItemRecord]]


@dataclass(frozen=True, slots=True)
class Corpus:
    """Reading of corpora and gold, and items of sentences.

    `formats` maps command-line names to file extensions. Readers pass bad rows to the error sink,
    which may raise, and skip them. They raise FileError for an unreadable file or an unknown format.
    Items and gold may be in several files, which some formats join. `read_gold` receives values of
    `gold_options` as keyword arguments, if there are any.

    `find_items` returns the items of a sentence without an item file. If several kinds of items can be
    searched, `searches` has them by the name of the command's option, the default first. Readers may
    store known targets in `metadata["items"]`. `complete_item` adds the fields that pages need to the
    target, and raises ContentError if the sentence has no such item. `headline` identifies an item in a
    list, and `order` is its place in the sentence. Sentences describe images if the corpus
    `needs_images`, and imports add the name of the image's file to `metadata["image"]`. `group` returns
    the document or image of a sentence by its id, or "" if it has none, and `position` its place there,
    or 0. Readers that know them store them in `metadata["document"]` and `metadata["position"]`.
    `item_key_of_row` returns the sentence's id and the local key of the item in a row of a CSV file, or
    None. Its column `item` has
    both, separated by a slash. `stated_by_row` returns what the row states about it, and raises
    ContentError. `item_type` returns the type of an item for reports by type, or "".
    `line_formats` are those with text on every line, so that an empty line may be a mistake.
    `layouts`, `gold_layouts` and `item_layouts` have the layouts of the formats of sentences, gold and
    items, from which formats are recognised. Formats without a layout must be named.
    `move_gold` returns a record with the positions of another tokenization, and `scale_gold` one for an
    image of another size, by factors of width and height. `fit_gold` adapts a record to its stored
    item. They raise ContentError.
    """

    formats: Mapping[str, Sequence[str]]
    gold_formats: Sequence[str]
    read_sentences: Callable[[Path, str, ErrorSink], Iterator[SentenceRecord]]
    read_items: Callable[[Sequence[Path], ErrorSink], Iterator[ItemRecord]]
    read_gold: Callable[..., Iterator[GoldRecord]]
    find_items: Callable[[str, ItemContext], list[ItemRecord]]
    complete_item: Callable[[ItemRecord, ItemContext], ItemRecord]
    headline: Callable[[ItemContext], str]
    order: Callable[[Json], int] = lambda target: 0
    needs_images: bool = False
    group: Callable[[str], str] = lambda external_id: ""
    position: Callable[[str], int] = lambda external_id: 0
    item_key_of_row: Callable[[Mapping[str, str]], tuple[str, str] | None] = item_of_row
    stated_by_row: Callable[[Mapping[str, str]], Stated] = lambda row: Stated()
    item_type: Callable[[ItemContext], str] = lambda context: ""
    gold_options: Sequence[ReaderOption] = ()
    searches: Mapping[str, ItemSearch] = field(default_factory=dict)
    line_formats: Sequence[str] = ("text",)
    layouts: Mapping[str, Layout] = field(default_factory=dict)
    gold_layouts: Mapping[str, Layout] = field(default_factory=dict)
    item_layouts: Mapping[str, Layout] = field(default_factory=dict)
    move_gold: Callable[[GoldRecord, PositionMap], GoldRecord] | None = None
    scale_gold: Callable[[GoldRecord, float, float], GoldRecord] | None = None
    fit_gold: Callable[[GoldRecord, ItemContext], Fit] = lambda record, context: Fit(record)

    def search_of(self, name: str) -> Callable[[str, ItemContext], list[ItemRecord]]:
        """Return the search of this name, or `find_items` for ""."""
        return self.searches[name].find if name else self.find_items
