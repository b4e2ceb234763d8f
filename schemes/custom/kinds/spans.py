"""Labelled spans of a text, with attributes."""

import random
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from metrics.spans import span_iou
from schemes.contract.items import ItemContext
from schemes.contract.pages import ShownUnit
from schemes.contract.values import Json, Noun
from schemes.custom.alignment import Alignment, Pairs
from schemes.custom.definition import Definition, SpansField
from schemes.custom.error_rates import RATES
from schemes.custom.figures import NO_SHARE, f1_of, share_of
from schemes.custom.items import text_range
from schemes.custom.kinds.base import (
    Answers,
    FieldComparison,
    Parsing,
    Part,
    check_count,
    checked_key,
    checked_list,
    checked_object,
    checked_span,
    overlaps,
    refuse,
)
from schemes.custom.kinds.parts import HALF, PartsKind
from schemes.custom.kinds.values import ValueKind, other_of
from schemes.custom.kinds.values_by_type import value_kind
from schemes.figures import Figure
from schemes.simulated_person import Person

_WHOLE = Fraction(1)


class SpansKind(PartsKind[SpansField]):
    """Labelled spans of a text."""

    noun = Noun("span", "spans")

    def __init__(self, field: SpansField, definition: Definition) -> None:
        super().__init__(field, definition)
        self.attributes: dict[str, ValueKind[Any]] = {
            attribute.key: value_kind(attribute, definition) for attribute in field.attributes
        }

    def parse(self, value: object, path: str, parsing: Parsing) -> list[Json] | None:
        rows = checked_list(value, path, self.field.max)
        within = parsing.text_range(self.field.text)
        spans = [self._parsed(row, f"{path}.{at}", within, parsing) for at, row in enumerate(rows)]
        order = sorted(range(len(spans)), key=lambda at: _position(spans[at]))
        ordered = [spans[at] for at in order]
        for place in range(1, len(ordered)):
            if _position(ordered[place]) == _position(ordered[place - 1]):
                raise refuse(f"{path}.{order[place]}", "is there twice.")
        if not self.field.overlap:
            for place in overlaps([(span["start"], span["end"]) for span in ordered]):
                raise refuse(f"{path}.{order[place]}", "overlaps another span.")
        if ordered or self.field.required:
            check_count(len(ordered), self.field, path, is_complete=parsing.is_complete)
        places = {at: place for place, at in enumerate(order)}
        parsing.orders[self.key] = [places[at] for at in range(len(spans))]
        return ordered or None

    def _parsed(self, row: object, path: str, within: tuple[int, int], parsing: Parsing) -> Json:
        known = ("start", "end", "label", *(("attributes",) if self.attributes else ()))
        span = checked_object(row, path, known)
        start, end = checked_span(span.get("start"), span.get("end"), path, within)
        label = checked_key(span.get("label"), f"{path}.label", self.label_texts)
        parsed = {"start": start, "end": end, "label": label}
        if not self.attributes:
            return parsed
        attributes = self._attributes(span.get("attributes", {}), f"{path}.attributes", parsing)
        return {**parsed, "attributes": attributes}

    def _attributes(self, value: object, path: str, parsing: Parsing) -> Json:
        given = checked_object(value, path, list(self.attributes))
        parsed = {}
        for key, kind in self.attributes.items():
            own = None
            if given.get(key) is not None:
                own = kind.parse(given[key], f"{path}.{key}", parsing)
            if own is not None:
                parsed[key] = own
            elif kind.field.required and parsing.is_complete:
                raise refuse(f"{path}.{key}", "is missing.")
        return parsed

    def sorted(self, parts: Sequence[Part]) -> list[Part]:
        return sorted(parts, key=_position)

    def identity(self, part: Part) -> Json:
        return {"start": part["start"], "end": part["end"], "label": part["label"]}

    def closeness(self, ours: Part, theirs: Part) -> Fraction:
        if ours["start"] >= theirs["end"] or theirs["start"] >= ours["end"]:
            return Fraction(0)
        return span_iou((ours["start"], ours["end"]), (theirs["start"], theirs["end"]))

    def credit(self, ours: Part, theirs: Part) -> float:
        """Return the share of the attributes that agree, of those that either side has."""
        shares = list(self._attribute_matches(ours, theirs))
        return sum(shares) / len(shares) if shares else 1.0

    def _attribute_matches(self, ours: Part, theirs: Part) -> Iterator[bool]:
        first, second = ours.get("attributes", {}), theirs.get("attributes", {})
        for key, kind in self.attributes.items():
            if key in first and key in second:
                yield kind.is_same(first[key], second[key])
            elif key in first or key in second:
                yield False

    def detail(self, ours: Part, theirs: Part) -> str:
        first, second = ours.get("attributes", {}), theirs.get("attributes", {})
        return ", ".join(
            f"{kind.field.label}: {_text(kind, second.get(key))} instead of "
            f"{_text(kind, first.get(key))}"
            for key, kind in self.attributes.items()
            if first.get(key) != second.get(key)
        )

    def side_text(self, part: Part, context: ItemContext) -> tuple[list[str], str]:
        labels = [self.label_texts.get(part["label"], part["label"])]
        labels += self._attribute_texts(part)
        return labels, context.span_text(part["start"], part["end"])

    def _attribute_texts(self, part: Part) -> list[str]:
        values = part.get("attributes", {})
        return [
            f"{kind.field.label}: {kind.text(values[key])}"
            for key, kind in self.attributes.items()
            if key in values
        ]

    def shown(self, part: Part, context: ItemContext) -> ShownUnit:
        (label, *attributes), text = self.side_text(part, context)
        span = (part["start"], part["end"])
        return ShownUnit(self.field.label, [f"{label}: {text}", *attributes], [span])

    def span_text(self, part: Part, context: ItemContext) -> str:
        """Return the words of a span."""
        return context.span_text(part["start"], part["end"])

    @cached_property
    def figures(self) -> Sequence[Figure]:
        field = self.field
        attributes = share_of(
            field,
            "attributes",
            "attributes",
            "Attributes that agree, of the spans with the same tokens and label.",
        )
        return (
            f1_of(field, "f1", "F1", "Spans with the same tokens and label as in the reference."),
            f1_of(field, "unlabelled", "unlabelled F1", "Spans with the same tokens."),
            f1_of(
                field,
                "iou",
                "F1 of overlapping spans",
                "Spans with the same label, matched one to one at an IoU of at least 0.5.",
            ),
            *([attributes] if self.attributes else []),
        )

    def part_measures(self, alignment: Alignment) -> tuple[dict[str, Json], Pairs]:
        exact = alignment.matched(_WHOLE, labelled=True)
        unlabelled = alignment.matched(_WHOLE, labelled=False)
        close = alignment.matched(HALF, labelled=True)
        measures = {
            f"{self.key}_f1": alignment.counts(exact),
            f"{self.key}_unlabelled": alignment.counts(unlabelled),
            f"{self.key}_iou": alignment.counts(close),
        }
        return measures, exact

    def compare(
        self,
        reference: Answers,
        predicted: Answers,
        decisions: Sequence[Any],
        compared: Mapping[str, FieldComparison],
        context: ItemContext | None,
    ) -> FieldComparison:
        result = super().compare(reference, predicted, decisions, compared, context)
        if self.attributes:
            result.measures[f"{self.key}_attributes"] = self._attribute_share(reference, predicted)
        return result

    def _attribute_share(self, reference: Answers, predicted: Answers) -> Json:
        theirs = {_position(part): part for part in self.parts(predicted)}
        matches = [
            is_equal
            for part in self.parts(reference)
            if (other := theirs.get(_position(part))) is not None
            for is_equal in self._attribute_matches(part, other)
        ]
        return {"correct": sum(matches), "total": len(matches)} if matches else NO_SHARE

    # Simulation

    def fits(self, part: Part, others: Sequence[Part], answers: Answers) -> bool:
        if self.field.overlap:
            return _position(part) not in {_position(other) for other in others}
        return not any(self.closeness(part, other) for other in others)

    def changed(self, part: Part, context: ItemContext, person: Person, rng: random.Random) -> Part:
        start, end, label = _position(part)
        low, high = text_range(self.definition, self.field.text, context)
        if person.errs(RATES.other_extent, rng):
            moves = [(start - 1, end), (start + 1, end), (start, end - 1), (start, end + 1)]
            start, end = rng.choice(
                [move for move in moves if low <= move[0] < move[1] <= high] or [(start, end)]
            )
        if person.errs(RATES.other_label, rng):
            label = other_of(list(self.label_texts), label, rng)
        changed = {"start": start, "end": end, "label": label}
        if not self.attributes:
            return changed
        attributes = {
            key: self.attributes[key].err({}, value, context, person, rng)
            for key, value in part.get("attributes", {}).items()
            if key in self.attributes
        }
        return {**changed, "attributes": attributes}

    def invented_part(self, answers: Answers, context: ItemContext, rng: random.Random) -> Part:
        low, high = text_range(self.definition, self.field.text, context)
        if low >= high:
            return None
        start = rng.randrange(low, high)
        return self._made_up(start, rng.choice(list(self.label_texts)), context)

    def invent(self, answers: Answers, context: ItemContext) -> Any:
        low, high = text_range(self.definition, self.field.text, context)
        starts = range(low, min(high, low + max(1, self.field.min)))
        label = next(iter(self.label_texts))
        return [self._made_up(start, label, context) for start in starts] or None

    def _made_up(self, start: int, label: str, context: ItemContext) -> Json:
        span = {"start": start, "end": start + 1, "label": label}
        if not self.attributes:
            return span
        attributes = {
            key: value
            for key, kind in self.attributes.items()
            if (value := kind.invent({}, context)) is not None
        }
        return {**span, "attributes": attributes}


def _position(part: Part) -> tuple[int, int, str]:
    return part["start"], part["end"], part["label"]


def _text(kind: ValueKind[Any], value: Any) -> str:
    return "nothing" if value is None else kind.text(value)
