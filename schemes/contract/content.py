"""Parsing and counting of content."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from schemes.contract.items import ItemContext
from schemes.contract.values import Json, Noun
from schemes.json_differences import value_differences


def json_differences(ours: object, theirs: object, context: ItemContext) -> list[str]:
    """Return a sentence for each difference of two JSON values."""
    return list(value_differences(ours, theirs))


@dataclass(frozen=True, slots=True)
class Total:
    """A count of a content's parts, such as its spans."""

    key: str
    noun: Noun


@dataclass(frozen=True, slots=True)
class Doubt:
    """A reason why a person should check content before its bonus is paid.

    `text` is a sentence for the worker and the reviewer.
    """

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class CheckedWork:
    """Parsed content that is checked for doubts, and other accepted work to compare it with.

    `others` is the content of the item by other workers in the role. `recent` is the newest content of
    other items by the same worker in the role, the newest first. Both are read when they are iterated,
    so doubts that need not look at them cost nothing.
    """

    content: Json
    context: ItemContext
    role: str
    others: Iterable[Json] = ()
    recent: Iterable[Json] = ()


@dataclass(frozen=True, slots=True)
class FreeForm:
    """The texts of the setting that allows units outside the scheme's template.

    `code` is that of the doubts about such units.
    """

    code: str
    label: str
    help_text: str


@dataclass(frozen=True, slots=True)
class Content:
    """Parsing and counting of content. Parsers return normalised JSON or raise ContentError.

    `empty` is a valid annotation without units, for items that a worker left out. `parse_system`
    parses a program's output as a source for a merge, which may contradict itself. `count_units`
    returns the number of units that pay depends on, by role. `count` returns the numbers of `totals`
    by key. `differences` describes how two copies of a submission differ, one sentence each.
    A generator with a lower mean number of units per item than `least_units` is flagged. `doubts`
    returns the reasons to hold the bonus of work. `free_form` is None if every
    unit fits the scheme's template. `is_blank` is True for content of a file that annotates nothing,
    which is no gold. `skip_field` is the field with the reason of a skip, if items can be skipped.
    `json_schemas` has the JSON Schema of each kind of content, such as generation and gold.
    """

    schema_version: int
    empty: Json
    parse_generation: Callable[[object, ItemContext], Json]
    parse_gold: Callable[[object, ItemContext], Json]
    parse_system: Callable[[object, ItemContext], Json]
    count_units: Callable[[Json, str], int]
    totals: Sequence[Total] = ()
    count: Callable[[Json], Mapping[str, int]] = lambda content: {}
    differences: Callable[[object, object, ItemContext], list[str]] = json_differences
    least_units: float = 0.0
    doubts: Callable[[CheckedWork], list[Doubt]] = lambda work: []
    free_form: FreeForm | None = None
    is_blank: Callable[[Json], bool] = lambda content: False
    skip_field: str = ""
    json_schemas: Mapping[str, Json] = field(default_factory=dict)
