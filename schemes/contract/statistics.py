"""Statistics of annotated items."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

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


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts of annotated items in groups, such as all gold or a partition.

    `figures` (key, label) are the rows of a table whose columns are groups. `count` returns the figures
    of a group by key, in one pass over its items. `steps` (key, label) are those of the worker's page.
    `tables` and `frequencies` describe the gold in more detail. `is_skipped` is True for content of a
    worker who could not annotate the item.
    """

    figures: Sequence[tuple[str, str]]
    count: Callable[[Iterable[AnnotatedItem]], Mapping[str, int | float | None]]
    is_skipped: Callable[[Json], bool]
    steps: Sequence[tuple[str, str]] = ()
    tables: Callable[[Sequence[AnnotatedItem]], Sequence[StatisticsTable]] = lambda items: ()
    frequencies: Callable[[Sequence[AnnotatedItem]], Frequencies | None] = lambda items: None
