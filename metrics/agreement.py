"""Agreement between annotators, or teams of them, over the items that both annotated.

F1 of UA and LA, both ways round: each side is the reference once, and the counts are added. Where
nothing is redundant this is the F1 of either way; where something is, it keeps the figure
symmetric. Roit et al. 2020, section 4.
"""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from metrics.alignment import LabelledSpans, align
from metrics.argument_scores import ItemScore
from metrics.counts import Counts, mean, micro_sum, ratio

Annotator = Hashable


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Two annotators (or teams), the number of items they share, and counts of both directions."""

    first: Annotator
    second: Annotator
    items: int
    ua: Counts
    la: Counts


@dataclass(frozen=True, slots=True)
class Agreement:
    """All pairs that share an item, and what they come to.

    `mean_*_f1` is the mean over pairs (None without one that is defined); `ua` and `la` are the
    counts of all pairs added up, so that every span weighs the same.
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


class TeamAnnotation(NamedTuple):
    """One item's consolidated annotation and the workers who made it (generators, consolidator)."""

    item: Hashable
    team: frozenset[Hashable]
    spans: LabelledSpans


def both_ways(first: LabelledSpans, second: LabelledSpans) -> ItemScore:
    """UA and LA counts of each as the reference of the other, added up; symmetric."""
    there, back = align(first, second), align(second, first)
    return ItemScore(there.ua + back.ua, there.la + back.la)


def pairwise_agreement(
    annotations: Mapping[Annotator, Mapping[Hashable, LabelledSpans]],
) -> Agreement:
    """Agreement of every two annotators over the items both annotated (IAA, worker to worker).

    `annotations[annotator][item]`; an item annotated without a span counts as annotated. Pairs
    come in the annotators' order. Time grows with the pairs of annotations of an item.
    """
    by_item: dict[Hashable, list[tuple[Annotator, LabelledSpans]]] = {}
    for annotator, items in annotations.items():
        for item, spans in items.items():
            by_item.setdefault(item, []).append((annotator, spans))
    found: dict[tuple[Annotator, Annotator], list[ItemScore]] = {}
    for present in by_item.values():
        for (first, ours), (second, theirs) in combinations(present, 2):
            found.setdefault((first, second), []).append(both_ways(ours, theirs))
    order = {annotator: at for at, annotator in enumerate(annotations)}
    return _summed(found, order)


def team_agreement(annotations: Iterable[TeamAnnotation]) -> Agreement:
    """Agreement of consolidated annotations of the same item by teams without a common member.

    Two annotations whose teams share a worker are not compared: their agreement would be partly
    that worker's with themselves. Roit et al. 2020, section 4 (disjoint triplets).
    """
    by_item: dict[Hashable, list[TeamAnnotation]] = {}
    order: dict[Annotator, int] = {}
    for annotation in annotations:
        by_item.setdefault(annotation.item, []).append(annotation)
        order.setdefault(annotation.team, len(order))
    found: dict[tuple[Annotator, Annotator], list[ItemScore]] = {}
    for present in by_item.values():
        for first, second in combinations(sorted(present, key=lambda each: order[each.team]), 2):
            if first.team.isdisjoint(second.team):
                score = both_ways(first.spans, second.spans)
                found.setdefault((first.team, second.team), []).append(score)
    return _summed(found, order)


def _summed(
    found: Mapping[tuple[Annotator, Annotator], Sequence[ItemScore]],
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
        for (first, second), scores in found.items()
    ]
    pairs.sort(key=lambda pair: (order[pair.first], order[pair.second]))
    return Agreement(
        pairs, micro_sum(pair.ua for pair in pairs), micro_sum(pair.la for pair in pairs)
    )


def questions_per_item(questions: Mapping[Hashable, Collection[Hashable]]) -> float | None:
    """The mean number of questions of an item, those without any included; None without items.

    The running coverage figure that monitoring watches (Roit et al. 2020, section 3).
    """
    return ratio(sum(len(asked) for asked in questions.values()), len(questions))
