"""Fields with several parts, which are compared one by one."""

import json
import random
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from typing import Any, ClassVar, TypeVar

from schemes.contract.comparison import AlignedRow, RowDecision, RowSide
from schemes.contract.items import ItemContext
from schemes.contract.values import Json
from schemes.custom.alignment import Alignment, Pairs, f1_of_counts
from schemes.custom.definition import PartsField
from schemes.custom.error_rates import RATES
from schemes.custom.kinds.base import Answers, FieldComparison, Kind, Part
from schemes.custom.row_states import row_label
from schemes.simulated_person import Person

PartsType = TypeVar("PartsType", bound=PartsField)
HALF = Fraction(1, 2)


class PartsKind(Kind[PartsType]):
    """A field whose value is a list of parts.

    Rows join parts with a closeness of at least `threshold`, and those of at least `same_extent` count
    as the same extent there.
    """

    threshold: ClassVar[Fraction] = HALF
    same_extent: ClassVar[Fraction] = Fraction(1)

    def parts(self, answers: Answers) -> list[Part]:
        return list(answers.get(self.key, ()))

    def join(self, parts: Sequence[Part], answers: Answers) -> Any:
        return self.sorted(parts) or None

    def sorted(self, parts: Sequence[Part]) -> list[Part]:
        """Return the parts in the order in which they are stored."""
        return list(parts)

    @abstractmethod
    def identity(self, part: Part) -> Json:
        """Return what identifies a part within its field."""

    @abstractmethod
    def closeness(self, ours: Part, theirs: Part) -> Fraction:
        """Return how close the extents of two parts are, from 0 to 1."""

    @abstractmethod
    def side_text(self, part: Part, context: ItemContext) -> tuple[list[str], str]:
        """Return the labels of a part and the text that they describe."""

    def same_label(self, ours: Part, theirs: Part) -> bool:
        return bool(ours.get("label") == theirs.get("label"))

    def credit(self, ours: Part, theirs: Part) -> float:
        """Return the credit for a matched part, from 0 to 1."""
        return 1.0

    def detail(self, ours: Part, theirs: Part) -> str:
        """Describe the difference of two matched parts, or return ""."""
        return ""

    def is_related(self, first: Part, second: Part) -> bool:
        return bool(self.closeness(first, second))

    def part_key(self, part: Part) -> str:
        """Return the key of a part in decisions."""
        identity = json.dumps(self.identity(part), ensure_ascii=False, sort_keys=True)
        digest = sha256(identity.encode("utf-8", "replace")).hexdigest()[:16]
        return f"{self.key}:{digest}"

    @abstractmethod
    def part_measures(self, alignment: Alignment) -> tuple[dict[str, Json], Pairs]:
        """Return the measures, and the pairs of the main one."""

    def kept_pairs(self, alignment: Alignment) -> Pairs:
        """Return the pairs by which parts are paid, without the effect of labels that differ."""
        return alignment.matched(self.threshold, labelled=True)

    def compare(
        self,
        reference: Answers,
        predicted: Answers,
        decisions: Sequence[RowDecision],
        compared: Mapping[str, FieldComparison],
        context: ItemContext | None,
    ) -> FieldComparison:
        ours, theirs = self.parts(reference), self.parts(predicted)
        alignment = self.alignment(ours, theirs, reference, predicted, compared)
        alignment.decide(decisions)
        measures, pairs = self.part_measures(alignment)
        kept = self.kept_pairs(alignment)
        return FieldComparison(
            score=self._score(alignment, pairs, ours, theirs),
            measures=measures,
            rows=self._rows(alignment, ours, theirs, context) if context else [],
            kept=len(kept),
            pairs=kept,
        )

    def alignment(
        self,
        ours: Sequence[Part],
        theirs: Sequence[Part],
        reference: Answers,
        predicted: Answers,
        compared: Mapping[str, FieldComparison],
    ) -> Alignment:
        """Return the parts of both sides, ready to be matched."""
        return Alignment(
            ours=[self.part_key(part) for part in ours],
            theirs=[self.part_key(part) for part in theirs],
            closeness=lambda here, there: self.closeness(ours[here], theirs[there]),
            same_label=lambda here, there: self.same_label(ours[here], theirs[there]),
        )

    def _score(
        self, alignment: Alignment, pairs: Pairs, ours: Sequence[Part], theirs: Sequence[Part]
    ) -> float | None:
        """Return the F1 in which a pair counts by its credit, or None without parts."""
        counts = alignment.counts(pairs)
        if f1_of_counts(counts) is None:
            return None
        credits = sum(
            1.0 if alignment.forced.get(here) == there else self.credit(ours[here], theirs[there])
            for here, there in pairs.items()
        )
        return float(2 * credits / (2 * counts["tp"] + counts["fp"] + counts["fn"]))

    def _rows(
        self,
        alignment: Alignment,
        ours: Sequence[Part],
        theirs: Sequence[Part],
        context: ItemContext,
    ) -> list[AlignedRow]:
        pairs = alignment.matched(self.threshold, labelled=False, prefers_labels=True)
        rows = []
        for here, part in enumerate(ours):
            side = self._side(part, context)
            if here not in pairs:
                rows.append(_row("missed", side, None, ("pair-accepted",)))
                continue
            other = theirs[pairs[here]]
            state = "approved" if here in alignment.forced else self._state(part, other)
            possible = ("pair-refused",) if state in ("found", "approved") else _UNEQUAL
            detail = self.detail(part, other)
            rows.append(_row(state, side, self._side(other, context), possible, detail))
        matched = set(pairs.values())
        for there, part in enumerate(theirs):
            if there in matched:
                continue
            is_accepted = there in alignment.left_out
            state = "approved" if is_accepted else "extra"
            decisions = () if is_accepted else ("part-accepted",)
            rows.append(_row(state, None, self._side(part, context), decisions))
        return rows

    def _state(self, ours: Part, theirs: Part) -> str:
        if not self.same_label(ours, theirs):
            return "label-differs"
        if self.closeness(ours, theirs) < self.same_extent:
            return "extent-differs"
        return "found" if self.credit(ours, theirs) == 1 else "label-differs"

    def _side(self, part: Part, context: ItemContext) -> RowSide:
        labels, text = self.side_text(part, context)
        boxes = [part["box"]] if "box" in part else []
        return RowSide(self.part_key(part), labels, text, boxes, self.key)

    # Simulation

    def err(
        self, answers: Answers, value: Any, context: ItemContext, person: Person, rng: random.Random
    ) -> Any:
        """Miss, change and invent parts. Changes that would make an invalid value are left out."""
        if person.is_exact():
            return value
        parts = self.parts({**answers, self.key: value} if value else answers)
        result: list[Part] = []
        left = len(parts)
        for part in parts:
            left -= 1
            if len(result) + left >= self.field.min and person.misses(RATES.missed_part, rng):
                continue
            changed = self.changed(part, context, person, rng)
            others = [*result, *parts[len(parts) - left :]]
            result.append(changed if self.fits(changed, others, answers) else part)
        if len(result) < self.field.max and person.invents(RATES.invented_part, rng):
            invented = self.invented_part(answers, context, rng)
            if invented is not None and self.fits(invented, result, answers):
                result.append(invented)
        return self.join(result, answers)

    @abstractmethod
    def fits(self, part: Part, others: Sequence[Part], answers: Answers) -> bool:
        """Return True if a part may stand beside others."""

    @abstractmethod
    def changed(self, part: Part, context: ItemContext, person: Person, rng: random.Random) -> Part:
        """Return a part with a person's errors."""

    @abstractmethod
    def invented_part(self, answers: Answers, context: ItemContext, rng: random.Random) -> Part:
        """Return a made-up part, or None."""

    @cached_property
    def label_texts(self) -> dict[str, str]:
        return {label.key: label.label for label in getattr(self.field, "labels", ())}

    def names(self, part: Part) -> list[str]:
        return [self.label_texts.get(part["label"], part["label"])] if "label" in part else []


_UNEQUAL = ("match-accepted", "pair-refused")


def _row(
    state: str,
    reference: RowSide | None,
    predicted: RowSide | None,
    decisions: Sequence[str],
    detail: str = "",
) -> AlignedRow:
    return AlignedRow(
        state=state,
        label=row_label(state),
        reference=reference,
        predicted=predicted,
        detail=detail,
        decisions=decisions,
    )
