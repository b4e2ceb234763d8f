"""Search of gold."""

from collections.abc import Callable
from dataclasses import dataclass

from schemes.contract.items import ItemContext
from schemes.contract.values import Json


@dataclass(frozen=True, slots=True)
class SearchField:
    """A field of the gold search, with the texts of content or target that it searches."""

    label: str
    texts: Callable[[Json, ItemContext], list[str]]


@dataclass(frozen=True, slots=True)
class Search:
    """Search of gold by its content and by its target."""

    content: SearchField
    target: SearchField
