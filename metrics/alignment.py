"""Alignment of the predicted spans of an item with its reference spans.

UA, LA and redundancy follow Roit et al. 2020, section 3.2. The paper does not define how to break
ties in the matching. `docs/metrics.md` does.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from .counts import Counts
from .matching import connected_components, is_star, lexicographic_matching
from .spans import Span, check_spans, span_iou, spans_match

# The distinct spans of one item, each with the labels of the questions it answers.
LabelledSpans = Mapping[Span, AbstractSet[Hashable]]
SpanEdge = tuple[Span, Span]  # reference, predicted


class State(StrEnum):
    """The result of aligning a span. Pages and tables show the values."""

    MATCHED = "matched"
    LABEL_DIFFERS = "label-differs"
    MISSED = "missed"
    EXTRA = "extra"
    REDUNDANT = "redundant"
    APPROVED = "approved"


class Pair(NamedTuple):
    """A predicted span that is matched with a reference span."""

    reference: Span
    predicted: Span
    same_label: bool


class Redundancy(NamedTuple):
    """An unmatched predicted span and the matching reference span with the highest IoU."""

    predicted: Span
    reference: Span


class AlignedRow(NamedTuple):
    """A row of an alignment table.

    `reference` is None for extra and approved spans, `predicted` for missed ones. Extra spans with
    the same `group` count as a single false positive.
    """

    state: State
    reference: Span | None
    predicted: Span | None
    group: int | None


@dataclass(frozen=True, slots=True)
class Alignment:
    """An alignment of the spans of both sides, each part in the order of the spans.

    `extra` holds the connected components of the predicted spans that no reference span matches.
    `approved` holds predicted spans that a person accepted although the reference lacks them. Each
    of them is also in `pairs`, paired with itself.
    """

    pairs: Sequence[Pair]
    missed: Sequence[Span]
    extra: Sequence[Sequence[Span]]
    redundant: Sequence[Redundancy]
    approved: Collection[Span] = ()

    @property
    def ua(self) -> Counts:
        """Return the unlabelled counts: pairs, groups of extra spans and missed spans."""
        return Counts(len(self.pairs), len(self.extra), len(self.missed))

    @property
    def la(self) -> Counts:
        """Return the labelled counts, in which a pair with different labels is an FP and an FN."""
        same = sum([pair.same_label for pair in self.pairs])
        differing = len(self.pairs) - same
        return Counts(same, len(self.extra) + differing, len(self.missed) + differing)

    def rows(self) -> list[AlignedRow]:
        """Return the table rows: matched, approved, missed, extra and redundant spans."""
        rows = [
            AlignedRow(
                State.MATCHED if pair.same_label else State.LABEL_DIFFERS,
                pair.reference,
                pair.predicted,
                None,
            )
            for pair in self.pairs
            if pair.reference not in self.approved
        ]
        rows += [AlignedRow(State.APPROVED, None, span, None) for span in sorted(self.approved)]
        rows += [AlignedRow(State.MISSED, span, None, None) for span in self.missed]
        for group, spans in enumerate(self.extra):
            rows += [AlignedRow(State.EXTRA, None, span, group) for span in spans]
        rows += [
            AlignedRow(State.REDUNDANT, redundancy.reference, redundancy.predicted, None)
            for redundancy in self.redundant
        ]
        return rows


def align(reference: LabelledSpans, predicted: LabelledSpans) -> Alignment:
    """Return the alignment that UA and LA are computed from.

    The matching is one-to-one over pairs with IoU >= 1/2. It has the most pairs, then the greatest
    total IoU, then the most pairs that share a label. A predicted span that has a candidate but is
    not chosen is redundant and costs nothing. Predicted spans without a candidate count once per
    connected component, linked where their IoU >= 1/2.

    The result is exact and independent of the order of the spans. Raise ValueError for an empty
    span. Roit et al. 2020, section 3.2.
    """
    check_spans(reference)
    check_spans(predicted)
    edges = match_edges(reference, predicted)
    return align_over(reference, predicted, edges, shared_labels(reference, predicted, edges))


def match_edges(reference: Iterable[Span], predicted: Collection[Span]) -> list[SpanEdge]:
    """Return all (reference span, predicted span) with IoU >= 1/2."""
    return [
        (ref, pred)
        for ref in reference
        for pred in predicted
        # The cheap test comes first, because most pairs do not overlap.
        if ref[0] < pred[1] and pred[0] < ref[1] and spans_match(ref, pred)
    ]


def shared_labels(
    reference: LabelledSpans, predicted: LabelledSpans, edges: Iterable[SpanEdge]
) -> set[SpanEdge]:
    """Return the edges whose spans share a label."""
    return {(ref, pred) for ref, pred in edges if not predicted[pred].isdisjoint(reference[ref])}


def align_over(
    reference: Collection[Span],
    predicted: Collection[Span],
    edges: Sequence[SpanEdge],
    same_label: AbstractSet[SpanEdge],
    *,
    preferred: AbstractSet[SpanEdge] = frozenset(),
) -> Alignment:
    """Return the alignment over candidate edges (reference span, predicted span).

    `same_label` holds the edges that count for LA. The matching contains as many `preferred` edges
    as possible before any other criterion applies.
    """
    chosen = _chosen(edges, same_label, preferred)
    matched = {ref for ref, _ in chosen}
    taken = {pred for _, pred in chosen}
    reachable = {pred for _, pred in edges}
    lone = [pred for pred in predicted if pred not in reachable]
    idle = reachable - taken
    return Alignment(
        pairs=sorted([Pair(ref, pred, (ref, pred) in same_label) for ref, pred in chosen]),
        missed=sorted([ref for ref in reference if ref not in matched]),
        extra=extra_groups(lone) if len(lone) > 1 else [[span] for span in lone],
        redundant=_redundant(idle, edges) if idle else [],
    )


def _chosen(
    edges: Sequence[SpanEdge],
    same_label: AbstractSet[SpanEdge],
    preferred: AbstractSet[SpanEdge],
) -> Sequence[SpanEdge]:
    if len({ref for ref, _ in edges}) == len(edges) == len({pred for _, pred in edges}):
        return edges  # no span has a choice, which is the usual case
    lefts, rights = Counter([ref for ref, _ in edges]), Counter([pred for _, pred in edges])
    settled: list[SpanEdge] = []
    contested: list[SpanEdge] = []
    for edge in edges:
        is_only = lefts[edge[0]] == 1 == rights[edge[1]]
        (settled if is_only else contested).append(edge)
    return settled + _best_matching(contested, same_label, preferred)


def _best_matching(
    edges: Sequence[SpanEdge],
    same_label: AbstractSet[SpanEdge],
    preferred: AbstractSet[SpanEdge],
) -> list[SpanEdge]:
    values = {
        edge: (int(edge in preferred), 1, span_iou(*edge), int(edge in same_label))
        for edge in sorted(edges)
    }
    if is_star(edges):
        return [max(values, key=values.__getitem__)]
    left_index = {span: index for index, span in enumerate(sorted({ref for ref, _ in edges}))}
    right_index = {span: index for index, span in enumerate(sorted({pred for _, pred in edges}))}
    by_number = {(left_index[edge[0]], right_index[edge[1]]): edge for edge in values}
    numbered = {number: values[edge] for number, edge in by_number.items()}
    return [by_number[number] for number in lexicographic_matching(numbered)]


def extra_groups(spans: Collection[Span]) -> list[list[Span]]:
    """Return the connected components of the spans, linked where their IoU >= 1/2."""
    ordered = sorted(spans)
    links = [
        (first, second)
        for index, first in enumerate(ordered)
        for second in ordered[index + 1 :]
        if second[0] < first[1] and spans_match(first, second)
    ]
    if not links:
        return [[span] for span in ordered]
    return [sorted(group) for group in connected_components(ordered, links)]


def _redundant(idle: AbstractSet[Span], edges: Sequence[SpanEdge]) -> list[Redundancy]:
    nearest: dict[Span, Span] = {}
    for ref, pred in sorted(edges):
        best = nearest.get(pred)
        if pred in idle and (best is None or span_iou(ref, pred) > span_iou(best, pred)):
            nearest[pred] = ref
    return [Redundancy(pred, ref) for pred, ref in sorted(nearest.items())]


def role_recall(roles: Iterable[Collection[Span]], alignment: Alignment) -> Counts:
    """Return the unlabelled role recall of an item as counts without false positives.

    A role holds the spans of a question. It is recalled if any of its spans is paired, so a span
    that answers two questions recalls both. This is the "unlabelled role" figure of the published
    scripts of Roit et al. 2020.
    """
    matched = {pair.reference for pair in alignment.pairs}
    recalled = [any(span in matched for span in role) for role in roles]
    return Counts(sum(recalled), 0, len(recalled) - sum(recalled))
