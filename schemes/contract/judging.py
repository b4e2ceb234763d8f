"""Consolidation and validation: gold from several annotations of an item."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from schemes.contract.content import Total
from schemes.contract.items import ItemContext
from schemes.contract.values import Json


@dataclass(frozen=True, slots=True)
class Trace:
    """A retrospective analysis of a merge.

    `provenance` has one JSON object per unit of the result, with `source` and `unit` (the positions of
    its origin, or None) and `state`. `outcomes` has the counts of
    `Merging.outcomes` for each source, and `summary` counts the parts of the result.
    """

    provenance: list[Json]
    outcomes: list[Mapping[str, int]]
    summary: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Share:
    """The share of two outcomes, such as kept spans of all spans."""

    key: str
    label: str
    part: Sequence[str]
    whole: str


@dataclass(frozen=True, slots=True)
class JudgedUnit:
    """A unit of a source, by positions of source and unit, and its outcome.

    `state` is kept, edited, invalid or redundant, or "" if the unit was not judged. `into` is the unit
    of the result that replaces it, if its text differs.
    """

    source: int
    unit: int
    label: str
    values: Sequence[str]
    state: str = ""
    into: str = ""


def consolidation_method(generators: int) -> str:
    """Describe consolidation for a data card."""
    return (
        f"{generators} trained workers annotated each item independently. Another worker, who had "
        "annotated neither, merged their work into one annotation."
    )


def validation_method(validators: int, agree: int) -> str:
    """Describe validation for a data card."""
    return (
        f"One trained worker annotated each item. {validators} other workers judged the annotation, "
        f"and the gold has the units that at least {agree} of them found valid."
    )


def without_order(source: Json) -> Json:
    """Return the source with its lists of units, answers and boxes in a fixed order.

    Lists of numbers, such as spans, keep theirs.
    """
    return {name: _in_fixed_order(value) for name, value in source.items()}


def _in_fixed_order(value: Any) -> Any:
    if isinstance(value, dict):
        return without_order(value)
    if not isinstance(value, list | tuple):
        return value
    values = [_in_fixed_order(entry) for entry in value]
    has_numbers = any(isinstance(entry, int | float) for entry in values)
    return values if has_numbers else sorted(values, key=repr)


class UniteSources(Protocol):
    """Return all that any of several annotations has, without a decision between them."""

    def __call__(self, sources: Sequence[Json]) -> Json: ...


class Merging(Protocol):
    """Consolidation: one annotation made of several sources.

    A source is parsed content as `as_source` returns it. A consolidation is what `parse` returns.

    `rule` names the definitions of the figures and is stored with each of them. `summary` and
    `outcomes` (key, label) and `shares` describe merge reports. `union` is None if the scheme can't
    unite annotations.
    """

    rule: str
    summary: Sequence[tuple[str, str]] = ()
    outcomes: Sequence[tuple[str, str]] = ()
    shares: Sequence[Share] = ()

    @property
    def union(self) -> UniteSources | None:
        """Return the function that unites annotations, if there is one."""
        return None

    @abstractmethod
    def lay_out(self, sources: Sequence[Json], context: ItemContext) -> Json:
        """Align the sources for the consolidator's page."""

    @abstractmethod
    def parse(self, content: object, context: ItemContext, sources: Sequence[Json]) -> Json:
        """Return a consolidator's content as normalised JSON. Raise ContentError."""

    @abstractmethod
    def gold_of(self, consolidation: Json, sources: Sequence[Json]) -> tuple[Json, list[Json]]:
        """Return the gold and its provenance.

        The provenance has `{"source": position or None, "state": kept, edited or new}` per unit.
        """

    @abstractmethod
    def trace(self, consolidation: Json, sources: Sequence[Json]) -> Trace:
        """Return the origin of each unit of the result, and what became of each source."""

    @abstractmethod
    def judged(
        self, consolidation: Json | None, sources: Sequence[Json], context: ItemContext
    ) -> list[JudgedUnit]:
        """Return the sources' units with their outcomes, or without if there is no consolidation."""

    def as_source(self, content: Json) -> Json:
        """Return parsed content of any kind as a source.

        All sources have the same fields, so that none reveals its origin.
        """
        return dict(content)

    def keep_all(self, source: Json) -> Json:
        """Return a consolidation that keeps all of the only source, to start a correction from."""
        return dict(source)

    def method(self, generators: int) -> str:
        """Describe consolidation with this number of generators per item, for a data card."""
        return consolidation_method(generators)

    def comparable(self, source: Json) -> Json:
        """Return a value that is equal for sources that are the same annotation."""
        return without_order(source)


class Disputes(Protocol):
    """Return the parts of the source that fewer than `agree` validators support.

    The generator's page shows them on a revision. The object is empty if there are none.
    """

    def __call__(
        self, sources: Sequence[Json], validations: Sequence[Json], agree: int
    ) -> Json: ...


class Validating(Protocol):
    """Validation: gold computed from the judgments of several validators.

    `sources` has the only annotation that they judge. `Comparison.measure` accepts two validations as
    well. A list named `validators` in a provenance has positions of validators. Exports replace them
    by ids.

    `rule` names the definitions of the gold and is stored with it. `totals` are numbers in the
    provenance that exports add up. Verification needs `disputes`, which is None without it.
    """

    rule: str
    totals: Sequence[Total] = ()

    @property
    def disputes(self) -> Disputes | None:
        """Return the function that finds disputes, if the scheme supports verification."""
        return None

    @abstractmethod
    def asked(self, sources: Sequence[Json]) -> Json:
        """Return what the page shows: no answers and no annotators."""

    @abstractmethod
    def parse(self, content: object, context: ItemContext, sources: Sequence[Json]) -> Json:
        """Return a validator's content as normalised JSON. Raise ContentError."""

    @abstractmethod
    def gold_of(
        self, sources: Sequence[Json], validations: Sequence[Json], agree: int
    ) -> tuple[Json, list[Json]]:
        """Return the gold that at least `agree` validators support, and its provenance.

        The provenance has `{"source", "state", "valid", ...}` per unit, where `valid` counts the
        validators who support it.
        """

    @abstractmethod
    def is_empty(self, sources: Sequence[Json]) -> bool:
        """Return True if the sources leave nothing to validate."""

    @abstractmethod
    def same_verdicts(self, first: Json, second: Json) -> tuple[int, int]:
        """Return the numbers of equal verdicts and of all verdicts of two validations."""

    @abstractmethod
    def verdicts(self, content: Json) -> tuple[int, int]:
        """Return the numbers of valid verdicts and of all verdicts of a validation."""

    def method(self, validators: int, agree: int) -> str:
        """Describe validation, with these numbers of people, for a data card."""
        return validation_method(validators, agree)
