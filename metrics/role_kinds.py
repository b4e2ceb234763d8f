"""Comparison of two resources by kind of argument, such as QA-SRL with PropBank."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from metrics.alignment import LabelledSpans, align
from metrics.counts import Counts, MacroAverage, macro_average

Item = TypeVar("Item", bound=Hashable)

ALL = "all"


@dataclass(frozen=True, slots=True)
class KindComparison:
    """The macro-average of a kind and the counts of each item, in the order of the items."""

    average: MacroAverage
    counts: Sequence[Counts]


def compare_by_kind(
    reference: Mapping[Item, LabelledSpans],
    predicted: Mapping[Item, LabelledSpans],
    *,
    kinds: Sequence[Hashable] = ("core", "adjunct"),
) -> dict[Hashable, KindComparison]:
    """Return precision and recall for all spans ("all") and for the spans of each kind.

    The labels of a span are its kinds, and a span can have several. Spans match as in UA, within
    each kind. The figures are macro-averages over the reference items. Precision leaves out items
    without predicted spans of a kind, and recall leaves out items without reference spans.
    Predictions on other items are ignored. Roit et al. 2020, section 6 (comparison to PropBank).
    """
    comparisons: dict[Hashable, KindComparison] = {}
    for kind in (ALL, *kinds):
        counts = [
            align(_of_kind(spans, kind), _of_kind(predicted.get(item, {}), kind)).ua
            for item, spans in reference.items()
        ]
        comparisons[kind] = KindComparison(macro_average(counts), counts)
    return comparisons


def _of_kind(spans: LabelledSpans, kind: Hashable) -> LabelledSpans:
    if kind == ALL:
        return spans
    return {span: kinds for span, kinds in spans.items() if kind in kinds}
