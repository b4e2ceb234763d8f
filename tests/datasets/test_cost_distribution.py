from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasets.domain.costs.cost_distribution import BARS, Bin, distribution_chart, distribution_of


def test_distribution_without_amounts_has_no_mean():
    empty = distribution_of([])
    assert (empty.bins, empty.count, empty.mean) == ((), 0, None)


def test_distribution_of_few_amounts_has_one_bin_per_cent():
    distribution = distribution_of([40, 42, 42])
    assert distribution.bins == (Bin(40, 40, 1), Bin(41, 41, 0), Bin(42, 42, 2))
    assert distribution.mean == pytest.approx(41.333, abs=0.001)


@given(st.lists(st.integers(min_value=0, max_value=10_000_000), min_size=1, max_size=60))
def test_every_amount_is_in_exactly_one_bin(cents):
    bins = distribution_of(cents).bins
    assert 1 <= len(bins) <= BARS
    assert sum(cost_bin.count for cost_bin in bins) == len(cents)
    for cost_bin in bins:
        assert cost_bin.count == sum(cost_bin.low <= amount <= cost_bin.high for amount in cents)
    for left, right in pairwise(bins):
        assert right.low == left.high + 1


def test_chart_has_a_bar_per_bin_and_marks_the_mean():
    chart = distribution_chart(distribution_of([40, 42, 55]), counted_at=datetime.now(UTC))
    assert len(chart.chart.series[0].points) == len(chart.rows)
    assert chart.chart.marks == {"mean $0.46": pytest.approx(45.67, abs=0.01)}
    assert chart.written_rows()[0] == ["$0.40", "$0.40", "1"]
