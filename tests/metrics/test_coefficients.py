"""Kappa and alpha compared with worked examples, and their intervals."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.coefficients import bootstrap_alpha, bootstrap_kappa, cohen_kappa, krippendorff_alpha

labels = st.sampled_from("abc")
pairs = st.lists(st.tuples(labels, labels), max_size=30)
# Krippendorff 2011, "Computing Krippendorff's alpha-reliability", sections A and B.
BINARY = list(zip("0100000010", "1110010000", strict=True))
NOMINAL = list(zip("aabbdcccedda", "babbbccceddd", strict=True))


def test_kappa_of_a_table_worked_by_hand():
    """The table has 20 and 15 on the diagonal, and 5 and 10 beside it. So p_o is 0.7 and p_e is 0.5."""
    table = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    assert cohen_kappa(table) == pytest.approx(0.4)


@pytest.mark.parametrize(("data", "alpha"), [(BINARY, 0.095), (NOMINAL, 0.692)])
def test_alpha_of_published_examples(data, alpha):
    assert krippendorff_alpha(data) == pytest.approx(alpha, abs=0.0005)


@pytest.mark.parametrize("coefficient", [cohen_kappa, krippendorff_alpha])
def test_coefficients_without_two_labels_are_undefined(coefficient):
    assert coefficient([]) is None
    assert coefficient([("a", "a")] * 3) is None


@given(pairs)
def test_coefficients_are_symmetric_and_at_most_one(data):
    for coefficient in (cohen_kappa, krippendorff_alpha):
        value = coefficient(data)
        mirrored = coefficient([(second, first) for first, second in data])
        assert value == pytest.approx(mirrored)
        assert value is None or -1 <= value <= 1
        if value is not None and all(first == second for first, second in data):
            assert value == 1


@pytest.mark.parametrize(
    ("bootstrap", "coefficient"),
    [(bootstrap_kappa, cohen_kappa), (bootstrap_alpha, krippendorff_alpha)],
)
def test_interval_contains_the_figure_and_is_seeded(bootstrap, coefficient):
    groups = [[pair] for pair in NOMINAL * 20]
    first = bootstrap(groups, repetitions=400, seed=3)
    assert first == bootstrap(groups, repetitions=400, seed=3)
    assert first.low < coefficient(NOMINAL * 20) < first.high
    assert first.high - first.low < 0.2
    nothing = bootstrap([[], []], repetitions=10, seed=1)
    assert (nothing.low, nothing.high, nothing.undefined) == (None, None, 1.0)


def test_single_draws_equal_those_of_the_pairs():
    """With a single group, each draw is the whole data, so the interval equals the figure."""
    interval = bootstrap_alpha([BINARY], repetitions=5, seed=1)
    assert interval.low == interval.high == pytest.approx(krippendorff_alpha(BINARY))
