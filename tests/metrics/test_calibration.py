import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss

from metrics.calibration import ReliabilityBin, calibration

SHARES = st.floats(0, 1)


def test_bins_have_the_means_of_their_predictions():
    found = calibration([(0.05, 0), (0.15, 1), (0.15, 0), (1.0, 1), (0.95, 0)])
    assert list(found.bins) == [
        ReliabilityBin(1, 0.05, 0),
        ReliabilityBin(2, 0.15, 0.5),
        ReliabilityBin(2, 0.975, 0.5),
    ]
    assert found.count == 5
    assert found.expected_error == pytest.approx((0.05 + 2 * 0.35 + 2 * 0.475) / 5)


def test_brier_equals_that_of_scikit_learn():
    rng = random.Random(1)
    pairs = [(rng.random(), rng.random() < 0.4) for _ in range(500)]
    expected = brier_score_loss([outcome for _, outcome in pairs], [p for p, _ in pairs])
    assert calibration(pairs).brier == pytest.approx(expected)


def test_without_predictions_nothing_is_defined():
    found = calibration([])
    assert (found.count, found.brier, found.expected_error) == (0, None, None)


@given(st.lists(st.tuples(SHARES, SHARES), min_size=1), st.randoms())
def test_order_changes_nothing_and_errors_are_shares(pairs, rng):
    found = calibration(pairs)
    shuffled = calibration(rng.sample(pairs, len(pairs)))
    assert sum(row.count for row in found.bins) == len(pairs)
    assert 0 <= found.brier <= 1
    assert 0 <= found.expected_error <= 1
    assert math.isclose(found.brier, shuffled.brier, abs_tol=1e-12)
    assert math.isclose(found.expected_error, shuffled.expected_error, abs_tol=1e-12)


@given(st.lists(st.booleans(), min_size=1))
def test_certain_predictions_that_occur_have_no_error(outcomes):
    found = calibration([(float(outcome), float(outcome)) for outcome in outcomes])
    assert (found.brier, found.expected_error) == (0, 0)
