"""Comparison of two resources by kind of argument, such as QA-SRL with PropBank."""

from collections.abc import Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TypeVar

from .alignment import LabelledSpans, align_over, extra_groups, match_edges
from .counts import Counts, MacroAverage, macro_average
from .spans import Span, check_spans

Item = TypeVar("Item", bound=Hashable)

ALL = "all"


@dataclass(frozen=True, slots=True)
class KindComparison:
    """The macro-average of a kind and the counts of each item, in the order of the items.

    `recalled` has the counts by the reference's kinds, without false positives. `predicted` has those
    by the prediction's kinds, without false negatives.
    """

    average: MacroAverage
    recalled: Sequence[Counts]
    predicted: Sequence[Counts]


def compare_by_kind(
    reference: Mapping[Item, LabelledSpans],
    predicted: Mapping[Item, LabelledSpans],
    *,
    kinds: Sequence[Hashable] = ("core", "adjunct"),
) -> dict[Hashable, KindComparison]:
    """Return precision and recall for all spans ("all") and for the spans of each kind.

    The labels of a span are its kinds, and a span can have several. Spans match as in UA, and their
    kinds do not have to agree: recall is over the reference spans of a kind, precision over the
    predicted ones. A reference span without kinds is not recalled, but a prediction that matches
    it is correct. Such pairs are used only where they take no prediction from another span.

    The figures are macro-averages over the reference items. Precision leaves out items without
    predicted spans of a kind, and recall leaves out items without reference spans. Predictions on
    other items are ignored. Roit et al. 2020, footnote 10.
    """
    matched = [_Matched(spans, predicted.get(item, {})) for item, spans in reference.items()]
    return {kind: _comparison(matched, kind) for kind in (ALL, *kinds)}


class _Matched:
    """The spans of an item on both sides, matched irrespective of kinds."""

    def __init__(self, reference: LabelledSpans, predicted: LabelledSpans) -> None:
        check_spans(reference)
        check_spans(predicted)
        self._reference, self._predicted = reference, predicted
        edges = match_edges(reference, predicted)
        recalled = {edge for edge in edges if reference[edge[0]]}
        self._alignment = align_over(reference, predicted, edges, set(), preferred=recalled)

    def recalled(self, kind: Hashable) -> Counts:
        """Return the matched and the missed reference spans of a kind."""
        found = sum(self._counts(pair.reference, kind) for pair in self._alignment.pairs)
        missed = sum(self._counts(span, kind) for span in self._alignment.missed)
        return Counts(tp=found, fn=missed)

    def predicted(self, kind: Hashable) -> Counts:
        """Return the matched predicted spans of a kind, and the groups of its extra spans."""
        pairs, groups = self._alignment.pairs, self._alignment.extra
        matched = sum(_is_of(self._predicted[pair.predicted], kind) for pair in pairs)
        extra = [span for group in groups for span in group if _is_of(self._predicted[span], kind)]
        return Counts(tp=matched, fp=len(extra_groups(extra)))

    def _counts(self, span: Span, kind: Hashable) -> bool:
        kinds = self._reference[span]
        return bool(kinds) and _is_of(kinds, kind)


def _is_of(kinds: AbstractSet[Hashable], kind: Hashable) -> bool:
    return kind == ALL or kind in kinds


def _comparison(matched: Sequence[_Matched], kind: Hashable) -> KindComparison:
    recalled = [item.recalled(kind) for item in matched]
    predicted = [item.predicted(kind) for item in matched]
    return KindComparison(macro_average(predicted, recalled), recalled, predicted)
