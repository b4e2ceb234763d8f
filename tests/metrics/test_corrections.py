import random

import pytest

from metrics.alignment import Pair, align
from metrics.corrections import Decision, Verdict, align_corrected
from metrics.counts import Counts
from tests.metrics.strategies import random_spans

A, B = frozenset("a"), frozenset("b")


def test_scores_without_decisions_are_unchanged():
    rng = random.Random(5)
    for _ in range(300):
        reference, predicted = random_spans(rng), random_spans(rng)
        assert align_corrected(reference, predicted, []) == align(reference, predicted)


def test_accepted_pair_counts_despite_a_small_overlap():
    decision = Decision((0, 10), (0, 2), Verdict.PAIR_ACCEPTED)
    assert align({(0, 10): A}, {(0, 2): A}).ua == Counts(0, 1, 1)
    assert align_corrected({(0, 10): A}, {(0, 2): A}, [decision]).ua == Counts(1, 0, 0)


def test_refused_pair_is_missed_and_extra():
    decision = Decision((0, 2), (0, 2), Verdict.PAIR_REFUSED)
    assert align_corrected({(0, 2): A}, {(0, 2): A}, [decision]).ua == Counts(0, 1, 1)


def test_refused_pair_is_replaced_by_the_next_best():
    decision = Decision((0, 4), (0, 4), Verdict.PAIR_REFUSED)
    corrected = align_corrected({(0, 4): A}, {(0, 4): A, (0, 3): A}, [decision])
    assert corrected.pairs == [Pair((0, 4), (0, 3), True)]
    assert corrected.extra == [[(0, 4)]]


def test_accepted_pair_takes_precedence_over_an_automatic_pair():
    decision = Decision((0, 4), (3, 9), Verdict.PAIR_ACCEPTED)
    corrected = align_corrected({(0, 4): A}, {(0, 4): A, (3, 9): A}, [decision])
    assert corrected.pairs == [Pair((0, 4), (3, 9), True)]
    assert [near.predicted for near in corrected.redundant] == [(0, 4)]


def test_second_accepted_pair_on_a_span_is_redundant():
    decisions = [
        Decision((0, 4), (8, 9), Verdict.PAIR_ACCEPTED),
        Decision((0, 4), (3, 5), Verdict.PAIR_ACCEPTED),
    ]
    corrected = align_corrected({(0, 4): A}, {(8, 9): A, (3, 5): A}, decisions)
    assert corrected.pairs == [Pair((0, 4), (3, 5), True)]
    assert corrected.ua == Counts(1, 0, 0)


def test_labels_are_accepted_and_refused_by_pair():
    reference, predicted = {(0, 2): A, (3, 5): A}, {(0, 2): B, (3, 5): A}
    decisions = [
        Decision((0, 2), (0, 2), Verdict.LABEL_ACCEPTED),
        Decision((3, 5), (3, 5), Verdict.LABEL_REFUSED),
    ]
    corrected = align_corrected(reference, predicted, decisions)
    assert corrected.pairs == [Pair((0, 2), (0, 2), True), Pair((3, 5), (3, 5), False)]


def test_contradicting_decisions_are_refused():
    decisions = [
        Decision((0, 2), (0, 2), verdict)
        for verdict in (Verdict.PAIR_ACCEPTED, Verdict.PAIR_REFUSED)
    ]
    with pytest.raises(ValueError, match="both accepted and refused"):
        align_corrected({(0, 2): A}, {(0, 2): A}, decisions)


def test_decision_about_a_missing_span_is_refused():
    decision = Decision((0, 2), (0, 3), Verdict.PAIR_ACCEPTED)
    with pytest.raises(ValueError, match="not there"):
        align_corrected({(0, 2): A}, {(0, 2): A}, [decision])


def accept(*spans):
    return [Decision(None, span, Verdict.ANSWER_ACCEPTED) for span in spans]


def test_accepted_answer_counts_as_if_in_the_reference():
    reference, predicted = {(0, 2): A}, {(0, 2): A, (5, 7): B}
    assert align(reference, predicted).la == Counts(1, 1, 0)
    corrected = align_corrected(reference, predicted, accept((5, 7)))
    assert corrected.ua == corrected.la == Counts(2, 0, 0)
    assert [(row.state, row.reference, row.predicted) for row in corrected.rows()] == [
        ("matched", (0, 2), (0, 2)),
        ("approved", None, (5, 7)),
    ]


def test_answers_that_overlap_an_accepted_answer_are_redundant():
    corrected = align_corrected({}, {(0, 4): A, (0, 3): A, (8, 9): B}, accept((0, 4)))
    assert corrected.ua == Counts(1, 1, 0)
    assert [near.predicted for near in corrected.redundant] == [(0, 3)]


def test_every_extra_answer_of_a_group_can_be_accepted():
    corrected = align_corrected({}, {(0, 4): A, (0, 3): A}, accept((0, 4), (0, 3)))
    assert corrected.ua == Counts(2, 0, 0)


@pytest.mark.parametrize("span", [(0, 2), (0, 3), (4, 5)])
def test_matched_or_unknown_answer_cannot_be_accepted(span):
    with pytest.raises(ValueError, match=r"counterpart|not there"):
        align_corrected({(0, 2): A}, {(0, 2): A, (0, 3): A}, accept(span))


def test_accepting_all_extra_answers_leaves_no_false_positive():
    rng = random.Random(8)
    for _ in range(300):
        reference, predicted = random_spans(rng), random_spans(rng)
        before = align(reference, predicted)
        extras = [span for group in before.extra for span in group]
        after = align_corrected(reference, predicted, accept(*extras))
        assert after.ua == Counts(before.ua.tp + len(extras), 0, before.ua.fn)
