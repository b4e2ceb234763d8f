from fractions import Fraction

import pytest
from hypothesis import given

from metrics.spans import check_spans, overlap, span_iou, spans_match
from tests.metrics import brute_force
from tests.metrics.strategies import spans


@given(spans, spans)
def test_iou_and_match_equal_those_of_token_sets(first, second):
    expected = brute_force.span_iou(first, second)
    assert span_iou(first, second) == expected == span_iou(second, first)
    assert spans_match(first, second) == (expected >= Fraction(1, 2))
    assert (overlap(first, second) > 0) == (expected > 0)


@pytest.mark.parametrize(
    ("second", "matches"),
    [((0, 2), True), ((0, 8), True), ((0, 1), False), ((0, 9), False), ((2, 6), False)],
)
def test_pair_matches_at_one_half_but_not_just_below(second, matches):
    assert spans_match((0, 4), second) is matches


def test_threshold_is_exact_for_long_spans():
    length = 10**17
    assert spans_match((0, 2 * length), (0, length))
    assert not spans_match((0, 2 * length + 1), (0, length))


def test_touching_spans_do_not_match():
    assert not spans_match((0, 1), (1, 2))


@pytest.mark.parametrize("span", [(3, 3), (4, 2), (-1, 2)])
def test_empty_span_is_refused_by_name(span):
    with pytest.raises(ValueError, match=f"{span[0]}:{span[1]} holds no token"):
        check_spans([(0, 1), span])
    with pytest.raises(ValueError, match="holds no token"):
        span_iou((0, 1), span)
