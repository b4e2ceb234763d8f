"""Arrow types of JSON values, inferred from all values of a column.

Objects become structs, and lists lists. A place whose values have several types, no value or more keys
than a record would have is stored as JSON text.
"""

from collections.abc import Iterable
from typing import Any

import orjson
import pyarrow as pa

from schemes.contract.values import Json

# Objects with more keys are maps, such as those of spans to labels.
MAX_KEYS = 40
_TEXT, _WHOLE, _DECIMAL, _TRUTH = "text", "whole", "decimal", "truth"


class Shape:
    """The shape of the values seen so far, at one place."""

    def __init__(self) -> None:
        self.kinds: set[str] = set()
        self.fields: dict[str, Shape] = {}
        self.items: Shape | None = None

    def add(self, value: Any) -> None:
        """Widen the shape so that it has a place for the value."""
        if isinstance(value, dict):
            self.kinds.add("object")
            for name, inner in value.items():
                self.fields.setdefault(name, Shape()).add(inner)
        elif isinstance(value, list):
            self.kinds.add("list")
            self.items = self.items or Shape()
            for inner in value:
                self.items.add(inner)
        elif value is not None:
            self.kinds.add(_kind(value))

    @property
    def is_json(self) -> bool:
        """Return True if the values are stored as JSON text."""
        kinds = self.kinds - {_WHOLE} if _DECIMAL in self.kinds else self.kinds
        is_map = not self.fields or len(self.fields) > MAX_KEYS
        return len(kinds) != 1 or (kinds == {"object"} and is_map)

    @property
    def arrow_type(self) -> pa.DataType:
        if self.is_json:
            return pa.string()
        if self.items is not None:
            return pa.list_(self.items.arrow_type)
        if self.fields:
            inner = sorted(self.fields.items())
            return pa.struct([pa.field(name, shape.arrow_type) for name, shape in inner])
        if _DECIMAL in self.kinds:
            return pa.float64()
        types = {_TEXT: pa.string(), _WHOLE: pa.int64(), _TRUTH: pa.bool_()}
        return types[next(iter(self.kinds))]

    def convert(self, value: Any) -> Any:
        """Return the value as its Arrow type stores it."""
        if value is None:
            return None
        if self.is_json:
            return json_text(value)
        if self.items is not None:
            return [self.items.convert(inner) for inner in value]
        if self.fields:
            return {
                name: self.fields[name].convert(value.get(name)) for name in sorted(self.fields)
            }
        return float(value) if _DECIMAL in self.kinds else value


def _kind(value: object) -> str:
    # A truth value is a whole number in Python.
    if isinstance(value, bool):
        return _TRUTH
    return {str: _TEXT, int: _WHOLE, float: _DECIMAL}[type(value)]


def shape_of(values: Iterable[Json]) -> Shape:
    """Return the shape that has a place for all values."""
    shape = Shape()
    for value in values:
        shape.add(value)
    return shape


def json_text(value: Any) -> str:
    """Return the value as JSON with sorted keys."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
