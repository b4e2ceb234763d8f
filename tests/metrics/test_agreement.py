import random

import pytest

from metrics.alignment import align
from metrics.counts import Counts
from tests.metrics.reference_agreement import both_ways, pairwise_agreement
from tests.metrics.strategies import random_spans

A, B = frozenset("a"), frozenset("b")


def test_both_ways_equals_the_plain_f1_without_redundancy():
    first, second = {(0, 2): A, (4, 6): A, (8, 9): A}, {(0, 2): A, (4, 6): B}
    assert both_ways(first, second).ua.f1 == align(first, second).ua.f1 == 0.8
    assert both_ways(first, second).la.f1 == align(first, second).la.f1


def test_agreement_is_symmetric_despite_redundancy():
    rng = random.Random(2)
    for _ in range(200):
        first, second = random_spans(rng), random_spans(rng)
        assert both_ways(first, second) == both_ways(second, first)


def test_pairs_are_compared_over_their_common_items():
    annotations = {
        "ann": {"i": {(0, 2): A}, "j": {(0, 2): A}},
        "bob": {"i": {(0, 2): B}, "k": {(0, 2): A}},
        "cat": {"i": {(5, 6): A}, "j": {(0, 2): A}},
    }
    agreement = pairwise_agreement(annotations)
    assert [(pair.first, pair.second, pair.items) for pair in agreement.pairs] == [
        ("ann", "bob", 1),
        ("ann", "cat", 2),
        ("bob", "cat", 1),
    ]
    assert [pair.ua.f1 for pair in agreement.pairs] == [1.0, 0.5, 0.0]
    assert [pair.la.f1 for pair in agreement.pairs] == [0.0, 0.5, 0.0]
    assert agreement.mean_ua_f1 == pytest.approx(0.5)
    assert agreement.mean_la_f1 == pytest.approx(0.5 / 3)
    assert agreement.ua == Counts(4, 4, 4)


def test_annotators_without_a_common_item_have_no_agreement():
    agreement = pairwise_agreement({"ann": {"i": {(0, 2): A}}, "bob": {"j": {(0, 2): A}}})
    assert agreement.pairs == []
    assert agreement.mean_ua_f1 is None


def test_items_empty_for_both_leave_agreement_undefined():
    agreement = pairwise_agreement({"ann": {"i": {}}, "bob": {"i": {}}})
    assert agreement.pairs[0].items == 1
    assert agreement.mean_ua_f1 is None
