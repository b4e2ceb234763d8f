"""UA and LA over many items: counts per item, their micro sum, what was ignored."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from metrics.alignment import Alignment, LabelledSpans, align
from metrics.counts import Counts, micro_sum

Item = TypeVar("Item", bound=Hashable)


@dataclass(frozen=True, slots=True)
class ItemScore:
    """The counts of one item."""

    ua: Counts
    la: Counts


@dataclass(frozen=True, slots=True)
class ArgumentScores:
    """Counts summed over `items` reference items; `ignored_items` are predicted but not there."""

    items: int
    ignored_items: int
    ua: Counts
    la: Counts


def align_items(
    reference: Mapping[Item, LabelledSpans], predicted: Mapping[Item, LabelledSpans]
) -> dict[Item, Alignment]:
    """The alignment of each reference item, in their order; without predictions all is missed."""
    return {item: align(spans, predicted.get(item, {})) for item, spans in reference.items()}


def score_items(
    reference: Mapping[Item, LabelledSpans], predicted: Mapping[Item, LabelledSpans]
) -> dict[Item, ItemScore]:
    """UA and LA counts of each reference item, in their order."""
    scores = {}
    for item, spans in reference.items():
        alignment = align(spans, predicted.get(item, {}))
        scores[item] = ItemScore(alignment.ua, alignment.la)
    return scores


def argument_scores(
    reference: Mapping[Item, LabelledSpans], predicted: Mapping[Item, LabelledSpans]
) -> ArgumentScores:
    """UA and LA summed over the reference items (micro-average; Roit et al. 2020, section 4).

    Predictions on items that the reference lacks are ignored and counted; a reference item without
    predictions counts all its spans as missed. Linear in the number of items.
    """
    return summed(score_items(reference, predicted), ignored=count_ignored(reference, predicted))


def summed(scores: Mapping[Item, ItemScore], *, ignored: int) -> ArgumentScores:
    """The micro sum of scores that are there already."""
    return ArgumentScores(
        items=len(scores),
        ignored_items=ignored,
        ua=micro_sum(score.ua for score in scores.values()),
        la=micro_sum(score.la for score in scores.values()),
    )


def count_ignored(reference: Mapping[Item, object], predicted: Mapping[Item, object]) -> int:
    """The number of predicted items that the reference lacks."""
    return sum(item not in reference for item in predicted)
