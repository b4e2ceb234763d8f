"""Statistics of annotated items."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from schemes.contract.items import ItemContext
from schemes.contract.values import Json


@dataclass(frozen=True, slots=True)
class AnnotatedItem:
    """An annotated item for statistics.

    `steps` has the seconds and moves of all its annotators by step of the page. `provenance` is that of
    gold.
    """

    external_id: str
    context: ItemContext
    content: Json
    steps: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    provenance: Sequence[Json] = ()


@dataclass(frozen=True, slots=True)
class StatisticsTable:
    """A table of texts and numbers. None is an undefined number."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str | int | float | None]]


@dataclass(frozen=True, slots=True)
class Frequencies:
    """How often each category occurs, most frequent first."""

    title: str
    counts: Sequence[tuple[str, int]]


class Statistics(Protocol):
    """Counts of annotated items in groups, such as all gold or a partition.

    `figures` (key, label) are the rows of a table whose columns are groups. `steps` (key, label) are
    those of the worker's page.
    """

    figures: Sequence[tuple[str, str]]
    steps: Sequence[tuple[str, str]] = ()

    @abstractmethod
    def count(self, items: Iterable[AnnotatedItem]) -> Mapping[str, int | float | None]:
        """Return the figures of a group by key, in one pass over its items."""

    @abstractmethod
    def is_skipped(self, content: Json) -> bool:
        """Return True for content of a worker who could not annotate the item."""

    def tables(self, items: Sequence[AnnotatedItem]) -> Sequence[StatisticsTable]:
        """Describe the gold in more detail."""
        return ()

    def frequencies(self, items: Sequence[AnnotatedItem]) -> Frequencies | None:
        """Return how often each category occurs in the gold, if the scheme has categories."""
        return None
