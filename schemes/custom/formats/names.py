"""Names of labels, relations and attributes in formats that don't name their fields."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from schemes.custom.definition import Definition, Field, RelationsField, SpansField

# A field with a label, a label of relations or an attribute
Place = tuple[str, str]


@dataclass(frozen=True)
class Names:
    """The name of each label of spans, label of relations and attribute of spans.

    Names are keys. A key that several fields have is written with that of its field, as in `field__key`.
    """

    definition: Definition

    @cached_property
    def labels(self) -> Mapping[Place, str]:
        return _named(
            (field.key, label.key)
            for field in self.definition.fields
            if isinstance(field, SpansField)
            for label in field.labels
        )

    @cached_property
    def relations(self) -> Mapping[Place, str]:
        return _named(
            (field.key, label.key)
            for field in self.definition.fields
            if isinstance(field, RelationsField)
            for label in field.labels
        )

    @cached_property
    def attributes(self) -> Mapping[Place, str]:
        return _named(
            (field.key, attribute.key)
            for field in self.definition.fields
            if isinstance(field, SpansField)
            for attribute in field.attributes
        )

    def attribute(self, place: Place) -> Field:
        """Return an attribute by its field and key. Raise KeyError."""
        field = self.definition.field(place[0])
        for attribute in field.attributes if isinstance(field, SpansField) else ():
            if attribute.key == place[1]:
                return attribute
        raise KeyError(place)


def _named(places: Iterable[Place]) -> dict[Place, str]:
    listed = list(places)
    numbers = Counter(key for _, key in listed)
    return {(field, key): key if numbers[key] == 1 else f"{field}__{key}" for field, key in listed}
