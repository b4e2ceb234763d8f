"""Comparison of gold with other resources."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

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


class ExternalComparison(Protocol):
    """Comparison of gold with a file in the format of another resource, such as a treebank.

    `help` describes the file and `matching` how its sentences are found. `cases_title` is the heading
    of the cases on pages.
    """

    key: str
    label: str
    help: str
    matching: str
    cases_title: str = ""

    @abstractmethod
    def compare(self, path: Path, gold: Iterable[GoldItem], on_error: ErrorSink) -> Json | None:
        """Return figures as JSON, or None if the file and the gold share no item.

        Raise FileError.
        """

    @abstractmethod
    def table(self, figures: Json) -> ExternalTable:
        """Return the figures for pages."""

    @abstractmethod
    def text(self, figures: Json) -> str:
        """Return the figures for a terminal."""

    def cases(self, figures: Json) -> Sequence[ExternalCase]:
        """Return some cases from the figures for the page."""
        return ()
