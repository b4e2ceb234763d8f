"""Human decisions over automatic matches: the "Man." columns of Roit et al. 2020, tables 4 to 6."""

from collections.abc import Collection, Hashable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
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
    """What a person decided about a reference span and a predicted span; an answer is accepted
    without a reference span."""

    PAIR_ACCEPTED = "pair-accepted"
    PAIR_REFUSED = "pair-refused"
    LABEL_ACCEPTED = "label-accepted"
    LABEL_REFUSED = "label-refused"
    ANSWER_ACCEPTED = "answer-accepted"


class Decision(NamedTuple):
    """One person's word on one reference span and one predicted span of an item, or on the predicted
    one alone."""

    reference: Span | None
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
    An answer accepted is right though the reference lacks it: it counts as if it stood there too,
    with the predicted labels, and what overlaps it is redundant.
    Without decisions the result is that of `align`.

    Raises ValueError for a decision about a span that is not there, for two that contradict, and for
    an answer accepted that has a counterpart in the reference.
    """
    check_spans(reference)
    check_spans(predicted)
    alone, on_pairs = _apart(decisions)
    marked = _by_verdict(on_pairs, reference, predicted)
    accepted, refused = marked[Verdict.PAIR_ACCEPTED], marked[Verdict.PAIR_REFUSED]
    edges = sorted((set(match_edges(reference, predicted)) | accepted) - refused)
    if alone:
        _check_alone(alone, reference, predicted, edges)
        reference = {**reference, **{span: predicted[span] for span in alone}}
        edges = sorted({*edges, *match_edges(alone, predicted)})
        accepted = accepted | {(span, span) for span in alone}
    same_label = shared_labels(reference, predicted, edges) | marked[Verdict.LABEL_ACCEPTED]
    alignment = align_over(
        reference,
        predicted,
        edges,
        same_label - marked[Verdict.LABEL_REFUSED],
        preferred=accepted,
    )
    return replace(alignment, approved=alone) if alone else alignment


def _apart(decisions: Iterable[Decision]) -> tuple[frozenset[Span], list[Decision]]:
    """The predicted spans accepted by themselves, and the decisions on pairs."""
    told = list(decisions)
    alone = frozenset(one.predicted for one in told if one.verdict == Verdict.ANSWER_ACCEPTED)
    return alone, [one for one in told if one.verdict != Verdict.ANSWER_ACCEPTED]


def _check_alone(
    alone: AbstractSet[Span],
    reference: Collection[Span],
    predicted: Collection[Span],
    edges: Iterable[SpanEdge],
) -> None:
    paired = {span for _, span in edges}
    for span in sorted(alone):
        if span not in predicted:
            raise ValueError(f"the decision on {span} is about a span that is not there")
        if span in paired or span in reference:
            raise ValueError(f"{span} has a counterpart in the reference: decide about the pair")


def _by_verdict(
    decisions: Iterable[Decision], reference: Collection[Span], predicted: Collection[Span]
) -> dict[Verdict, set[SpanEdge]]:
    marked: dict[Verdict, set[SpanEdge]] = {verdict: set() for verdict in Verdict}
    for decision in decisions:
        if decision.reference not in reference or decision.predicted not in predicted:
            raise ValueError(f"the decision {decision} is about a span that is not there")
        assert decision.reference is not None
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
