"""UA and LA counts of items, and their micro-average."""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from .alignment import Alignment, LabelledSpans, align
from .counts import Counts, micro_sum

Item = TypeVar("Item", bound=Hashable)


@dataclass(frozen=True, slots=True)
class ItemScore:
    ua: Counts
    la: Counts


@dataclass(frozen=True, slots=True)
class ArgumentScores:
    """Counts summed over the reference items.

    `ignored_items` is the number of predicted items that the reference lacks.
    """

    items: int
    ignored_items: int
    ua: Counts
    la: Counts


def align_items(
    reference: Mapping[Item, LabelledSpans], predicted: Mapping[Item, LabelledSpans]
) -> Iterator[tuple[Item, Alignment]]:
    """Yield each reference item with its alignment. Items without predictions are missed."""
    for item, spans in reference.items():
        yield item, align(spans, predicted.get(item, {}))


def score_items(
    reference: Mapping[Item, LabelledSpans], predicted: Mapping[Item, LabelledSpans]
) -> dict[Item, ItemScore]:
    """Return the UA and LA counts of each reference item, in the order of the reference."""
    return {
        item: ItemScore(alignment.ua, alignment.la)
        for item, alignment in align_items(reference, predicted)
    }


def argument_scores(
    reference: Mapping[Item, LabelledSpans], predicted: Mapping[Item, LabelledSpans]
) -> ArgumentScores:
    """Return UA and LA micro-averaged over the reference items (Roit et al. 2020, section 3.2).

    Predictions on items that the reference lacks are ignored. Their number is returned. All spans
    of a reference item without predictions are missed. Linear in the number of items.
    """
    return summed(score_items(reference, predicted), ignored=count_ignored(reference, predicted))


def summed(scores: Mapping[Item, ItemScore], *, ignored: int) -> ArgumentScores:
    """Return the sum of the item scores."""
    return ArgumentScores(
        items=len(scores),
        ignored_items=ignored,
        ua=micro_sum(score.ua for score in scores.values()),
        la=micro_sum(score.la for score in scores.values()),
    )


def count_ignored(reference: Mapping[Item, object], predicted: Mapping[Item, object]) -> int:
    """Return the number of predicted items that the reference lacks."""
    return sum(item not in reference for item in predicted)
