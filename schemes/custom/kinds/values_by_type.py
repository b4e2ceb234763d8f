"""The kinds of fields with a single value."""

from typing import Any

from schemes.custom.definition import Definition, Field
from schemes.custom.kinds.values import (
    ChoiceKind,
    ChoicesKind,
    NumberKind,
    PairwiseKind,
    RatingKind,
    TextKind,
    ValueKind,
)

VALUE_KINDS: dict[str, type[ValueKind[Any]]] = {
    "choice": ChoiceKind,
    "choices": ChoicesKind,
    "rating": RatingKind,
    "number": NumberKind,
    "text": TextKind,
    "pairwise": PairwiseKind,
}


def value_kind(field: Field, definition: Definition) -> ValueKind[Any]:
    """Return the kind of a field or attribute with a single value."""
    return VALUE_KINDS[field.type](field, definition)
