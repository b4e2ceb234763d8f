"""The kinds of fields: what a scheme does with their values."""

from typing import Any

from schemes.custom.definition import Definition, Field
from schemes.custom.kinds.base import Kind
from schemes.custom.kinds.boxes import BoxesKind
from schemes.custom.kinds.questions import QuestionsKind
from schemes.custom.kinds.relations import RelationsKind
from schemes.custom.kinds.spans import SpansKind
from schemes.custom.kinds.values_by_type import VALUE_KINDS

_KINDS: dict[str, type[Kind[Any]]] = {
    **VALUE_KINDS,
    "spans": SpansKind,
    "relations": RelationsKind,
    "questions": QuestionsKind,
    "boxes": BoxesKind,
}


def kind_of(field: Field, definition: Definition) -> Kind[Any]:
    """Return the kind of a field."""
    return _KINDS[field.type](field, definition)
