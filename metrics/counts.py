"""True and false positives, false negatives, and the ratios made of them; None where undefined."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import fsum


@dataclass(frozen=True, slots=True)
class Counts:
    """TP, FP and FN of one figure, each >= 0; added field by field (micro-averaging).

    The ratios lie in [0, 1] and are None where their own denominator is 0: precision without any
    prediction, recall without any reference, F1 without either. A system that finds nothing of
    what there is has precision None, recall 0 and F1 0.
    """

    tp: int = 0
    fp: int = 0
    fn: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn)

    @property
    def precision(self) -> float | None:
        """TP / (TP + FP)."""
        return ratio(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float | None:
        """TP / (TP + FN)."""
        return ratio(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> float | None:
        """2 TP / (2 TP + FP + FN): the harmonic mean of both, straight from the whole numbers."""
        return ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn)


@dataclass(frozen=True, slots=True)
class MacroAverage:
    """Means over items, each over the items for which it is defined (`*_items` of them)."""

    precision: float | None
    recall: float | None
    precision_items: int
    recall_items: int


def ratio(part: float, whole: float) -> float | None:
    """part / whole; None where whole is 0."""
    return part / whole if whole else None


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of the defined values; None where there is none."""
    defined = [value for value in values if value is not None]
    # fsum: a mean must not depend on the order of the items.
    return ratio(fsum(defined), len(defined))


def micro_sum(counts: Iterable[Counts]) -> Counts:
    """All counts added up, so that every span weighs the same; Counts(0, 0, 0) for none."""
    tp = fp = fn = 0
    for each in counts:
        tp += each.tp
        fp += each.fp
        fn += each.fn
    return Counts(tp, fp, fn)


def macro_average(counts: Iterable[Counts]) -> MacroAverage:
    """Mean precision and mean recall, so that every item weighs the same.

    An item without predictions has no precision and is left out of that mean alone; likewise an
    item without references and recall.
    """
    counts = list(counts)
    precisions = [each.precision for each in counts if each.precision is not None]
    recalls = [each.recall for each in counts if each.recall is not None]
    return MacroAverage(mean(precisions), mean(recalls), len(precisions), len(recalls))
