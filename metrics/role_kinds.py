"""Arguments of two resources compared by kind (all, core, adjunct): QA-SRL against PropBank."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from metrics.alignment import LabelledSpans, align
from metrics.counts import Counts, MacroAverage, macro_average

Item = TypeVar("Item", bound=Hashable)

ALL = "all"


@dataclass(frozen=True, slots=True)
class KindComparison:
    """One kind's macro-average, and the counts of each item behind it, in the items' order."""

    average: MacroAverage
    counts: Sequence[Counts]


def compare_by_kind(
    reference: Mapping[Item, LabelledSpans],
    predicted: Mapping[Item, LabelledSpans],
    *,
    kinds: Sequence[Hashable] = ("core", "adjunct"),
) -> dict[Hashable, KindComparison]:
    """Precision and recall for all spans ("all") and for those of each kind on both sides.

    The labels of a span are its kinds; a span of two kinds stands in both. Spans match as in UA,
    each kind among itself. Averaged over the items of the reference (macro): an item without
    predicted spans of a kind has no precision in it, one without reference spans no recall.
    Predictions on other items are ignored. Roit et al. 2020, section 6 (comparison to PropBank).
    """
    found: dict[Hashable, KindComparison] = {}
    for kind in (ALL, *kinds):
        counts = [
            align(_of_kind(spans, kind), _of_kind(predicted.get(item, {}), kind)).ua
            for item, spans in reference.items()
        ]
        found[kind] = KindComparison(macro_average(counts), counts)
    return found


def _of_kind(spans: LabelledSpans, kind: Hashable) -> LabelledSpans:
    if kind == ALL:
        return spans
    return {span: kinds for span, kinds in spans.items() if kind in kinds}
