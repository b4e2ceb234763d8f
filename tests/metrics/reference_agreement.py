"""An independent implementation of pairwise agreement, to compare the product's figures with.

Agreement is the F1 of UA and LA. Each side is the reference once and the counts are added, which
keeps the figure symmetric if a span is redundant. Without redundant spans, the F1 equals that of
either direction. Roit et al. 2020, section 4.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from metrics.alignment import LabelledSpans, align
from metrics.argument_scores import ItemScore
from metrics.counts import Counts, mean, micro_sum

Annotator = Hashable


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """The agreement of two annotators, with the counts of both directions."""

    first: Annotator
    second: Annotator
    items: int
    ua: Counts
    la: Counts


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement of all pairs that share an item.

    `mean_*_f1` is the mean over the pairs with a defined F1, or None. `ua` and `la` are the summed
    counts of all pairs, so that every span has the same weight.
    """

    pairs: Sequence[PairAgreement]
    ua: Counts
    la: Counts

    @property
    def mean_ua_f1(self) -> float | None:
        return mean(pair.ua.f1 for pair in self.pairs)

    @property
    def mean_la_f1(self) -> float | None:
        return mean(pair.la.f1 for pair in self.pairs)


def both_ways(first: LabelledSpans, second: LabelledSpans) -> ItemScore:
    """Return the symmetric UA and LA counts, summed over both directions."""
    forward, backward = align(first, second), align(second, first)
    return ItemScore(forward.ua + backward.ua, forward.la + backward.la)


def pairwise_agreement(
    annotations: Mapping[Annotator, Mapping[Hashable, LabelledSpans]],
) -> Agreement:
    """Return the inter-annotator agreement (IAA) of every pair of annotators.

    `annotations[annotator][item]` holds the spans. An annotation without spans counts. Pairs are
    in the order of the annotators. Time grows with the pairs of annotations of an item.
    """
    by_item: dict[Hashable, list[tuple[Annotator, LabelledSpans]]] = {}
    for annotator, items in annotations.items():
        for item, spans in items.items():
            by_item.setdefault(item, []).append((annotator, spans))
    scores: dict[tuple[Annotator, Annotator], list[ItemScore]] = {}
    for present in by_item.values():
        for (first, first_spans), (second, second_spans) in combinations(present, 2):
            scores.setdefault((first, second), []).append(both_ways(first_spans, second_spans))
    order = {annotator: index for index, annotator in enumerate(annotations)}
    return _summed(scores, order)


def _summed(
    scores_by_pair: Mapping[tuple[Annotator, Annotator], Sequence[ItemScore]],
    order: Mapping[Annotator, int],
) -> Agreement:
    pairs = [
        PairAgreement(
            first,
            second,
            len(scores),
            micro_sum(score.ua for score in scores),
            micro_sum(score.la for score in scores),
        )
        for (first, second), scores in scores_by_pair.items()
    ]
    pairs.sort(key=lambda pair: (order[pair.first], order[pair.second]))
    return Agreement(
        pairs, micro_sum(pair.ua for pair in pairs), micro_sum(pair.la for pair in pairs)
    )
