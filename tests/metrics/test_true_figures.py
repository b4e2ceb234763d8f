"""The true precision and recall, which are estimated from judged samples of automatic errors."""

import random

import pytest

from metrics.true_figures import true_precision, true_recall


def test_correct_parts_are_extrapolated():
    # Half of the sample of 40 false positives is right, so the precision is (60 + 20) / 100.
    estimate = true_precision(matched=60, extra=40, correct=5, repeated=0, wrong=5)
    assert estimate.value == pytest.approx(0.8)
    assert 0.6 < estimate.interval.low < 0.8 < estimate.interval.high < 1


def test_repeated_parts_are_not_counted():
    estimate = true_precision(matched=60, extra=40, correct=0, repeated=10, wrong=0)
    assert estimate.value == 1
    half = true_precision(matched=60, extra=40, correct=0, repeated=5, wrong=5)
    assert half.value == pytest.approx(60 / 80)


def test_complete_sample_requires_no_matches():
    estimate = true_precision(matched=0, extra=200, correct=9, repeated=0, wrong=1)
    assert estimate.value == pytest.approx(0.9)


def test_estimate_requires_judgments():
    estimate = true_precision(matched=3, extra=2, correct=0, repeated=0, wrong=0)
    assert estimate.value is None


def test_intervals_contain_the_true_value_as_often_as_stated():
    rng = random.Random(5)
    share, matched, extra = 0.7, 800, 200
    truth = (matched + share * extra) / (matched + extra)
    hits = 0
    for repetition in range(100):
        correct = sum(rng.random() < share for _ in range(100))
        estimate = true_precision(
            matched=matched,
            extra=extra,
            correct=correct,
            repeated=0,
            wrong=100 - correct,
            seed=repetition,
        )
        hits += estimate.interval.low <= truth <= estimate.interval.high
    assert hits >= 88


def test_parts_that_should_have_been_found_are_extrapolated():
    # Half of the 40 missed parts are right, so 60 of 80 were found.
    estimate = true_recall(matched=60, missed=40, correct=5, others=5)
    assert estimate.value == pytest.approx(60 / 80)
    assert 0.6 <= estimate.interval.low < 0.75 < estimate.interval.high <= 1
    assert true_recall(matched=60, missed=40, correct=10, others=0).value == pytest.approx(0.6)
    assert true_recall(matched=60, missed=40, correct=0, others=10).value == 1
    assert true_recall(matched=60, missed=40, correct=0, others=0).value is None
