"""Plain values that all parts share."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from schemes.contract.texts import Translatable

Json = dict[str, Any]


Tokens = Sequence[str]


# Half-open `[x1, y1, x2, y2)` in pixels.
Box = Sequence[int]


@dataclass(frozen=True, slots=True)
class Image:
    """An image with its size in pixels. `url` is the address for the worker's page."""

    name: str
    width: int
    height: int
    url: str = ""


@dataclass(frozen=True, slots=True)
class Noun:
    """A countable noun of the interface."""

    singular: str
    plural: str

    def count(self, number: int) -> Translatable:
        """Return the number with the noun, for example "1 label" or "1,200 labels"."""
        noun = Translatable(self.singular if number == 1 else self.plural)
        return Translatable("%(number)s %(noun)s", number=f"{number:,}", noun=noun)
