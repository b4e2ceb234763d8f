"""Greedy matching of spans, and the counts of QANom's evaluation (Klein et al. 2020).

The released evaluator differs from `metrics.alignment` in its threshold, its matching, and what it
counts. `docs/reference/metrics.md` compares the two. Here, the order of spans and roles can decide
between pairs with equal IoU, as it does there.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from .counts import Counts
from .spans import Span, span_iou

# A pair needs a greater IoU.
THRESHOLD = Fraction(3, 10)


class SpanRole(NamedTuple):
    """A question with its answers. Two equal roles are the same role.

    Two questions ask for the same role if their labels are equal.
    """

    question: Hashable
    label: Hashable
    spans: tuple[Span, ...]


class RoleCounts(NamedTuple):
    """The counts of an item or of many."""

    arguments: Counts
    labelled: Counts
    roles: Counts


def greedy_pairs(reference: Iterable[Span], predicted: Iterable[Span]) -> dict[Span, Span]:
    """Return the reference span of each matched predicted span.

    Pairs with an IoU above 3/10 are taken from the highest IoU to the lowest, unless one of their spans
    is taken. Of equal pairs, the one whose predicted span is first comes first, and then the one whose
    reference span is first. A span that is given twice is matched once.
    Without spans on a side, there are no pairs. Raise ValueError for an empty span.
    """
    references, predictions = dict.fromkeys(reference), dict.fromkeys(predicted)
    candidates = {
        (pred, ref): span_iou(pred, ref)
        for pred in predictions
        for ref in references
        if span_iou(pred, ref) > THRESHOLD
    }
    pairs: dict[Span, Span] = {}
    taken = set()
    # A stable sort
    for pred, ref in sorted(candidates, key=candidates.__getitem__, reverse=True):
        if pred not in pairs and ref not in taken:
            pairs[pred] = ref
            taken.add(ref)
    return pairs


def role_counts(reference: Sequence[SpanRole], predicted: Sequence[SpanRole]) -> RoleCounts:
    """Return the counts of an item (Klein et al. 2020, with the rules of the released evaluator).

    Arguments: TP counts the pairs. Every other answer is an FP or an FN, so that a span with two
    questions, or in two equal rows, counts twice, and is matched once.
    Labelled arguments: a pair counts if the first role with either span has the same label. Every other
    answer counts as before.
    Roles: a reference role is found if its pairs lead to exactly one predicted role. A predicted role
    whose pairs do not lead to exactly one reference role is an FP. TP therefore counts the roles of the
    reference.

    Without roles on one side, all answers and roles of the other side are FPs or FNs. Without any,
    all counts are 0, and the ratios are None, where the evaluator gives 1.
    """
    answers, predictions = list(_spans(reference)), list(_spans(predicted))
    pairs = greedy_pairs(answers, predictions)
    first_reference, first_predicted = _first_roles(reference), _first_roles(predicted)
    same = sum(
        first_predicted[pred].label == first_reference[ref].label for pred, ref in pairs.items()
    )
    return RoleCounts(
        arguments=Counts(len(pairs), len(predictions) - len(pairs), len(answers) - len(pairs)),
        labelled=Counts(same, len(predictions) - same, len(answers) - same),
        roles=_aligned_roles(reference, predicted, pairs, first_reference),
    )


def _spans(roles: Iterable[SpanRole]) -> Iterator[Span]:
    return (span for role in roles for span in role.spans)


def _first_roles(roles: Iterable[SpanRole]) -> dict[Span, SpanRole]:
    first: dict[Span, SpanRole] = {}
    for role in roles:
        for span in role.spans:
            first.setdefault(span, role)
    return first


def _aligned_roles(
    reference: Sequence[SpanRole],
    predicted: Sequence[SpanRole],
    pairs: Mapping[Span, Span],
    first_reference: Mapping[Span, SpanRole],
) -> Counts:
    of_reference: dict[SpanRole, set[SpanRole]] = {role: set() for role in reference}
    of_predicted: dict[SpanRole, set[SpanRole]] = {role: set() for role in predicted}
    for role in predicted:
        for span in role.spans:
            if span in pairs:
                other = first_reference[pairs[span]]
                of_reference[other].add(role)
                of_predicted[role].add(other)
    tp = sum(len(of_reference[role]) == 1 for role in reference)
    fp = sum(len(of_predicted[role]) != 1 for role in predicted)
    return Counts(tp, fp, len(reference) - tp)
