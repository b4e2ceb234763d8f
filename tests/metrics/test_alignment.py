import random

import pytest

from metrics.alignment import (
    AlignedRow,
    Alignment,
    Pair,
    Redundancy,
    State,
    align,
    extra_groups,
    role_recall,
)
from metrics.counts import Counts
from tests.metrics import brute_force
from tests.metrics.strategies import random_spans


def _as_tuple(counts):
    return counts.tp, counts.fp, counts.fn


def test_counts_agree_with_the_definition_in_thousands_of_cases():
    rng = random.Random(7)
    redundant = 0
    for _ in range(5000):
        reference, predicted = random_spans(rng, most=5), random_spans(rng)
        alignment = align(reference, predicted)
        expected = brute_force.ua_la(reference, predicted)
        assert (_as_tuple(alignment.ua), _as_tuple(alignment.la)) == expected
        redundant += bool(alignment.redundant)
    assert redundant > 300


def test_every_span_has_exactly_one_place():
    rng = random.Random(8)
    for _ in range(500):
        reference, predicted = random_spans(rng), random_spans(rng)
        alignment = align(reference, predicted)
        reference_spans = [pair.reference for pair in alignment.pairs] + list(alignment.missed)
        predicted_spans = [pair.predicted for pair in alignment.pairs]
        predicted_spans += [span for group in alignment.extra for span in group]
        predicted_spans += [near.predicted for near in alignment.redundant]
        assert sorted(reference_spans) == sorted(reference)
        assert sorted(predicted_spans) == sorted(predicted)


def test_alignment_does_not_depend_on_the_order_of_spans():
    rng = random.Random(9)
    for _ in range(300):
        reference, predicted = random_spans(rng), random_spans(rng)
        backwards = align(dict(reversed(reference.items())), dict(reversed(predicted.items())))
        assert backwards == align(reference, predicted)


def test_example_of_the_paper():
    # The annotator marked "The U.S. Geological Survey (USGS)" as one span. Consolidation split it.
    who = frozenset({"who identified"})
    what = frozenset({"what contains"})
    consolidated = {(0, 4): who, (5, 6): who, (10, 12): what}
    annotator = {(0, 7): who, (10, 12): what}
    alignment = align(consolidated, annotator)
    assert alignment.pairs == [Pair((0, 4), (0, 7), True), Pair((10, 12), (10, 12), True)]
    assert alignment.missed == [(5, 6)]
    assert alignment.ua == Counts(2, 0, 1)


def test_redundant_prediction_costs_nothing_and_names_its_neighbour():
    label = frozenset("a")
    alignment = align({(0, 4): label}, {(0, 4): label, (0, 3): label})
    assert alignment.pairs == [Pair((0, 4), (0, 4), True)]
    assert alignment.redundant == [Redundancy((0, 3), (0, 4))]
    assert alignment.ua == Counts(1, 0, 0)


def test_redundant_prediction_names_the_nearest_reference_span():
    label = frozenset("a")
    reference = {(0, 6): label, (2, 8): label}
    predicted = {(0, 6): label, (2, 8): label, (1, 8): label}
    assert align(reference, predicted).redundant == [Redundancy((1, 8), (2, 8))]


def test_extra_spans_count_once_per_chain():
    label = frozenset("a")
    predicted = dict.fromkeys([(0, 3), (1, 5), (2, 7), (20, 21)], label)
    alignment = align({(30, 31): label}, predicted)
    assert alignment.extra == [[(0, 3)], [(1, 5), (2, 7)], [(20, 21)]]
    assert alignment.ua == Counts(0, 3, 1)
    assert extra_groups([(0, 4), (2, 5), (1, 4)]) == [[(0, 4), (1, 4), (2, 5)]]


def test_pair_with_different_labels_is_a_false_positive_and_a_false_negative():
    alignment = align({(0, 2): frozenset("ab")}, {(0, 2): frozenset("c")})
    assert alignment.ua == Counts(1, 0, 0)
    assert alignment.la == Counts(0, 1, 1)


def test_one_shared_label_of_several_is_enough():
    alignment = align({(0, 2): frozenset("ab")}, {(0, 2): frozenset("bc")})
    assert alignment.la == Counts(1, 0, 0)


def test_labels_only_break_ties():
    # Both predictions have IoU 3/4 with the reference. Only the second has its label.
    a, b = frozenset("a"), frozenset("b")
    tied = align({(0, 4): a}, {(0, 3): b, (1, 4): a})
    assert tied.pairs == [Pair((0, 4), (1, 4), True)]
    better_span = align({(0, 4): a}, {(0, 4): b, (1, 4): a})
    assert better_span.pairs == [Pair((0, 4), (0, 4), False)]


def test_rows_include_every_state():
    a, b = frozenset("a"), frozenset("b")
    alignment = align(
        {(0, 2): a, (4, 6): a, (8, 9): a},
        {(0, 2): a, (4, 6): b, (4, 7): b, (20, 22): a},
    )
    assert alignment.rows() == [
        AlignedRow(State.MATCHED, (0, 2), (0, 2), None),
        AlignedRow(State.LABEL_DIFFERS, (4, 6), (4, 6), None),
        AlignedRow(State.MISSED, (8, 9), None, None),
        AlignedRow(State.EXTRA, None, (20, 22), 0),
        AlignedRow(State.REDUNDANT, (4, 6), (4, 7), None),
    ]


def test_figures_without_spans_are_undefined():
    alignment = align({}, {})
    assert alignment == Alignment([], [], [], [])
    assert alignment.ua.f1 is None


def test_empty_span_is_refused_on_either_side():
    with pytest.raises(ValueError, match="2:2 holds no token"):
        align({(2, 2): frozenset("a")}, {})
    with pytest.raises(ValueError, match="3:1 holds no token"):
        align({}, {(3, 1): frozenset("a")})


def test_role_recall_counts_a_role_if_any_span_matches():
    a = frozenset("a")
    alignment = align({(0, 2): a, (4, 6): a, (8, 9): a}, {(4, 6): a})
    roles = [{(0, 2), (4, 6)}, {(8, 9)}, {(4, 6), (8, 9)}]
    assert role_recall(roles, alignment) == Counts(2, 0, 1)
    assert role_recall([], alignment).recall is None
