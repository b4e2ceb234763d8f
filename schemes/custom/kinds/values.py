"""Fields with a single value: a choice, choices, a rating, a number, a text, or the better text."""

import math
import random
import unicodedata
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

from schemes.content_models import clean_text
from schemes.contract.comparison import AlignedRow, RowDecision, RowSide
from schemes.contract.errors import ContentError
from schemes.contract.items import ItemContext
from schemes.contract.pages import ShownUnit
from schemes.contract.values import Json
from schemes.custom.checks import TIE
from schemes.custom.definition import (
    ChoiceField,
    ChoicesField,
    Field,
    NumberField,
    PairwiseField,
    RatingField,
    TextField,
)
from schemes.custom.error_rates import RATES
from schemes.custom.figures import NO_PAIRS, NO_SHARE, coefficient_of, f1_of, share_of
from schemes.custom.kinds.base import (
    Answers,
    FieldComparison,
    Kind,
    Parsing,
    check_count,
    checked_key,
    checked_list,
    checked_whole,
    refuse,
)
from schemes.custom.patterns import matches
from schemes.custom.row_states import row_label
from schemes.custom.shape import MAX_NUMBER
from schemes.figures import Figure
from schemes.simulated_person import Person

ValueField = TypeVar("ValueField", bound=Field)


class ValueKind(Kind[ValueField]):
    """A field whose only part is its value."""

    def parts(self, answers: Answers) -> list[Any]:
        return [answers[self.key]] if self.key in answers else []

    def join(self, parts: Sequence[Any], answers: Answers) -> Any:
        return parts[0] if parts else None

    def shown(self, part: Any, context: ItemContext) -> ShownUnit:
        return ShownUnit(self.field.label, [self.text(part)])

    def text(self, value: Any) -> str:
        """Return a value as people read it."""
        return str(value)

    def is_same(self, reference: Any, predicted: Any) -> bool:
        return bool(reference == predicted)

    def closeness(self, reference: Any, predicted: Any) -> float:
        """Return the score of a value, from 0 to 1."""
        return float(self.is_same(reference, predicted))

    @abstractmethod
    def measures(self, reference: Any, predicted: Any) -> dict[str, Json]:
        """Return the measures of a field that one side has at least. The other may be None."""

    @property
    @abstractmethod
    def no_measures(self) -> dict[str, Json]:
        """Return the measures of a field that both sides lack."""

    def compare(
        self,
        reference: Answers,
        predicted: Answers,
        decisions: Sequence[RowDecision],
        compared: Mapping[str, FieldComparison],
        context: ItemContext | None,
    ) -> FieldComparison:
        ours, theirs = reference.get(self.key), predicted.get(self.key)
        for decision in decisions:
            if decision.kind != "value-accepted" or theirs is None:
                raise ValueError(
                    f"a decision {decision.kind!r} does not fit {decision.predicted!r}"
                )
        is_accepted = bool(decisions)
        counted = ours if is_accepted else theirs
        if ours is None and counted is None:
            row = [self._row("approved", ours, theirs)] if is_accepted and context else []
            return FieldComparison(None, self.no_measures, row)
        is_kept = ours is not None and counted is not None and self.is_same(ours, counted)
        if is_accepted:
            state = "approved"
        elif counted is None:
            state = "missed"
        elif ours is None:
            state = "extra"
        else:
            state = "found" if is_kept else "label-differs"
        missing = ours is None or counted is None
        return FieldComparison(
            score=0.0 if missing else self.closeness(ours, counted),
            measures=self.measures(ours, counted),
            rows=[self._row(state, ours, theirs)] if context else [],
            kept=int(is_kept),
        )

    def _row(self, state: str, ours: Any, theirs: Any) -> AlignedRow:
        return AlignedRow(
            state=state,
            label=row_label(state),
            reference=self._side(ours),
            predicted=self._side(theirs),
            decisions=("value-accepted",) if state in ("label-differs", "extra") else (),
        )

    def _side(self, value: Any) -> RowSide | None:
        if value is None:
            return None
        return RowSide(f"{self.key}:value", [self.text(value)], self.field.label, group=self.key)

    def err(
        self, answers: Answers, value: Any, context: ItemContext, person: Person, rng: random.Random
    ) -> Any:
        if value is None or not person.errs(RATES.other_value, rng):
            return value
        return self.other(value, context, rng)

    @abstractmethod
    def other(self, value: Any, context: ItemContext, rng: random.Random) -> Any:
        """Return a wrong value, or the same if there is no other."""


class _LabelKind(ValueKind[ValueField]):
    """A field whose value is one of a few, with accuracy and agreement."""

    scale = "alpha"

    @cached_property
    def figures(self) -> Sequence[Figure]:
        field = self.field
        return (
            share_of(field, "accuracy", "accuracy", "Items with the reference's answer."),
            coefficient_of(field, self.scale),  # type: ignore[arg-type]
        )

    @property
    def no_measures(self) -> dict[str, Json]:
        return {f"{self.key}_accuracy": NO_SHARE, f"{self.key}_alpha": NO_PAIRS}

    def measures(self, reference: Any, predicted: Any) -> dict[str, Json]:
        is_right = None not in (reference, predicted) and self.is_same(reference, predicted)
        return {
            f"{self.key}_accuracy": {"correct": int(is_right), "total": 1},
            f"{self.key}_alpha": pairs_of(reference, predicted),
        }


def pairs_of(reference: Any, predicted: Any) -> Json:
    """Return the measure of a coefficient. Answers that one side lacks are no pair."""
    return {"pairs": [] if None in (reference, predicted) else [[reference, predicted]]}


class ChoiceKind(_LabelKind[ChoiceField]):
    """One of the options."""

    @cached_property
    def _texts(self) -> dict[str, str]:
        return {leaf.key: leaf.label for leaf in self.field.leaves}

    def parse(self, value: object, path: str, parsing: Parsing) -> str:
        return checked_key(value, path, self._texts)

    def text(self, value: Any) -> str:
        return self._texts.get(value, str(value))

    def names(self, part: Any) -> list[str]:
        return [self.text(part)]

    @cached_property
    def figures(self) -> Sequence[Figure]:
        accuracy, alpha = super().figures
        return (accuracy, coefficient_of(self.field, "kappa"), alpha)

    @property
    def no_measures(self) -> dict[str, Json]:
        return {**super().no_measures, f"{self.key}_kappa": NO_PAIRS}

    def measures(self, reference: Any, predicted: Any) -> dict[str, Json]:
        own = super().measures(reference, predicted)
        return {**own, f"{self.key}_kappa": pairs_of(reference, predicted)}

    def other(self, value: Any, context: ItemContext, rng: random.Random) -> Any:
        return other_of(list(self._texts), value, rng)

    def invent(self, answers: Answers, context: ItemContext) -> Any:
        return next(iter(self._texts))


class ChoicesKind(ValueKind[ChoicesField]):
    """Several of the options, in their order."""

    @cached_property
    def _texts(self) -> dict[str, str]:
        return {leaf.key: leaf.label for leaf in self.field.leaves}

    def parse(self, value: object, path: str, parsing: Parsing) -> list[str] | None:
        keys = [
            checked_key(key, f"{path}.{at}", self._texts)
            for at, key in enumerate(checked_list(value, path, len(self._texts)))
        ]
        if len(set(keys)) < len(keys):
            raise refuse(path, "has an option twice.")
        if keys or self.field.required:
            check_count(len(keys), self.field, path, is_complete=parsing.is_complete)
        return [key for key in self._texts if key in keys] or None

    def text(self, value: Any) -> str:
        return ", ".join(self._texts.get(key, str(key)) for key in value)

    def names(self, part: Any) -> list[str]:
        return [self._texts.get(key, str(key)) for key in part]

    @cached_property
    def figures(self) -> Sequence[Figure]:
        explanation = "The reference's options, and those chosen, summed over the items."
        return (
            f1_of(self.field, "f1", "F1", explanation),
            coefficient_of(self.field, "masi"),
        )

    @property
    def no_measures(self) -> dict[str, Json]:
        return self.measures(None, None)

    def measures(self, reference: Any, predicted: Any) -> dict[str, Json]:
        ours, theirs = set(reference or ()), set(predicted or ())
        common = len(ours & theirs)
        counts = {"tp": common, "fp": len(theirs) - common, "fn": len(ours) - common}
        return {
            f"{self.key}_f1": counts,
            f"{self.key}_alpha": pairs_of(reference, predicted),
        }

    def closeness(self, reference: Any, predicted: Any) -> float:
        common, both = len(set(reference) & set(predicted)), len(reference) + len(predicted)
        return float(2 * common / both)

    def other(self, value: Any, context: ItemContext, rng: random.Random) -> Any:
        unused = [key for key in self._texts if key not in value]
        kept = set(value)
        if len(kept) > max(1, self.field.min) and (rng.random() < 0.5 or not unused):
            kept.remove(rng.choice(value))
        elif unused:
            if len(kept) >= self.field.max or rng.random() < 0.5:
                kept.remove(rng.choice(value))
            kept.add(rng.choice(unused))
        return [key for key in self._texts if key in kept]

    def invent(self, answers: Answers, context: ItemContext) -> Any:
        return list(self._texts)[: max(1, self.field.min)]


class RatingKind(_LabelKind[RatingField]):
    """A whole number on a scale."""

    @property
    def scale(self) -> str:  # type: ignore[override]
        return self.field.scale

    def parse(self, value: object, path: str, parsing: Parsing) -> int:
        rating = checked_whole(value, path)
        if not self.field.min <= rating <= self.field.max:
            raise refuse(
                path, "must be from %(min)s to %(max)s.", min=self.field.min, max=self.field.max
            )
        return rating

    def closeness(self, reference: Any, predicted: Any) -> float:
        return float(1 - abs(reference - predicted) / (self.field.max - self.field.min))

    def names(self, part: Any) -> list[str]:
        return [str(part)]

    def other(self, value: Any, context: ItemContext, rng: random.Random) -> Any:
        near = [value - 1, value + 1]
        return rng.choice([step for step in near if self.field.min <= step <= self.field.max])

    def invent(self, answers: Answers, context: ItemContext) -> Any:
        return (self.field.min + self.field.max) // 2


class NumberKind(_LabelKind[NumberField]):
    """A number within limits."""

    scale = "interval"

    def parse(self, value: object, path: str, parsing: Parsing) -> float:
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise refuse(path, "must be a number.")
        if not abs(value) <= MAX_NUMBER:  # also NaN
            raise refuse(path, "is not a number that can be stored.")
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if self.field.integer and not isinstance(value, int):
            raise refuse(path, "must be a whole number.")
        if self.field.min is not None and value < self.field.min:
            raise refuse(path, "must be at least %(ge)s.", ge=self.field.min)
        if self.field.max is not None and value > self.field.max:
            raise refuse(path, "must be at most %(le)s.", le=self.field.max)
        return value

    def other(self, value: Any, context: ItemContext, rng: random.Random) -> Any:
        near = [number for number in (value - 1, value + 1) if self._fits(number)]
        return rng.choice(near) if near else value

    def invent(self, answers: Answers, context: ItemContext) -> Any:
        if self.field.min is not None:
            lowest = math.ceil(self.field.min)
            return lowest if self._fits(lowest) else self.field.min
        return 0 if self._fits(0) else math.floor(self.field.max or 0)

    def _fits(self, number: float) -> bool:
        lowest = -MAX_NUMBER if self.field.min is None else self.field.min
        return lowest <= number <= (MAX_NUMBER if self.field.max is None else self.field.max)


class TextKind(ValueKind[TextField]):
    """A text that the worker writes."""

    def parse(self, value: object, path: str, parsing: Parsing) -> str | None:
        if not isinstance(value, str):
            raise refuse(path, "must be a text.")
        if len(value) > 4 * self.field.max_length:
            raise self._too_long(path)
        text = self._normalized(value, path)
        if len(text) > self.field.max_length:
            raise self._too_long(path)
        if text and self.field.pattern and not matches(self.field.pattern, text):
            raise refuse(path, "does not have the form that is asked for.")
        return text or None

    def _too_long(self, path: str) -> ContentError:
        message = "is too long; at most %(max_length)s characters are taken."
        return refuse(path, message, max_length=self.field.max_length)

    def _normalized(self, value: str, path: str) -> str:
        lines = value.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        cleaned = [clean_text(line, path) for line in lines]
        text = ("\n" if self.field.lines > 1 else " ").join(cleaned)
        return unicodedata.normalize("NFC", text).strip()

    @cached_property
    def figures(self) -> Sequence[Figure]:
        explanation = "Items with the reference's text, apart from case and blanks."
        return (share_of(self.field, "equality", "equality", explanation),)

    @property
    def no_measures(self) -> dict[str, Json]:
        return {f"{self.key}_equality": NO_SHARE}

    def measures(self, reference: Any, predicted: Any) -> dict[str, Json]:
        is_right = None not in (reference, predicted) and self.is_same(reference, predicted)
        return {f"{self.key}_equality": {"correct": int(is_right), "total": 1}}

    def is_same(self, reference: Any, predicted: Any) -> bool:
        return folded(reference) == folded(predicted)

    def other(self, value: Any, context: ItemContext, rng: random.Random) -> Any:
        """Return the text without a word, if the pattern allows that."""
        words = value.split()
        if len(words) < 2:
            return value
        dropped = rng.randrange(len(words))
        shorter = " ".join(words[:dropped] + words[dropped + 1 :])
        is_fit = not self.field.pattern or matches(self.field.pattern, shorter)
        return shorter if is_fit else value

    def invent(self, answers: Answers, context: ItemContext) -> Any:
        text = " ".join(context.tokens[:3])[: self.field.max_length].strip() or "text"
        text = unicodedata.normalize("NFC", text)[: self.field.max_length].strip()
        if self.field.pattern:
            known = [text, "a", "A", "1", "0", "text", "yes"]
            return next((word for word in known if matches(self.field.pattern, word)), None)
        return text


def folded(text: str) -> str:
    """Return a text without differences of case, blanks and compatible characters."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


class PairwiseKind(_LabelKind[PairwiseField]):
    """The better of two texts."""

    @cached_property
    def _texts(self) -> dict[str, str]:
        texts = {key: self.definition.text(key).label for key in self.field.between}
        return {**texts, **({TIE: "Both alike"} if self.field.tie else {})}

    def parse(self, value: object, path: str, parsing: Parsing) -> str:
        return checked_key(value, path, self._texts)

    def text(self, value: Any) -> str:
        return self._texts.get(value, str(value))

    def names(self, part: Any) -> list[str]:
        return [self.text(part)]

    def other(self, value: Any, context: ItemContext, rng: random.Random) -> Any:
        return other_of(list(self._texts), value, rng)

    def invent(self, answers: Answers, context: ItemContext) -> Any:
        return self.field.between[0]


def other_of(keys: Sequence[str], value: str, rng: random.Random) -> str:
    """Return another key, or the same if it is the only one."""
    return rng.choice([key for key in keys if key != value] or [value])
