"""Comparison with a reference."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from schemes.contract.items import ItemContext
from schemes.contract.values import Box, Json
from schemes.figures import Figure


@dataclass(frozen=True, slots=True)
class RowSide:
    """One side of an aligned row.

    `key` identifies it in decisions. `labels` are texts such as class names, and `value` is the text
    that they describe. `boxes` are those that it has in the image. Sides of different groups can't be
    paired.
    """

    key: str
    labels: Sequence[str]
    value: str = ""
    boxes: Sequence[Box] = ()
    group: str = ""


@dataclass(frozen=True, slots=True)
class AlignedRow:
    """A row of a comparison, as pages show it.

    `state` is one of ROW_STATES. `label` names the result, and `detail` describes a difference.
    `decisions` are the kinds of decisions that are possible on this row alone.
    """

    state: str
    label: str
    reference: RowSide | None
    predicted: RowSide | None
    detail: str = ""
    decisions: Sequence[str] = ()


# Matched exactly, matched with another extent, matched with another label, only in the reference,
# only in the prediction, repeated in the prediction without a cost, and accepted by a person.
ROW_STATES = (
    "found",
    "extent-differs",
    "label-differs",
    "missed",
    "extra",
    "redundant",
    "approved",
)


@dataclass(frozen=True, slots=True)
class StateText:
    """The label of a row state, and its explanation for workers."""

    label: str
    explanation: str


@dataclass(frozen=True, slots=True)
class Compared:
    """An annotation compared with a reference.

    `measures` has a JSON value per figure (see `schemes.figures`). `rows` are in display order.
    """

    measures: Mapping[str, Json]
    rows: Sequence[AlignedRow]


@dataclass(frozen=True, slots=True)
class DecisionKind:
    """A person's decision on aligned rows.

    A kind with `pairs` joins a missed row with an unmatched one of the prediction. `about` groups
    kinds that replace each other.
    """

    key: str
    label: str
    action: str
    about: str
    pairs: bool = False


@dataclass(frozen=True, slots=True)
class RowDecision:
    """A decision on the sides of a row, by their keys.

    `reference` is None for a decision on the prediction alone.
    """

    kind: str
    reference: str | None
    predicted: str


@dataclass(frozen=True, slots=True)
class AnswerCategory:
    """A category of an error analysis, which a person gives to a part of a prediction.

    `shortcut` is the letter that chooses it. Parts of a category that `is_correct` count as right,
    although the reference lacks them. Those of one that `is_repeat` count neither as right nor as wrong.
    """

    key: str
    label: str
    explanation: str
    shortcut: str
    is_correct: bool = False
    is_repeat: bool = False


CORRECT = AnswerCategory(
    "correct", "Correct", "The reference should have it.", "c", is_correct=True
)


REPEATED = AnswerCategory(
    "redundant", "Redundant", "It repeats another part of the annotation.", "r", is_repeat=True
)


WRONG = AnswerCategory("wrong", "Wrong", "It is not correct.", "w")
CATEGORIES: Sequence[AnswerCategory] = (CORRECT, REPEATED, WRONG)


class Comparison(Protocol):
    """Comparison with a reference.

    `figures` are declared figures, the main one first. `rule` names their definitions and is stored
    with each result. A changed definition gets a new name. `states` has the texts of the row states
    that occur, `decisions` the kinds of decisions that people make about rows, and `categories` those
    of error analyses. `value_texts` are the values of sides that are texts of the scheme, which pages
    translate, and not of the annotation.

    `round_thresholds` maps the round numbers of a training preset to values by figure that suggest
    a pass. Other keys are `units_per_item` and `seconds_per_item`.
    """

    figures: Sequence[Figure]
    rule: str
    states: Mapping[str, StateText]
    decisions: Sequence[DecisionKind] = ()
    round_thresholds: Mapping[int, Mapping[str, float]] = {}
    categories: Sequence[AnswerCategory] = CATEGORIES
    value_texts: Sequence[str] = ()

    @abstractmethod
    def compare(
        self,
        reference: Json,
        predicted: Json,
        context: ItemContext,
        decisions: Iterable[RowDecision] = (),
    ) -> Compared:
        """Compare a prediction with a reference. `decisions` override automatic matches.

        Raise ValueError for a decision about an unknown row and for contradicting decisions.
        """

    @abstractmethod
    def measure(
        self,
        reference: Json,
        predicted: Json,
        target: Json,
        decisions: Iterable[RowDecision] = (),
    ) -> Mapping[str, Json]:
        """Return the measures of a comparison without its rows, by figure. `target` is the item's."""

    @abstractmethod
    def count_kept(self, reference: Json, predicted: Json) -> int:
        """Return how many paid units of the predicted content the reference has.

        Paid units are those of `Content.count_units`. A unit of the reference counts once, so that
        repeats are not kept.
        """

    def hints(self, compared: Compared, context: ItemContext) -> list[tuple[str, str]]:
        """Return likely remarks on the rows as pairs of an error code and a sentence."""
        return []

    def section(self, code: str, role: str) -> str:
        """Return the anchor of the guidelines' section about an error code, or ""."""
        return ""
