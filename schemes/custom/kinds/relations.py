"""Labelled relations between spans of another field."""

import random
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from schemes.contract.items import ItemContext
from schemes.contract.pages import ShownUnit
from schemes.contract.values import Json, Noun
from schemes.custom.alignment import Alignment, Pairs
from schemes.custom.definition import RelationLabel, RelationsField
from schemes.custom.error_rates import RATES
from schemes.custom.figures import f1_of
from schemes.custom.kinds.base import (
    Answers,
    FieldComparison,
    Parsing,
    Part,
    check_count,
    checked_key,
    checked_list,
    checked_object,
    checked_whole,
    refuse,
)
from schemes.custom.kinds.parts import HALF, PartsKind
from schemes.figures import Figure
from schemes.simulated_person import Person

_SIDES = ("from", "to")


class RelationsKind(PartsKind[RelationsField]):
    """Labelled relations between spans.

    A part has the spans themselves, without their attributes: `{"label", "from": span, "to": span}`.
    """

    noun = Noun("relation", "relations")

    @cached_property
    def _labels(self) -> dict[str, RelationLabel]:
        return {label.key: label for label in self.field.labels}

    def parse(self, value: object, path: str, parsing: Parsing) -> list[Json] | None:
        spans = parsing.answers.get(self.field.spans, [])
        order = parsing.orders.get(self.field.spans, [])
        rows = [
            self._parsed(row, f"{path}.{at}", spans, order)
            for at, row in enumerate(checked_list(value, path, self.field.max))
        ]
        seen: set[tuple[int, int, str]] = set()
        for at, row in enumerate(rows):
            if _sort_key(row) in seen:
                raise refuse(f"{path}.{at}", "is there twice.")
            seen.add(_sort_key(row))
        if rows or self.field.required:
            check_count(len(rows), self.field, path, is_complete=parsing.is_complete)
        return sorted(rows, key=_sort_key) or None

    def _parsed(self, row: object, path: str, spans: Sequence[Json], order: Sequence[int]) -> Json:
        relation = checked_object(row, path, ("label", "from", "to"))
        label = self._labels[checked_key(relation.get("label"), f"{path}.label", self._labels)]
        ends = {}
        for side, allowed in zip(_SIDES, (label.from_labels, label.to_labels), strict=True):
            at = checked_whole(relation.get(side), f"{path}.{side}")
            if not 0 <= at < len(order):
                raise refuse(
                    f"{path}.{side}",
                    "there is no span %(number)s in %(field)s.",
                    number=at,
                    field=repr(self.field.spans),
                )
            ends[side] = order[at]
            if allowed and spans[order[at]]["label"] not in allowed:
                raise refuse(
                    f"{path}.{side}",
                    "must be a span with the label %(labels)s.",
                    labels=" / ".join(allowed),
                )
        if ends["from"] == ends["to"]:
            raise refuse(f"{path}.to", "must be another span than from.")
        return {"label": label.key, **ends}

    def parts(self, answers: Answers) -> list[Part]:
        spans = answers.get(self.field.spans, [])
        return [
            {
                "label": relation["label"],
                "from": _bare(spans[relation["from"]]),
                "to": _bare(spans[relation["to"]]),
            }
            for relation in answers.get(self.key, [])
        ]

    def join(self, parts: Sequence[Part], answers: Answers) -> Any:
        spans = [_bare(span) for span in answers.get(self.field.spans, [])]
        rows = [
            {"label": part["label"], **{side: spans.index(part[side]) for side in _SIDES}}
            for part in parts
            if all(part[side] in spans for side in _SIDES)
        ]
        return sorted(rows, key=_sort_key) or None

    def identity(self, part: Part) -> Json:
        return dict(part)

    def closeness(self, ours: Part, theirs: Part) -> Fraction:
        return Fraction(int(all(_touch(ours[side], theirs[side]) for side in _SIDES)))

    def side_text(self, part: Part, context: ItemContext) -> tuple[list[str], str]:
        words = [context.span_text(part[side]["start"], part[side]["end"]) for side in _SIDES]
        return [self.label_texts.get(part["label"], part["label"])], " → ".join(words)

    def shown(self, part: Part, context: ItemContext) -> ShownUnit:
        (label,), text = self.side_text(part, context)
        spans = [(part[side]["start"], part[side]["end"]) for side in _SIDES]
        return ShownUnit(self.field.label, [f"{label}: {text}"], spans)

    @cached_property
    def figures(self) -> Sequence[Figure]:
        explanation = (
            "Relations with the same label, between spans with the same label that match at an IoU of "
            "at least 0.5."
        )
        return (f1_of(self.field, "f1", "F1", explanation),)

    def part_measures(self, alignment: Alignment) -> tuple[dict[str, Json], Pairs]:
        pairs = alignment.matched(HALF, labelled=True)
        return {f"{self.key}_f1": alignment.counts(pairs)}, pairs

    def alignment(
        self,
        ours: Sequence[Part],
        theirs: Sequence[Part],
        reference: Answers,
        predicted: Answers,
        compared: Mapping[str, FieldComparison],
    ) -> Alignment:
        """Match relations by the pairs of their spans, which are in `compared`."""
        spans = compared[self.field.spans].pairs
        first, second = reference.get(self.key, []), predicted.get(self.key, [])

        def closeness(here: int, there: int) -> Fraction:
            ends = all(spans.get(first[here][side]) == second[there][side] for side in _SIDES)
            return Fraction(int(ends))

        alignment = super().alignment(ours, theirs, reference, predicted, compared)
        alignment.closeness = closeness
        return alignment

    def _state(self, ours: Part, theirs: Part) -> str:
        # Only relations with the same spans are in a pair.
        return "found" if self.same_label(ours, theirs) else "label-differs"

    # Simulation

    def err(
        self, answers: Answers, value: Any, context: ItemContext, person: Person, rng: random.Random
    ) -> Any:
        """Return the relations whose spans the person found, with errors.

        `value` has the relations as parts, because the person's spans have other positions.
        """
        spans = [_bare(span) for span in answers.get(self.field.spans, [])]
        known = [part for part in value or () if all(part[side] in spans for side in _SIDES)]
        joined = self.join(known, answers)
        return super().err(answers, joined, context, person, rng)

    def fits(self, part: Part, others: Sequence[Part], answers: Answers) -> bool:
        return part not in others and self._is_allowed(part)

    def _is_allowed(self, part: Part) -> bool:
        label = self._labels[part["label"]]
        return all(
            not allowed or part[side]["label"] in allowed
            for side, allowed in zip(_SIDES, (label.from_labels, label.to_labels), strict=True)
        )

    def changed(self, part: Part, context: ItemContext, person: Person, rng: random.Random) -> Part:
        if not person.errs(RATES.other_label, rng):
            return part
        others = [
            changed
            for label in self._labels
            if label != part["label"] and self._is_allowed(changed := {**part, "label": label})
        ]
        return rng.choice(others or [part])

    def invented_part(self, answers: Answers, context: ItemContext, rng: random.Random) -> Part:
        parts = list(self._possible(answers))
        return rng.choice(parts) if parts else None

    def invent(self, answers: Answers, context: ItemContext) -> Any:
        return self.join(list(self._possible(answers))[: max(1, self.field.min)], answers)

    def _possible(self, answers: Answers) -> Iterator[Part]:
        """Yield the relations that the first spans can have."""
        spans = [_bare(span) for span in answers.get(self.field.spans, [])][:20]
        for label in self._labels:
            for first in spans:
                for second in spans:
                    part = {"label": label, "from": first, "to": second}
                    if first != second and self._is_allowed(part):
                        yield part


def _bare(span: Json) -> Json:
    return {name: span[name] for name in ("start", "end", "label")}


def _touch(first: Json, second: Json) -> bool:
    return bool(first["start"] < second["end"] and second["start"] < first["end"])


def _sort_key(relation: Json) -> tuple[int, int, str]:
    return relation["from"], relation["to"], relation["label"]
