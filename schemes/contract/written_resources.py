"""Resources that staff write as text, such as the definition of a scheme."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from schemes.contract.errors import ContentError
from schemes.contract.items import ItemContext
from schemes.contract.values import Json


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake in a text. `line` counts from 1, and `path` is the place in the value, or ""."""

    line: int | None
    path: str
    message: str


class WrittenTextError(ContentError):
    """A text that is no valid value, or an invalid value, with all its mistakes."""

    def __init__(self, mistakes: Sequence[Mistake]) -> None:
        super().__init__(mistakes[0].path, mistakes[0].message)
        self.mistakes = tuple(mistakes)


@dataclass(frozen=True, slots=True)
class PreviewItem:
    """An item for a preview. `picture` is the path of its image among the static files, or ""."""

    context: ItemContext
    picture: str = ""


class WrittenResource(Protocol):
    """How a resource is written as text.

    `syntax` is the name of the text's format, and `help` describes it in a sentence or two. `pages` maps
    files in docs/ to the texts of links to them.
    """

    syntax: str
    help: str
    pages: Mapping[str, str] = {}

    @abstractmethod
    def read(self, text: str) -> Json:
        """Return the value of a text. Raise WrittenTextError."""

    @abstractmethod
    def write(self, value: Json) -> str:
        """Return the text of a value."""

    @abstractmethod
    def example(self, value: Json) -> PreviewItem:
        """Return an item for the preview of a worker's page."""
