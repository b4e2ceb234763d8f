"""True positives, false positives, false negatives and their ratios."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import fsum


@dataclass(frozen=True, slots=True)
class Counts:
    """TP, FP and FN of a figure, which are added field by field for a micro-average.

    The ratios are in [0, 1], or None if their denominator is 0. A system without predictions has
    precision None, and recall and F1 0 if the reference is not empty.
    """

    tp: int = 0
    fp: int = 0
    fn: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn)

    @property
    def precision(self) -> float | None:
        """Return TP / (TP + FP)."""
        return ratio(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float | None:
        """Return TP / (TP + FN)."""
        return ratio(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> float | None:
        """Return 2 TP / (2 TP + FP + FN), the harmonic mean of precision and recall."""
        return ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    def ratios(self) -> dict[str, float | None]:
        """Return precision, recall and F1 by name."""
        return {"precision": self.precision, "recall": self.recall, "f1": self.f1}

    def as_json(self) -> dict[str, float | None]:
        """Return TP, FP and FN and the ratios by name."""
        return {"tp": self.tp, "fp": self.fp, "fn": self.fn, **self.ratios()}


@dataclass(frozen=True, slots=True)
class MacroAverage:
    """Means over the items for which the figure is defined. `*_items` is their number."""

    precision: float | None
    recall: float | None
    precision_items: int
    recall_items: int


def ratio(part: float, whole: float) -> float | None:
    """Return part / whole, or None if whole is 0."""
    return part / whole if whole else None


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the defined values, or None without any."""
    defined = [value for value in values if value is not None]
    # fsum makes the mean independent of the order of the items.
    return ratio(fsum(defined), len(defined))


def micro_sum(counts: Iterable[Counts]) -> Counts:
    """Return the sum of the counts, which gives every span the same weight."""
    tp = fp = fn = 0
    for item in counts:
        tp += item.tp
        fp += item.fp
        fn += item.fn
    return Counts(tp, fp, fn)


def macro_average(predicted: Iterable[Counts], recalled: Iterable[Counts]) -> MacroAverage:
    """Return mean precision and mean recall, which give every item the same weight.

    `predicted` has the counts of each item for precision and `recalled` those for recall. The mean
    precision leaves out items without predictions, and the mean recall leaves out items without
    references.
    """
    precisions = [item.precision for item in predicted if item.precision is not None]
    recalls = [item.recall for item in recalled if item.recall is not None]
    return MacroAverage(mean(precisions), mean(recalls), len(precisions), len(recalls))
