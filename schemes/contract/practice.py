"""Practice exercises."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from schemes.contract.comparison import AlignedRow
from schemes.contract.items import ItemContext
from schemes.contract.values import Json


@dataclass(frozen=True, slots=True)
class Exercise:
    """A practice exercise. `reference` is gold content."""

    title: str
    lesson: str
    context: ItemContext
    reference: Json
    notes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ExplainedRow:
    """An aligned row with an explanation for the worker who wrote the prediction."""

    aligned: AlignedRow
    explanation: str


@dataclass(frozen=True, slots=True)
class PracticeResult:
    """An answer compared with the reference. `summary` is a sentence or two."""

    summary: str
    rows: Sequence[ExplainedRow]


@dataclass(frozen=True, slots=True)
class Practice:
    """Exercises. `check` compares an answer with the reference and raises ContentError."""

    exercises: Callable[[], Sequence[Exercise]]
    check: Callable[[Exercise, object], PracticeResult]
