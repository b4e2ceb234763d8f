"""The form of a definition: its fields with what they do, and the order in which they depend."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from schemes.contract.items import ItemContext
from schemes.contract.values import Json, Noun
from schemes.custom.checks import needed_fields
from schemes.custom.definition import BoxesField, Definition, Field, RelationsField, ShowIf
from schemes.custom.items import has_image
from schemes.custom.kinds import kind_of
from schemes.custom.kinds.base import Answers, Kind, Part

ANSWERS, SKIPPED, VERDICTS = "answers", "skipped", "verdicts"


@dataclass(frozen=True, slots=True)
class Unit:
    """A part of an annotation. `at` is its position among the parts of its field."""

    kind: Kind[Any]
    at: int
    part: Part


class Form:
    """The fields of a definition."""

    def __init__(self, definition: Definition) -> None:
        self.definition = definition
        self.kinds: Sequence[Kind[Any]] = [
            kind_of(field, definition) for field in definition.fields
        ]
        self.by_key: Mapping[str, Kind[Any]] = {kind.key: kind for kind in self.kinds}
        self.in_order: Sequence[Kind[Any]] = [self.by_key[key] for key in self._order()]

    @property
    def paid(self) -> Kind[Any] | None:
        """Return the field whose parts are paid, or None if every answered field is."""
        return self.by_key.get(self.definition.unit)

    @property
    def unit(self) -> Noun:
        return self.paid.noun if self.paid else Kind.noun

    def _order(self) -> list[str]:
        """Return the keys so that fields come after those on which they depend."""
        needs = {field.key: set(needed_fields(field)) for field in self.definition.fields}
        order: list[str] = []
        while needs:
            ready = [key for key, needed in needs.items() if needed <= set(order)]
            order += ready
            needs = {key: needed for key, needed in needs.items() if key not in ready}
        return order

    def is_shown(self, field: Field, answers: Answers, context: ItemContext) -> bool:
        """Return True if a field is shown, given the answers to those on which it depends.

        Relations are hidden with their spans, and boxes in items without an image.
        """
        if isinstance(field, BoxesField) and not has_image(context):
            return False
        if isinstance(field, RelationsField):
            spans = self.by_key[field.spans].field
            if not self.is_shown(spans, answers, context):
                return False
        return meets(field.show_if, answers)

    def units(self, content: Json) -> list[Unit]:
        """Return the parts of an annotation, field by field."""
        answers = content.get(ANSWERS, {})
        return [
            Unit(kind, at, part)
            for kind in self.kinds
            for at, part in enumerate(kind.parts(answers))
        ]

    def content_of(self, units: Sequence[Unit]) -> Json:
        """Return the annotation with these parts.

        What depends on missing answers is left out: relations without their spans, and fields whose
        condition is not met.
        """
        answers: dict[str, Any] = {}
        for kind in self.in_order:
            parts = [unit.part for unit in units if unit.kind is kind]
            value = kind.join(parts, answers)
            if value is not None and meets(kind.field.show_if, answers):
                answers[kind.key] = value
        return {ANSWERS: self.sorted(answers)}

    def sorted(self, answers: Answers) -> dict[str, Any]:
        """Return answers in the order of the definition."""
        return {kind.key: answers[kind.key] for kind in self.kinds if kind.key in answers}

    def counted(self, content: Json) -> Iterator[tuple[Kind[Any], int]]:
        """Yield the fields with the number of their parts."""
        answers = content.get(ANSWERS, {})
        for kind in self.kinds:
            yield kind, len(kind.parts(answers))


def meets(condition: ShowIf | None, answers: Answers) -> bool:
    """Return True if answers meet a condition. Hidden fields have no answers."""
    if condition is None:
        return True
    if condition.field not in answers:
        return False
    value = answers[condition.field]
    if not condition.values:
        return True
    return any(
        chosen in condition.values for chosen in (value if isinstance(value, list) else [value])
    )
