"""One item's predicted spans laid against its reference spans: who is matched with whom.

The definitions are those of Roit et al. 2020, section 4 (UA, LA, redundancy); what the paper leaves
open (ties in the matching) is settled as `docs/metrics.md` says.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from metrics.counts import Counts
from metrics.matching import connected_components, is_star, lexicographic_matching
from metrics.spans import Span, check_spans, span_iou, spans_match

# The distinct spans of one item, each with the labels of the questions it answers.
LabelledSpans = Mapping[Span, AbstractSet[Hashable]]
SpanEdge = tuple[Span, Span]  # reference, predicted


class State(StrEnum):
    """What became of a span; the words that pages and tables show."""

    MATCHED = "matched"
    LABEL_DIFFERS = "label-differs"
    MISSED = "missed"
    EXTRA = "extra"
    REDUNDANT = "redundant"
    APPROVED = "approved"


class Pair(NamedTuple):
    """A predicted span matched with a reference span; do they share an equivalent label?"""

    reference: Span
    predicted: Span
    same_label: bool


class Redundancy(NamedTuple):
    """A predicted span that was not chosen, and the reference span that it comes nearest to."""

    predicted: Span
    reference: Span


class AlignedRow(NamedTuple):
    """One line of an alignment table.

    `reference` is None for an extra span, `predicted` for a missed one. `group` numbers the extra
    spans: those of one group overlap one another and count as one false positive.
    """

    state: State
    reference: Span | None
    predicted: Span | None
    group: int | None


@dataclass(frozen=True, slots=True)
class Alignment:
    """Every span of both sides in its place; each part in the order of its spans.

    `extra` holds the connected components of the predicted spans that no reference span matches.
    `approved` are predicted spans that a person found right though the reference lacks them: each
    stands among the pairs, with itself.
    """

    pairs: Sequence[Pair]
    missed: Sequence[Span]
    extra: Sequence[Sequence[Span]]
    redundant: Sequence[Redundancy]
    approved: Collection[Span] = ()

    @property
    def ua(self) -> Counts:
        """Unlabelled: TP the pairs, FN the missed spans, FP the groups of extra spans."""
        return Counts(len(self.pairs), len(self.extra), len(self.missed))

    @property
    def la(self) -> Counts:
        """Labelled: as UA, but a pair without an equivalent label is one FP and one FN."""
        same = sum([pair.same_label for pair in self.pairs])
        differing = len(self.pairs) - same
        return Counts(same, len(self.extra) + differing, len(self.missed) + differing)

    def rows(self) -> list[AlignedRow]:
        """All spans as lines of a table: pairs, missed, extra, redundant."""
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
            AlignedRow(State.REDUNDANT, near.reference, near.predicted, None)
            for near in self.redundant
        ]
        return rows


def align(reference: LabelledSpans, predicted: LabelledSpans) -> Alignment:
    """The alignment behind UA and LA.

    Pairs have IoU >= 1/2. Of all one-to-one matchings the one with the most pairs is taken, then
    the greatest total IoU, then the most pairs with an equivalent label (equal labels are
    equivalent; a span answers several questions when it has several). A predicted span that could
    be paired but was not chosen is redundant and costs nothing; those that no reference span
    matches count once per connected component under the same rule. Exact and independent of the
    order of the spans. Raises ValueError for a span on no token. Roit et al. 2020, section 4.
    """
    check_spans(reference)
    check_spans(predicted)
    edges = match_edges(reference, predicted)
    return align_over(reference, predicted, edges, shared_labels(reference, predicted, edges))


def match_edges(reference: Iterable[Span], predicted: Collection[Span]) -> list[SpanEdge]:
    """All (reference span, predicted span) with IoU >= 1/2."""
    return [
        (ref, pred)
        for ref in reference
        for pred in predicted
        # Most pairs lie apart: the cheap test first.
        if ref[0] < pred[1] and pred[0] < ref[1] and spans_match(ref, pred)
    ]


def shared_labels(
    reference: LabelledSpans, predicted: LabelledSpans, edges: Iterable[SpanEdge]
) -> set[SpanEdge]:
    """Those of the edges whose two spans have an equal label."""
    return {(ref, pred) for ref, pred in edges if not predicted[pred].isdisjoint(reference[ref])}


def align_over(
    reference: Collection[Span],
    predicted: Collection[Span],
    edges: Sequence[SpanEdge],
    same_label: AbstractSet[SpanEdge],
    *,
    preferred: AbstractSet[SpanEdge] = frozenset(),
) -> Alignment:
    """The alignment over given edges (reference span, predicted span), some with the same label.

    `preferred` edges come before everything else: the matching holds as many of them as it can.
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
        return edges  # nobody has a choice: by far the usual case
    lefts, rights = Counter([ref for ref, _ in edges]), Counter([pred for _, pred in edges])
    settled: list[SpanEdge] = []
    contested: list[SpanEdge] = []
    for edge in edges:
        alone = lefts[edge[0]] == 1 == rights[edge[1]]
        (settled if alone else contested).append(edge)
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
    left_at = {span: at for at, span in enumerate(sorted({ref for ref, _ in edges}))}
    right_at = {span: at for at, span in enumerate(sorted({pred for _, pred in edges}))}
    by_number = {(left_at[edge[0]], right_at[edge[1]]): edge for edge in values}
    numbered = {number: values[edge] for number, edge in by_number.items()}
    return [by_number[number] for number in lexicographic_matching(numbered)]


def extra_groups(spans: Collection[Span]) -> list[list[Span]]:
    """The connected components of the spans, linked where their IoU is at least one half."""
    ordered = sorted(spans)
    links = [
        (first, second)
        for at, first in enumerate(ordered)
        for second in ordered[at + 1 :]
        if second[0] < first[1] and spans_match(first, second)
    ]
    if not links:
        return [[span] for span in ordered]
    return [sorted(group) for group in connected_components(ordered, links)]


def _redundant(idle: AbstractSet[Span], edges: Sequence[SpanEdge]) -> list[Redundancy]:
    nearest: dict[Span, Span] = {}
    for ref, pred in sorted(edges):
        known = nearest.get(pred)
        if pred in idle and (known is None or span_iou(ref, pred) > span_iou(known, pred)):
            nearest[pred] = ref
    return [Redundancy(pred, ref) for pred, ref in sorted(nearest.items())]


def role_recall(roles: Iterable[Collection[Span]], alignment: Alignment) -> Counts:
    """Unlabelled role recall of one item: TP the reference roles found, FN the others, FP 0.

    A role (a question, given by its spans) is found if one of its spans is in a pair; a span that
    answers two questions finds both. After the "unlabelled role" figure of the published scripts
    of Roit et al. 2020.
    """
    matched = {pair.reference for pair in alignment.pairs}
    found = [any(span in matched for span in role) for role in roles]
    return Counts(sum(found), 0, len(found) - sum(found))
