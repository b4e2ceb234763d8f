"""Measures of how answers were entered."""

import random

import pytest

from metrics.input_signals import (
    BUCKETS,
    FIRST_MS,
    GROWTH,
    Inputs,
    characters_per_second,
    interval_quantile,
    interval_spread,
    pasted_share,
    rhythm_distance,
    untrusted_share,
)


def inputs(intervals=(), *, gestures=0, untrusted=0, **characters) -> Inputs:
    return Inputs(characters, 0, intervals, gestures, untrusted, 0, 0.0)


def buckets(milliseconds) -> list[int]:
    """Count intervals as pages do."""
    counts = [0] * BUCKETS
    for time in milliseconds:
        bucket = 0
        while bucket < BUCKETS - 1 and time >= FIRST_MS * GROWTH ** (bucket + 1):
            bucket += 1
        counts[bucket] += 1
    return counts


def test_share_of_pasted_characters_needs_twenty_characters():
    assert pasted_share(inputs(typed=15, pasted=60, dropped=25)) == pytest.approx(0.85)
    assert pasted_share(inputs(typed=40)) == 0
    assert pasted_share(inputs(pasted=19)) is None


def test_share_of_untrusted_events_needs_three_events():
    assert untrusted_share(inputs(untrusted=3, gestures=1)) == 0.75
    assert untrusted_share(inputs(gestures=9)) == 0
    assert untrusted_share(inputs(untrusted=2)) is None


def test_speed_leaves_out_characters_of_assistive_technology():
    assert characters_per_second(inputs(typed=30, pasted=30, words=500), active_seconds=10) == 6
    assisted = inputs(words=300, composed=200, replaced=50, restored=100)
    assert characters_per_second(assisted, active_seconds=1) is None


def test_speed_of_less_than_a_second_counts_as_a_second():
    assert characters_per_second(inputs(pasted=50), active_seconds=0) == 50


@pytest.mark.parametrize("share", [0.1, 0.25, 0.5, 0.75, 0.9])
def test_quantile_is_within_a_bucket_of_that_of_the_intervals(share):
    rng = random.Random(3)
    times = sorted(rng.lognormvariate(5.1, 0.5) for _ in range(500))
    exact = times[round(share * len(times)) - 1]
    assert exact / GROWTH <= interval_quantile(buckets(times), share) <= exact * GROWTH


def test_spread_is_that_of_the_quartiles():
    rng = random.Random(4)
    wide = buckets(rng.lognormvariate(5.1, 0.5) for _ in range(300))
    narrow = buckets(rng.gauss(50, 1) for _ in range(300))
    assert 0.5 <= interval_spread(wide) <= 0.9
    assert interval_spread(narrow) <= 0.2
    assert interval_spread(buckets([100] * 29)) is None


def test_distance_of_rhythms_is_between_none_and_all():
    slow, fast = buckets([400] * 40), buckets([60] * 50)
    assert rhythm_distance(slow, slow) == 0
    assert rhythm_distance(slow, fast) == 1
    assert rhythm_distance(buckets([400] * 20 + [60] * 20), fast) == pytest.approx(0.5)
    assert rhythm_distance(slow, buckets([60] * 29)) is None
