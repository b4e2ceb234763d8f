import random

import krippendorff
import pytest

from metrics.distance_alpha import bootstrap_alpha, krippendorff_alpha, masi_distance
from tests.seeds import seeds


@pytest.mark.parametrize("scale", ["ordinal", "interval"])
@pytest.mark.parametrize("seed", seeds(100))
def test_alpha_agrees_with_krippendorff(scale, seed):
    rng = random.Random(seed)
    values = [rng.uniform(-5, 5) for _ in range(rng.randint(2, 8))]
    pairs = [(rng.choice(values), rng.choice(values)) for _ in range(rng.randint(1, 20))]
    if len({value for pair in pairs for value in pair}) == 1:
        assert krippendorff_alpha(pairs, scale=scale) is None
        return
    data = [[a for a, _ in pairs], [b for _, b in pairs]]
    expected = krippendorff.alpha(data, level_of_measurement=scale)
    assert krippendorff_alpha(pairs, scale=scale) == pytest.approx(expected, abs=1e-9)


def test_alpha_is_undefined_without_differences():
    for scale in ("ordinal", "interval"):
        assert krippendorff_alpha([], scale=scale) is None
        assert krippendorff_alpha([(0.1, 0.1)] * 3, scale=scale) is None
        assert krippendorff_alpha([(1, 1), (2, 2)], scale=scale) == 1
    one = frozenset("a")
    assert krippendorff_alpha([(one, one)], scale="masi") is None


def test_large_numbers_keep_their_differences():
    shift = 10**12
    pairs = [(1, 2), (2, 2), (3, 1), (4, 4)]
    moved = [(a + shift, b + shift) for a, b in pairs]
    expected = krippendorff_alpha(pairs, scale="interval")
    assert krippendorff_alpha(moved, scale="interval") == pytest.approx(expected)


def test_distance_of_sets():
    assert masi_distance(frozenset("ab"), frozenset("ab")) == 0
    assert masi_distance(frozenset("ab"), frozenset("c")) == 1
    assert masi_distance(frozenset("ab"), frozenset("a")) == pytest.approx(1 - 1 / 2 * 2 / 3)
    assert masi_distance(frozenset("ab"), frozenset("bc")) == pytest.approx(1 - 1 / 3 * 1 / 3)


@pytest.mark.parametrize("scale", ["ordinal", "interval"])
def test_interval_surrounds_alpha_and_repeats(scale):
    rng = random.Random(5)
    groups = [[(value := rng.randint(1, 5), max(1, value - rng.randint(0, 1)))] for _ in range(60)]
    alpha = krippendorff_alpha([pair for group in groups for pair in group], scale=scale)
    interval = bootstrap_alpha(groups, scale=scale, repetitions=400, seed=1)
    assert interval.low < alpha < interval.high
    assert bootstrap_alpha(groups, scale=scale, repetitions=400, seed=1) == interval
    nothing = bootstrap_alpha([[]], scale=scale, repetitions=10, seed=1)
    assert (nothing.low, nothing.high) == (None, None)
