"""Parsing and counting of content."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from schemes.contract.items import ItemContext
from schemes.contract.values import Json, Noun
from schemes.json_differences import value_differences


@dataclass(frozen=True, slots=True)
class Total:
    """A count of a content's parts, such as its spans."""

    key: str
    noun: Noun


@dataclass(frozen=True, slots=True)
class ReviewReason:
    """A reason why a person should check content before its bonus is paid.

    `text` is a sentence for the worker and the reviewer.
    """

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class CheckedWork:
    """Parsed content that is checked for review reasons, and other accepted work to compare it with.

    `others` is the content of the item by other workers in the role. `recent` is the newest content of
    other items by the same worker in the role, the newest first. Both are read when they are iterated,
    so checks that need not look at them cost nothing.
    """

    content: Json
    context: ItemContext
    role: str
    others: Iterable[Json] = ()
    recent: Iterable[Json] = ()


@dataclass(frozen=True, slots=True)
class FreeForm:
    """The texts of the setting that allows units outside the scheme's template.

    `code` is the review reason for such units.
    """

    code: str
    label: str
    help_text: str


class Content(Protocol):
    """Parsing and counting of content. Parsers return normalised JSON or raise ContentError.

    `schema_version` is the version of the content's format. `empty` is a valid annotation without
    units, for items that a worker left out. `totals` are the numbers that `count` returns. A generator
    with a lower mean number of units per item than `min_units` is flagged. `free_form` is None if
    every unit fits the scheme's template. `skip_field` is the field with the reason of a skip, if items
    can be skipped. `json_schemas` has the JSON Schema of each kind of content, such as generation and
    gold.
    """

    schema_version: int
    empty: Json
    totals: Sequence[Total] = ()
    min_units: float = 0.0
    free_form: FreeForm | None = None
    skip_field: str = ""
    json_schemas: Mapping[str, Json] = {}

    @abstractmethod
    def parse_generation(self, content: object, context: ItemContext) -> Json:
        """Parse a generator's content."""

    @abstractmethod
    def parse_gold(self, content: object, context: ItemContext) -> Json:
        """Parse gold, as experts and files write it."""

    @abstractmethod
    def parse_system(self, content: object, context: ItemContext) -> Json:
        """Parse a program's output as a source for a merge. It may contradict itself."""

    @abstractmethod
    def count_units(self, content: Json, role: str) -> int:
        """Return the number of units that the pay of this role depends on."""

    def count(self, content: Json) -> Mapping[str, int]:
        """Return the numbers of `totals` by key."""
        return {}

    def differences(self, own_copy: object, other_copy: object, context: ItemContext) -> list[str]:
        """Describe how two copies of a submission differ, one sentence each."""
        return list(value_differences(own_copy, other_copy))

    def review_reasons(self, work: CheckedWork) -> list[ReviewReason]:
        """Return the reasons to hold the bonus of work until a person checked it."""
        return []

    def is_blank(self, content: Json) -> bool:
        """Return True for content of a file that annotates nothing, which is no gold."""
        return False
