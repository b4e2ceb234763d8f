"""Search of gold."""

from dataclasses import dataclass
from typing import Protocol

from schemes.contract.items import ItemContext
from schemes.contract.values import Json


class FindTexts(Protocol):
    """Return the texts of an item's content or target that a search looks at."""

    def __call__(self, content: Json, context: ItemContext) -> list[str]: ...


@dataclass(frozen=True, slots=True)
class SearchField:
    """A field of the gold search."""

    label: str
    texts: FindTexts


@dataclass(frozen=True, slots=True)
class Search:
    """Search of gold by its content and by its target."""

    content: SearchField
    target: SearchField
