"""Practice exercises."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from schemes.contract.comparison import AlignedRow
from schemes.contract.items import ItemContext
from schemes.contract.values import Json


@dataclass(frozen=True, slots=True)
class Exercise:
    """A practice exercise. `reference` is gold content.

    `picture` is the path of the context's image among the static files. Without it, the image is that of
    the project with the name in the context's metadata.
    """

    title: str
    lesson: str
    context: ItemContext
    reference: Json
    notes: Mapping[str, str] = field(default_factory=dict)
    picture: str = ""


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


class Practice(Protocol):
    """Practice exercises."""

    @abstractmethod
    def exercises(self) -> Sequence[Exercise]:
        """Return the exercises in their order."""

    @abstractmethod
    def check(self, exercise: Exercise, answer: object) -> PracticeResult:
        """Compare an answer with the reference. Raise ContentError."""
