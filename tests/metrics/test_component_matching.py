from fractions import Fraction

from hypothesis import given

from metrics.component_matching import ComponentMatch, box_iou, match_components
from tests.metrics import brute_force
from tests.metrics.strategies import box_lists, boxes


@given(boxes, boxes)
def test_box_iou_agrees_with_pixels(first, second):
    intersection, union = brute_force.mask_iou(
        brute_force.mask([first]), brute_force.mask([second])
    )
    assert box_iou(first, second) == Fraction(intersection, union)


@given(box_lists, box_lists)
def test_matching_is_optimal(gold, predicted):
    edges = {
        (i, j): (1, box_iou(a, b))
        for i, a in enumerate(gold)
        for j, b in enumerate(predicted)
        if box_iou(a, b) >= Fraction(1, 2)
    }
    match = match_components(gold, predicted)
    sums = len(match.pairs), sum(edges[pair][1] for pair in match.pairs)
    assert sums == (brute_force.best_sums(edges) if edges else (0, 0))
    assert sorted([i for i, _ in match.pairs] + match.missed) == list(range(len(gold)))
    assert sorted([j for _, j in match.pairs] + match.extra) == list(range(len(predicted)))


def test_components_are_matched_missed_or_extra():
    gold = [(0, 0, 10, 10), (50, 50, 60, 60)]
    predicted = [(80, 80, 90, 90), (0, 0, 10, 5)]
    assert match_components(gold, predicted) == ComponentMatch([(0, 1)], [1], [0])


def test_fractions_of_a_pixel_are_exact_and_empty_boxes_never_match():
    assert box_iou((0, 0, 0.5, 1), (0, 0, 1, 1)) == Fraction(1, 2)
    assert box_iou((0, 0, 0, 1), (0, 0, 0, 1)) == 0
