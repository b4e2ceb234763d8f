"""Whether matched rows of a comparison mean the same, beyond the scheme's automatic rule."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from schemes.contract.values import Json


@dataclass(frozen=True, slots=True)
class LabelPair:
    """A matched pair of a comparison, by the keys of its sides.

    `is_same` is the automatic decision about the labels. `texts` are the labels of the reference and of
    the prediction. `features` are in the order of `Equivalence.features`, and `alternatives` has the
    decisions of `Equivalence.alternatives` by key.
    """

    reference: str
    predicted: str
    is_same: bool
    texts: tuple[Sequence[str], Sequence[str]]
    features: tuple[float, ...]
    alternatives: Mapping[str, bool]


class Equivalence(Protocol):
    """Features from which the equivalence of labels can be learned.

    `rule` names the features, and is stored with what was learned. `figure` is the key of the figure that
    the labels decide, and `automatic` the name of the scheme's own rule. `accepted` and `refused` are
    the kinds of decisions on labels. `alternatives` maps keys to names of other rules.
    """

    rule: str
    figure: str
    automatic: str
    features: Sequence[str]
    accepted: str
    refused: str
    alternatives: Mapping[str, str] = {}

    @abstractmethod
    def pairs(self, reference: Json, predicted: Json) -> list[LabelPair]:
        """Return the pairs of spans or other values that the comparison matches."""
