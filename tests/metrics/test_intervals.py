"""Intervals without resampling."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.intervals import wilson_interval


def test_wilson_interval_equals_published_values():
    # Newcombe 1998, table I, has 81 of 263, 15 of 148, 0 of 20 and 1 of 29.
    for hits, of, low, high in (
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ):
        interval = wilson_interval(hits, of)
        assert (interval.low, interval.high) == (
            pytest.approx(low, abs=1e-4),
            pytest.approx(high, abs=1e-4),
        )


@given(st.integers(1, 500), st.data())
def test_wilson_interval_contains_the_share(of, data):
    hits = data.draw(st.integers(0, of))
    interval = wilson_interval(hits, of)
    assert 0 <= interval.low <= hits / of <= interval.high <= 1
    mirrored = wilson_interval(of - hits, of)
    assert interval.low == pytest.approx(1 - mirrored.high)
