import random
from fractions import Fraction

import pytest

from metrics.matching import connected_components, lexicographic_matching
from tests.metrics import brute_force


def _sums(edges, matching):
    levels = len(next(iter(edges.values())))
    return tuple(sum((edges[e][k] for e in matching), Fraction(0)) for k in range(levels))


def _random_edges(rng):
    left, right = rng.randint(1, 5), rng.randint(1, 5)
    # The values are few and close, so ties on every level are common.
    return {
        (i, j): (1, Fraction(rng.randint(5, 8), rng.choice((8, 9, 16))), rng.randint(0, 1))
        for i in range(left)
        for j in range(right)
        if rng.random() < 0.6
    }


@pytest.mark.slow
def test_matching_is_the_best_of_all_matchings_in_thousands_of_cases():
    rng = random.Random(20)
    contested = 0
    for _ in range(4000):
        edges = _random_edges(rng)
        if not edges:
            continue
        matching = lexicographic_matching(edges)
        assert len({i for i, _ in matching}) == len(matching) == len({j for _, j in matching})
        assert _sums(edges, matching) == brute_force.best_sums(edges)
        contested += len(matching) < len(edges)
    assert contested > 3000


def test_cardinality_takes_precedence_over_weight():
    edges = {
        (0, 0): (1, Fraction(1)),
        (0, 1): (1, Fraction(1, 2)),
        (1, 0): (1, Fraction(1, 2)),
    }
    assert lexicographic_matching(edges) == [(0, 1), (1, 0)]


def test_difference_below_float_precision_decides_a_tie():
    # 1/3 + 2/3 + 10**-30 and 1/2 + 1/2 are equal as floats.
    excess = Fraction(1, 10**30)
    edges = {
        (0, 0): (1, Fraction(1, 3), 0),
        (1, 1): (1, Fraction(2, 3) + excess, 0),
        (0, 1): (1, Fraction(1, 2), 1),
        (1, 0): (1, Fraction(1, 2), 1),
    }
    assert float(Fraction(1, 3) + Fraction(2, 3) + excess) == 1.0
    assert lexicographic_matching(edges) == [(0, 0), (1, 1)]


def test_equal_weights_are_decided_by_the_next_level():
    edges = {
        (0, 0): (1, Fraction(1, 3), 0),
        (1, 1): (1, Fraction(2, 3), 0),
        (0, 1): (1, Fraction(1, 2), 1),
        (1, 0): (1, Fraction(1, 2), 0),
    }
    assert lexicographic_matching(edges) == [(0, 1), (1, 0)]


def test_matching_does_not_depend_on_the_order_of_edges():
    edges = {(i, j): (1, Fraction(1, 2), 1) for i in range(4) for j in range(4)}
    shuffled = dict(random.Random(1).sample(list(edges.items()), len(edges)))
    assert lexicographic_matching(edges) == lexicographic_matching(shuffled)


def test_matching_without_edges_is_empty():
    assert lexicographic_matching({}) == []


def test_large_component_is_matched():
    rng = random.Random(3)
    edges = {(i, j): (1, Fraction(rng.randint(50, 100), 100)) for i in range(40) for j in range(50)}
    assert len(lexicographic_matching(edges)) == 40


def test_chains_of_edges_form_one_component():
    links = [(0, 1), (1, 2), (4, 5)]
    assert connected_components(range(6), links) == [[0, 1, 2], [3], [4, 5]]
