"""Human corrections of automatic matches, as in the "Man." columns of Roit et al. 2020, tables 4-6."""

from collections.abc import Collection, Hashable, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import replace
from enum import StrEnum
from typing import NamedTuple, TypeVar

from .alignment import Alignment, LabelledSpans, SpanEdge, align_over, match_edges, shared_labels
from .spans import Span, check_spans

Item = TypeVar("Item", bound=Hashable)


class Verdict(StrEnum):
    """A person's decision on a pair of spans or, for ANSWER_ACCEPTED, on a predicted span."""

    PAIR_ACCEPTED = "pair-accepted"
    PAIR_REFUSED = "pair-refused"
    LABEL_ACCEPTED = "label-accepted"
    LABEL_REFUSED = "label-refused"
    ANSWER_ACCEPTED = "answer-accepted"


class Decision(NamedTuple):
    """A person's verdict on a predicted span and, unless it is None, a reference span."""

    reference: Span | None
    predicted: Span
    verdict: Verdict


def align_corrected(
    reference: LabelledSpans, predicted: LabelledSpans, decisions: Iterable[Decision]
) -> Alignment:
    """Return the alignment in which human decisions override the automatic ones.

    - A refused pair is never a candidate, whatever its IoU.
    - An accepted pair is a candidate and has priority over automatic ones. If two accepted pairs
      share a span, the span of the other pair is redundant or missed.
    - An accepted or refused label decides whether the pair counts for LA.
    - An accepted answer counts as if the reference contained it with the predicted labels. Predicted
      spans that match it are redundant.

    Without decisions the result equals that of `align`. Raise ValueError for a decision on an
    unknown span, for contradicting decisions, and for an accepted answer with a counterpart in the
    reference.
    """
    check_spans(reference)
    check_spans(predicted)
    answers, pair_decisions = _split(decisions)
    marked = _by_verdict(pair_decisions, reference, predicted)
    accepted, refused = marked[Verdict.PAIR_ACCEPTED], marked[Verdict.PAIR_REFUSED]
    edges = sorted((set(match_edges(reference, predicted)) | accepted) - refused)
    if answers:
        _check_answers(answers, reference, predicted, edges)
        reference = {**reference, **{span: predicted[span] for span in answers}}
        edges = sorted({*edges, *match_edges(answers, predicted)})
        accepted = accepted | {(span, span) for span in answers}
    same_label = shared_labels(reference, predicted, edges) | marked[Verdict.LABEL_ACCEPTED]
    alignment = align_over(
        reference,
        predicted,
        edges,
        same_label - marked[Verdict.LABEL_REFUSED],
        preferred=accepted,
    )
    return replace(alignment, approved=answers) if answers else alignment


def _split(decisions: Iterable[Decision]) -> tuple[frozenset[Span], list[Decision]]:
    """Return the accepted answers and the decisions on pairs."""
    answers: set[Span] = set()
    pair_decisions = []
    for decision in decisions:
        if decision.verdict == Verdict.ANSWER_ACCEPTED:
            answers.add(decision.predicted)
        else:
            pair_decisions.append(decision)
    return frozenset(answers), pair_decisions


def _check_answers(
    answers: AbstractSet[Span],
    reference: Collection[Span],
    predicted: Collection[Span],
    edges: Iterable[SpanEdge],
) -> None:
    paired = {span for _, span in edges}
    for span in sorted(answers):
        if span not in predicted:
            raise ValueError(f"the decision on {span} is about a span that is not there")
        if span in paired or span in reference:
            raise ValueError(
                f"{span} has a counterpart in the reference; decide on the pair instead"
            )


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
