import random

import numpy as np
import pytest

from metrics.bootstrap import (
    bootstrap_counts,
    bootstrap_difference,
    bootstrap_share,
    percentile_interval,
    quotient,
    resampled_sums,
)
from metrics.counts import Counts
from metrics.intervals import Interval

COUNTS = [Counts(tp, fp, 1) for tp in range(5) for fp in range(3)] * 4


def test_same_seed_gives_the_same_intervals_in_any_order():
    shuffled = random.Random(1).sample(COUNTS, len(COUNTS))
    first = bootstrap_counts(COUNTS, repetitions=200, seed=3)
    assert first == bootstrap_counts(shuffled, repetitions=200, seed=3)
    assert first != bootstrap_counts(COUNTS, repetitions=200, seed=4)


def test_interval_contains_the_figure_and_narrows_with_more_items():
    interval = bootstrap_counts(COUNTS, repetitions=1000, seed=3)["f1"]
    narrower = bootstrap_counts(COUNTS * 25, repetitions=1000, seed=3)["f1"]
    total = Counts(sum(c.tp for c in COUNTS), sum(c.fp for c in COUNTS), len(COUNTS))
    assert interval.low < total.f1 < interval.high
    assert (interval.high - interval.low) / (narrower.high - narrower.low) == pytest.approx(
        5, rel=0.25
    )


def test_identical_items_give_an_interval_of_width_zero():
    intervals = bootstrap_counts([Counts(3, 1, 0)] * 9, repetitions=50, seed=0)
    assert (intervals["precision"].low, intervals["precision"].high) == (0.75, 0.75)
    assert (intervals["recall"].low, intervals["recall"].high) == (1.0, 1.0)


def test_resampled_sums_keep_the_number_of_items_and_the_mean():
    sums = resampled_sums([[1, 0], [1, 2], [1, 4]], repetitions=4000, seed=1)
    assert set(sums[:, 0]) == {3}
    assert sums[:, 1].mean() == pytest.approx(6, abs=0.2)
    # The variance of a sum of 3 draws from {0, 2, 4}.
    assert sums[:, 1].var() == pytest.approx(8, rel=0.1)


def test_undefined_draws_are_left_out_and_reported():
    intervals = bootstrap_counts([Counts(1, 0, 0), Counts(0, 0, 1)], repetitions=500, seed=0)
    assert intervals["precision"].undefined == pytest.approx(0.25, abs=0.06)
    assert intervals["precision"].low == 1.0
    assert intervals["recall"].undefined == 0


def test_intervals_without_items_are_undefined():
    nothing = Interval(None, None, 0.95, 1.0)
    assert bootstrap_counts([], repetitions=10, seed=0) == dict.fromkeys(
        ("precision", "recall", "f1"), nothing
    )
    assert bootstrap_share([], repetitions=10, seed=0) == nothing


def test_share_of_flags_has_the_expected_interval():
    flags = [True] * 30 + [False] * 70
    share = bootstrap_share(flags, repetitions=3000, seed=0)
    assert share.low == pytest.approx(0.21, abs=0.02)
    assert share.high == pytest.approx(0.39, abs=0.02)


def test_invalid_level_or_number_of_draws_is_refused():
    with pytest.raises(ValueError, match="repetition"):
        resampled_sums([[1]], repetitions=0, seed=0)
    with pytest.raises(ValueError, match="level"):
        percentile_interval(np.array([1.0]), level=95)


def test_quotient_is_nan_only_where_the_denominator_is_zero():
    quotients = quotient([0, 1, 3], [0, 2, 4])
    assert np.isnan(quotients[0])
    assert quotients[1:].tolist() == [0.5, 0.75]


def mean(values):
    return sum(values) / len(values) if values else None


def test_difference_covers_the_true_one():
    rng = np.random.default_rng(5)
    covered = 0
    for seed in range(200):
        first, second = rng.normal(1.0, 1.0, 60), rng.normal(1.5, 2.0, 40)
        bounds = bootstrap_difference(
            list(first), list(second), mean, repetitions=200, seed=seed, level=0.9
        )
        covered += bounds.low <= 0.5 <= bounds.high
    assert 165 <= covered <= 193  # 90 % with three standard errors


def test_difference_has_the_width_of_the_normal_approximation():
    rng = np.random.default_rng(6)
    first, second = rng.normal(0.0, 1.0, 400), rng.normal(0.0, 2.0, 300)
    bounds = bootstrap_difference(list(first), list(second), mean, repetitions=4000, seed=1)
    error = np.sqrt(first.var() / 400 + second.var() / 300)
    assert bounds.high - bounds.low == pytest.approx(2 * 1.96 * error, rel=0.06)
    assert (bounds.high + bounds.low) / 2 == pytest.approx(
        second.mean() - first.mean(), abs=0.1 * error
    )


def test_difference_to_an_empty_group_is_undefined():
    bounds = bootstrap_difference([1.0], [], mean, repetitions=10, seed=1)
    assert (bounds.low, bounds.high, bounds.undefined) == (None, None, 1.0)
