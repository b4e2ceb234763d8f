"""Comparison of gold with other resources."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schemes.contract.comparison import AlignedRow
from schemes.contract.errors import ErrorSink
from schemes.contract.items import ItemContext
from schemes.contract.values import Json


@dataclass(frozen=True, slots=True)
class GoldItem:
    """An item's gold with the id of its sentence."""

    external_id: str
    context: ItemContext
    content: Json


@dataclass(frozen=True, slots=True)
class ExternalTable:
    """Figures as a table. After the first, cells are shares in [0, 1] or None."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    note: str = ""


@dataclass(frozen=True, slots=True)
class ExternalCase:
    """A case of a comparison that people should look at, with the sentence's id.

    `row` has the gold as its reference and the other resource as its prediction.
    """

    external_id: str
    row: AlignedRow


@dataclass(frozen=True, slots=True)
class ExternalComparison:
    """Comparison of gold with a file in the format of another resource, such as a treebank.

    `help` describes the file and `matching` how its sentences are found. `compare` returns figures as
    JSON, or None if the file and the gold share no item, and raises FileError. `table` and `text` show
    the figures on pages and in a terminal. `cases` returns some cases from the figures for the page, and
    `cases_title` is their heading.
    """

    key: str
    label: str
    help: str
    matching: str
    compare: Callable[[Path, Iterable[GoldItem], ErrorSink], Json | None]
    table: Callable[[Json], ExternalTable]
    text: Callable[[Json], str]
    cases: Callable[[Json], Sequence[ExternalCase]] = lambda figures: ()
    cases_title: str = ""
