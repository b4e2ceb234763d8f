"""Human decisions over automatic matches: the "Man." columns of Roit et al. 2020, tables 4 to 6."""

from collections.abc import Collection, Hashable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, TypeVar

from metrics.alignment import (
    Alignment,
    LabelledSpans,
    SpanEdge,
    align_over,
    match_edges,
    shared_labels,
)
from metrics.argument_scores import ArgumentScores, ItemScore, argument_scores, summed
from metrics.spans import Span, check_spans

Item = TypeVar("Item", bound=Hashable)


class Verdict(StrEnum):
    """What a person decided about a reference span and a predicted span."""

    PAIR_ACCEPTED = "pair-accepted"
    PAIR_REFUSED = "pair-refused"
    LABEL_ACCEPTED = "label-accepted"
    LABEL_REFUSED = "label-refused"


class Decision(NamedTuple):
    """One person's word on one reference span and one predicted span of an item."""

    reference: Span
    predicted: Span
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class SideBySide:
    """The same items scored automatically and with the decisions laid over."""

    automatic: ArgumentScores
    corrected: ArgumentScores


def align_corrected(
    reference: LabelledSpans, predicted: LabelledSpans, decisions: Iterable[Decision]
) -> Alignment:
    """The alignment with human decisions in place of the automatic ones they speak of.

    A pair refused is no candidate, whatever its IoU; a pair accepted is one, and comes before
    all automatic ones; where two accepted pairs share a span, one is matched and the other
    redundant (or missed). A label accepted or refused decides whether that pair counts for LA.
    Without decisions the result is that of `align`.

    Raises ValueError for a decision about a span that is not there, and for two that contradict.
    """
    check_spans(reference)
    check_spans(predicted)
    marked = _by_verdict(decisions, reference, predicted)
    accepted, refused = marked[Verdict.PAIR_ACCEPTED], marked[Verdict.PAIR_REFUSED]
    automatic = match_edges(reference, predicted)
    edges = sorted((set(automatic) | accepted) - refused)
    same_label = shared_labels(reference, predicted, edges) | marked[Verdict.LABEL_ACCEPTED]
    return align_over(
        reference,
        predicted,
        edges,
        same_label - marked[Verdict.LABEL_REFUSED],
        preferred=accepted,
    )


def _by_verdict(
    decisions: Iterable[Decision], reference: Collection[Span], predicted: Collection[Span]
) -> dict[Verdict, set[SpanEdge]]:
    marked: dict[Verdict, set[SpanEdge]] = {verdict: set() for verdict in Verdict}
    for decision in decisions:
        if decision.reference not in reference or decision.predicted not in predicted:
            raise ValueError(f"the decision {decision} is about a span that is not there")
        marked[Verdict(decision.verdict)].add((decision.reference, decision.predicted))
    _check_consistent(marked[Verdict.PAIR_ACCEPTED], marked[Verdict.PAIR_REFUSED])
    _check_consistent(marked[Verdict.LABEL_ACCEPTED], marked[Verdict.LABEL_REFUSED])
    return marked


def _check_consistent(accepted: AbstractSet[SpanEdge], refused: AbstractSet[SpanEdge]) -> None:
    if both := accepted & refused:
        raise ValueError(f"{min(both)} is both accepted and refused; keep one of the decisions")


def scores_side_by_side(
    reference: Mapping[Item, LabelledSpans],
    predicted: Mapping[Item, LabelledSpans],
    decisions: Mapping[Item, Collection[Decision]],
) -> SideBySide:
    """UA and LA without and with the decisions, over the same items; see `argument_scores`.

    Raises ValueError for decisions on an item that the reference lacks, and as `align_corrected`.
    """
    if strange := [item for item in decisions if item not in reference]:
        raise ValueError(f"there are decisions on {strange[0]!r}, which the reference lacks")
    automatic = argument_scores(reference, predicted)
    corrected = {}
    for item, spans in reference.items():
        alignment = align_corrected(spans, predicted.get(item, {}), decisions.get(item, ()))
        corrected[item] = ItemScore(alignment.ua, alignment.la)
    return SideBySide(automatic, summed(corrected, ignored=automatic.ignored_items))
