"""Consolidation and validation: gold from several annotations of an item."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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


@dataclass(frozen=True, slots=True)
class Merging:
    """Consolidation: one annotation made of several sources.

    `lay_out` aligns parsed sources for the page. `gold_of` returns gold and its provenance, which has
    `{"source": position or None, "state": kept, edited or new}` per unit. `as_source` returns parsed
    content of any kind as a source, all with the same fields, so that none reveals its origin.
    `keep_all` returns a consolidation that keeps all of one source, to start a correction from.
    `judged` returns the sources' units with their outcomes in a consolidation, or without outcomes if
    there is none. `summary` and `outcomes` (key, label) and `shares` describe merge reports.
    `method` returns sentences for data cards from the number of generators per item. `union` returns
    all that any of several annotations has, without a decision between them. Two sources are the same
    annotation if `comparable` returns equal values for them.
    """

    lay_out: Callable[[Sequence[Json], ItemContext], Json]
    parse: Callable[[object, ItemContext, Sequence[Json]], Json]
    gold_of: Callable[[Json, Sequence[Json]], tuple[Json, list[Json]]]
    trace: Callable[[Json, Sequence[Json]], Trace]
    judged: Callable[[Json | None, Sequence[Json], ItemContext], list[JudgedUnit]]
    rule: str
    as_source: Callable[[Json], Json] = dict
    keep_all: Callable[[Json], Json] = dict
    summary: Sequence[tuple[str, str]] = ()
    outcomes: Sequence[tuple[str, str]] = ()
    shares: Sequence[Share] = ()
    method: Callable[[int], str] = consolidation_method
    union: Callable[[Sequence[Json]], Json] | None = None
    comparable: Callable[[Json], Json] = without_order


@dataclass(frozen=True, slots=True)
class Validating:
    """Validation: gold computed from the judgments of several validators on one source.

    `asked` returns what the page shows: no answers and no annotators. `gold_of` returns gold that at
    least `agree` validators support, and its provenance: `{"source", "state", "valid", ...}` per unit,
    where `valid` counts the validators. `is_empty` is True for sources that leave nothing to
    validate. `same_verdicts` returns (equal verdicts, all verdicts) of two validations, and
    `verdicts` (valid, all) of a single one. `Comparison.measure` accepts two validations as well.

    A list named `validators` in a provenance has positions of validators. Exports replace them by
    ids. `method` returns sentences for data cards from the numbers of validators and of those who
    must agree. `totals` are numbers in the provenance that exports add up.

    Verification needs `disputes`. It returns the parts of the source that fewer than `agree`
    validators support, as the generator's page shows them on a revision, or an empty object.
    """

    asked: Callable[[Sequence[Json]], Json]
    parse: Callable[[object, ItemContext, Sequence[Json]], Json]
    gold_of: Callable[[Sequence[Json], Sequence[Json], int], tuple[Json, list[Json]]]
    is_empty: Callable[[Sequence[Json]], bool]
    same_verdicts: Callable[[Json, Json], tuple[int, int]]
    verdicts: Callable[[Json], tuple[int, int]]
    rule: str
    method: Callable[[int, int], str] = validation_method
    totals: Sequence[Total] = ()
    disputes: Callable[[Sequence[Json], Sequence[Json], int], Json] | None = None
