"""What a kind of field does with its values: parsing, display, comparison and simulation.

A part is what is judged, kept and traced on its own: a span, relation, question or box, or the whole
value of other fields. Parts are JSON without references to other parts, so that equal parts of
different annotations are equal values.
"""

import random
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

from schemes.contract.comparison import AlignedRow, RowDecision
from schemes.contract.errors import ContentError
from schemes.contract.items import ItemContext
from schemes.contract.pages import ShownUnit
from schemes.contract.values import Json, Noun
from schemes.custom.definition import Definition, Field
from schemes.custom.items import text_range
from schemes.figures import Figure
from schemes.simulated_person import Person

# Larger numbers are other numbers in JavaScript.
MAX_WHOLE = 2**53
# Keys that an error lists
MAX_NAMED = 12
Answers = Mapping[str, Any]
Part = Any
FieldType = TypeVar("FieldType", bound=Field)


@dataclass(slots=True)
class Parsing:
    """What is known while an item's answers are parsed.

    `answers` has the fields that were parsed before. `orders` maps the positions at which the spans of
    a field were written to those at which they are stored. Without `is_complete`, required answers may
    be missing.
    """

    definition: Definition
    context: ItemContext
    is_complete: bool
    answers: dict[str, Any] = field(default_factory=dict)
    orders: dict[str, list[int]] = field(default_factory=dict)

    def text_range(self, key: str) -> tuple[int, int]:
        return text_range(self.definition, key, self.context)


@dataclass(slots=True)
class FieldComparison:
    """A field of an item compared with the reference.

    `score` is None if both sides lack the field. `pairs` maps the positions of the reference's parts to
    those of the prediction that match. `kept` counts the parts that the reference has.
    """

    score: float | None
    measures: dict[str, Json]
    rows: list[AlignedRow]
    kept: int = 0
    pairs: Mapping[int, int] = field(default_factory=dict)


class Kind(ABC, Generic[FieldType]):
    """A kind of field, for one field of a definition."""

    noun: ClassVar[Noun] = Noun("answer", "answers")

    def __init__(self, field: FieldType, definition: Definition) -> None:
        self.field = field
        self.definition = definition
        self.key = field.key

    @abstractmethod
    def parse(self, value: object, path: str, parsing: Parsing) -> Any:
        """Return the normalised value, or None if it is empty. Raise ContentError."""

    @abstractmethod
    def parts(self, answers: Answers) -> list[Part]:
        """Return the parts of the field in order."""

    @abstractmethod
    def join(self, parts: Sequence[Part], answers: Answers) -> Any:
        """Return the value with these parts, or None without parts.

        `answers` has the values of the fields to which parts refer. A part that refers to something
        that is not there is left out.
        """

    @abstractmethod
    def shown(self, part: Part, context: ItemContext) -> ShownUnit:
        """Return a part as pages for staff show it."""

    def is_related(self, first: Part, second: Part) -> bool:
        """Return True if a part may be an edited form of another one."""
        return True

    def names(self, part: Part) -> list[str]:
        """Return the labels of a part by which it can be counted and searched."""
        return []

    @property
    @abstractmethod
    def figures(self) -> Sequence[Figure]:
        """Return the figures of the field."""

    @abstractmethod
    def compare(
        self,
        reference: Answers,
        predicted: Answers,
        decisions: Sequence[RowDecision],
        compared: Mapping[str, FieldComparison],
        context: ItemContext | None,
    ) -> FieldComparison:
        """Compare the field. `compared` has the fields to which its parts refer.

        Without a context, there are no rows. Raise ValueError for decisions on unknown rows.
        """

    @abstractmethod
    def err(
        self, answers: Answers, value: Any, context: ItemContext, person: Person, rng: random.Random
    ) -> Any:
        """Return a value with a person's errors, or None.

        `answers` has the fields to which its parts refer, as the person answered them.
        """

    @abstractmethod
    def invent(self, answers: Answers, context: ItemContext) -> Any:
        """Return a made-up valid value, or None if the item has no place for one."""


def refuse(path: str, message: str, **values: Any) -> ContentError:
    return ContentError(path, message, **values)


def checked_list(value: object, path: str, most: int) -> list[Any]:
    """Return a list. Raise ContentError for other values and for too many entries."""
    if not isinstance(value, list | tuple):
        raise ContentError(path, "must be a list.")
    if len(value) > most:
        raise ContentError(
            path,
            "has %(count)s entries. At most %(max_length)s are allowed.",
            count=f"{len(value):,}",
            max_length=most,
        )
    return list(value)


def checked_object(value: object, path: str, known: Sequence[str]) -> Mapping[str, Any]:
    """Return an object with known keys. Raise ContentError."""
    if not isinstance(value, Mapping):
        raise ContentError(path, "must be an object.")
    for name in value:
        if name not in known:
            raise ContentError(f"{path}.{shown_key(name)}", "is not a known field.")
    return value


def checked_whole(value: object, path: str) -> int:
    """Return a whole number. Raise ContentError."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > MAX_WHOLE:
        raise ContentError(path, "must be a whole number.")
    return value


def checked_key(value: object, path: str, known: Mapping[str, object]) -> str:
    """Return one of the known keys. Raise ContentError."""
    if not isinstance(value, str) or value not in known:
        first = ", ".join(list(known)[:MAX_NAMED])
        more = ", …" if len(known) > MAX_NAMED else ""
        raise ContentError(path, "must be one of: %(known)s.", known=f"{first}{more}")
    return value


def checked_span(start: object, end: object, path: str, within: tuple[int, int]) -> tuple[int, int]:
    """Return a half-open span within a range of tokens. Raise ContentError."""
    first = checked_whole(start, f"{path}.start")
    last = checked_whole(end, f"{path}.end")
    if first >= last:
        raise ContentError(path, "has no token: start must be below end.")
    if first < within[0] or last > within[1]:
        raise ContentError(
            path,
            "%(start)s:%(end)s is not in its text, %(first)s:%(last)s.",
            start=first,
            end=last,
            first=within[0],
            last=within[1],
        )
    return first, last


def check_count(count: int, field: Any, path: str, *, is_complete: bool) -> None:
    """Raise ContentError for too many parts, or for too few in complete content."""
    if count > field.max:
        raise ContentError(
            path,
            "has %(count)s entries. At most %(max_length)s are allowed.",
            count=count,
            max_length=field.max,
        )
    if is_complete and count < field.min:
        raise ContentError(path, "needs at least %(min_length)s.", min_length=field.min)


def shown_key(name: object) -> str:
    """Return a key from outside as the path of an error shows it."""
    return "".join(c if c.isprintable() else "\ufffd" for c in str(name)[:40])


def overlaps(spans: Sequence[tuple[int, int]]) -> Iterator[int]:
    """Yield the positions of sorted spans that begin before an earlier one ends."""
    end = -1
    for at, (start, stop) in enumerate(spans):
        if start < end:
            yield at
        end = max(end, stop)
