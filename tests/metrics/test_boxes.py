import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

from metrics.boxes import (
    any_candidate_accepted,
    box_sets,
    box_sets_from_lists,
    cardinality_matches,
    clipped,
    component_overlap,
    enlarged_areas,
    enlarged_sides,
    filler,
    hull_overlap,
    hulls,
    joined,
    random_box_sets,
    random_objects,
    region_areas,
    scaled,
    whole_images,
)
from tests.metrics import brute_force
from tests.metrics.strategies import SIDE, box_pairs


def _lists(sets):
    bounds = zip(sets.offsets[:-1], sets.offsets[1:], strict=True)
    return [sets.boxes[start:end].tolist() for start, end in bounds]


def _random_boxes(rng):
    boxes = []
    for _ in range(rng.randint(0, 5)):
        x1, y1 = rng.randrange(SIDE - 1), rng.randrange(SIDE - 1)
        boxes.append((x1, y1, rng.randint(x1 + 1, SIDE), rng.randint(y1 + 1, SIDE)))
    return boxes


def _sets(pairs):
    gold = box_sets_from_lists([pair[0] for pair in pairs])
    return gold, box_sets_from_lists([pair[1] for pair in pairs])


def test_both_figures_agree_with_pixel_masks_in_thousands_of_cases():
    rng = random.Random(13)
    pairs = [(_random_boxes(rng), _random_boxes(rng)) for _ in range(4000)]
    gold, predicted = _sets(pairs)
    by_hull, by_component = hull_overlap(gold, predicted), component_overlap(gold, predicted)
    for at, (gold_boxes, predicted_boxes) in enumerate(pairs):
        hulls_met = brute_force.mask_iou(
            brute_force.hull_mask(gold_boxes), brute_force.hull_mask(predicted_boxes)
        )
        regions_met = brute_force.mask_iou(
            brute_force.mask(gold_boxes), brute_force.mask(predicted_boxes)
        )
        assert (by_hull.intersection[at], by_hull.union[at]) == hulls_met
        assert (by_component.intersection[at], by_component.union[at]) == regions_met
        intersection, union = regions_met
        assert by_component.correct[at] == (
            union > 0 and Fraction(intersection, union) >= Fraction(1, 2)
        )


def test_filler_equals_that_of_pixel_masks():
    rng = random.Random(14)
    lists = [_random_boxes(rng) for _ in range(1000)]
    shares = filler(box_sets_from_lists(lists))
    for boxes, share in zip(lists, shares, strict=True):
        around = brute_force.hull_mask(boxes).sum()
        if not boxes:
            assert np.isnan(share)
        else:
            assert share == pytest.approx(1 - brute_force.mask(boxes).sum() / around)


def test_boxes_of_a_set_form_one_region():
    rng = random.Random(15)
    boxes = [box for _ in range(40) for box in _random_boxes(rng)]
    assert region_areas(box_sets_from_lists([boxes])).tolist() == [brute_force.mask(boxes).sum()]


def test_iou_of_exactly_one_half_is_correct():
    gold = box_sets_from_lists([[(0, 0, 10, 10)]] * 3)
    predicted = box_sets_from_lists([[(0, 0, 5, 10)], [(0, 0, 20, 10)], [(0, 0, 7, 7)]])
    for overlap in (hull_overlap(gold, predicted), component_overlap(gold, predicted)):
        assert overlap.correct.tolist() == [True, True, False]
        assert overlap.iou.tolist() == [0.5, 0.5, 0.49]


def test_threshold_is_exact_for_the_largest_whole_numbers():
    side = 1 << 26
    gold = box_sets_from_lists([[(0, 0, side, side)]] * 2)
    predicted = box_sets_from_lists([[(0, 0, side // 2, side)], [(0, 0, side // 2 - 1, side)]])
    assert component_overlap(gold, predicted).correct.tolist() == [True, False]


def test_union_box_is_correct_by_iou_but_not_by_c_iou():
    gold = box_sets_from_lists([[(0, 0, 2, 2), (18, 0, 20, 2)]])
    predicted = box_sets_from_lists([[(0, 0, 20, 2)]])
    assert hull_overlap(gold, predicted).iou.tolist() == [1.0]
    assert component_overlap(gold, predicted).iou.tolist() == [0.2]
    assert filler(gold).tolist() == [0.8]


def test_empty_prediction_scores_zero_and_two_empty_sides_are_undefined():
    gold = box_sets_from_lists([[(0, 0, 2, 2)], [(0, 0, 2, 2), (4, 4, 5, 5)], []])
    nothing = box_sets_from_lists([[], [], []])
    for overlap in (hull_overlap(gold, nothing), component_overlap(gold, nothing)):
        assert overlap.correct.tolist() == [False, False, False]
        assert overlap.iou[:2].tolist() == [0.0, 0.0]
        assert np.isnan(overlap.iou[2])


def test_boxes_without_area_are_dropped():
    sets = box_sets_from_lists([[(0, 0, 2, 2), (5, 5, 5, 9)], [(3, 3, 2, 4)], [(0, 0, 1, 1)]])
    assert _lists(sets) == [[[0, 0, 2, 2]], [], [[0, 0, 1, 1]]]


def test_fractions_of_a_pixel_are_not_rounded():
    gold = box_sets_from_lists([[(0, 0, 1.5, 1)]])
    predicted = box_sets_from_lists([[(0, 0, 3, 1)]])
    assert component_overlap(gold, predicted).iou.tolist() == [0.5]
    mixed = component_overlap(gold, box_sets_from_lists([[(0, 0, 3, 1), (3, 0, 6, 1)]]))
    assert mixed.iou.tolist() == [0.25]


@pytest.mark.parametrize(
    ("boxes", "offsets", "message"),
    [
        ([[0, 0, 1]], [0, 1], "shape"),
        ([[0, 0, 1, 1]], [0, 2], "offsets"),
        ([[0, 0, 1, 1]], [1, 1], "offsets"),
        ([[0, 0, 1, 1]] * 2, [0, 2, 1, 2], "offsets"),
        ([[0, 0, float("nan"), 1]], [0, 1], "NaN"),
        ([[0, 0, 1 << 27, 1]], [0, 1], "beyond"),
    ],
)
def test_invalid_arrays_are_refused(boxes, offsets, message):
    with pytest.raises(ValueError, match=message):
        box_sets(boxes, offsets)


def test_sides_of_different_lengths_are_refused():
    shorter, longer = box_sets_from_lists([[]]), box_sets_from_lists([[], []])
    for measure in (hull_overlap, component_overlap, joined):
        with pytest.raises(ValueError, match="1 gold sets but 2"):
            measure(shorter, longer)


def test_sets_are_selected_joined_and_hulled_by_position():
    sets = box_sets_from_lists([[(0, 0, 1, 1)], [], [(2, 2, 3, 3), (7, 1, 9, 2)]])
    assert _lists(sets.select([2, 1, 2])) == [
        [[2, 2, 3, 3], [7, 1, 9, 2]],
        [],
        [[2, 2, 3, 3], [7, 1, 9, 2]],
    ]
    assert _lists(sets.select([True, False, False])) == [[[0, 0, 1, 1]]]
    assert hulls(sets).tolist() == [[0, 0, 1, 1], [0, 0, 0, 0], [2, 1, 9, 3]]
    other = box_sets_from_lists([[], [(5, 5, 6, 6)], [(0, 0, 1, 1)]])
    assert _lists(joined(sets, other)) == [
        [[0, 0, 1, 1]],
        [[5, 5, 6, 6]],
        [[2, 2, 3, 3], [7, 1, 9, 2], [0, 0, 1, 1]],
    ]


def test_cardinality_is_compared_with_the_number_of_boxes():
    sets = box_sets_from_lists([[(0, 0, 1, 1)], [(0, 0, 1, 1), (2, 2, 3, 3)], []])
    assert cardinality_matches(sets, [1, 3, 0]).tolist() == [True, False, True]


def test_upper_bound_requires_one_passing_candidate():
    gold = box_sets_from_lists([[(0, 0, 2, 2), (18, 0, 20, 2)], [(0, 0, 4, 4)], [(0, 0, 4, 4)]])
    candidates = box_sets_from_lists([[(0, 0, 20, 2)], [(5, 5, 9, 9)], [(0, 0, 4, 3)]])
    phrases = [0, 1, 1]
    bounds = any_candidate_accepted(gold, candidates, phrases)
    assert {name: flags.tolist() for name, flags in bounds.items()} == {
        "iou": [True, True, False],
        "c_iou": [False, True, False],
        "both": [False, True, False],
    }


def test_both_metrics_must_accept_the_same_candidate():
    gold = box_sets_from_lists([[(0, 0, 2, 2), (18, 0, 20, 2)]])
    hull_only, region_only = [(0, 0, 20, 2)], [(0, 0, 2, 2), (18, 0, 20, 2), (18, 20, 20, 21)]
    candidates = box_sets_from_lists([hull_only, region_only])
    bounds = any_candidate_accepted(gold, candidates, [0, 0])
    assert {name: flags.tolist() for name, flags in bounds.items()} == {
        "iou": [True],
        "c_iou": [True],
        "both": [False],
    }


@given(box_pairs)
def test_prediction_never_exceeds_the_upper_bound_of_its_candidates(pairs):
    gold, predicted = _sets(pairs)
    places = np.arange(len(pairs))
    bounds = any_candidate_accepted(gold, predicted, places)
    for name, measure in (("iou", hull_overlap), ("c_iou", component_overlap)):
        assert bounds[name].tolist() == measure(gold, predicted).correct.tolist()


def test_whole_image_is_a_single_box():
    assert _lists(whole_images([[6, 4], [3, 9]])) == [[[0, 0, 6, 4]], [[0, 0, 3, 9]]]


def test_random_boxes_are_seeded_and_inside_their_image():
    images = [[1 + at % 7, 1 + at % 5] for at in range(2000)]
    sets = random_box_sets(images, seed=5)
    assert np.bincount(sets.sizes).tolist()[:2] == [0, 0]
    assert set(sets.sizes.tolist()) == {2, 3, 4, 5}
    limits = np.repeat(np.array(images), sets.sizes, axis=0)
    assert (sets.boxes[:, :2] >= 0).all()
    assert (sets.boxes[:, 2:] <= limits).all()
    assert (sets.boxes[:, :2] < sets.boxes[:, 2:]).all()
    assert sets.boxes.tolist() == random_box_sets(images, seed=5).boxes.tolist()
    assert sets.boxes.tolist() != random_box_sets(images, seed=6).boxes.tolist()


def test_random_objects_have_different_labels():
    labels = ["man", "man", "dog", None, "cat", "hat", "tree", None]
    lists = [labels, labels[:2], [], [None, None]] * 100
    draws = random_objects(lists, seed=1)
    numbers = {len(draw) for draw in draws[::4]}
    assert numbers == {2, 3, 4, 5}
    for draw, own in zip(draws, lists, strict=True):
        drawn = [own[at] for at in draw if own[at] is not None]
        assert len(set(drawn)) == len(drawn)
        assert len(set(draw)) == len(draw)
        assert len(draw) >= min(2, len(set(own) - {None}) + own.count(None))
    assert {at for draw in draws for at in draw} == set(range(len(labels)))
    assert draws == random_objects(lists, seed=1) != random_objects(lists, seed=2)


def test_sides_grow_by_half_around_each_centre_in_quarter_units():
    sets = box_sets_from_lists([[(4, 4, 8, 6), (0, 0, 1, 1)]])
    # 4 x 2 at (4, 4) becomes 6 x 3 around the same centre (6, 5).
    assert _lists(enlarged_sides(sets)) == [[[12, 14, 36, 26], [-1, -1, 5, 5]]]
    areas = region_areas(enlarged_sides(sets.select([0])).select([0]))
    assert areas.dtype == np.int64


def test_areas_grow_by_half_around_each_centre():
    sets = box_sets_from_lists([[(4, 4, 8, 6)]])
    ((x1, y1, x2, y2),) = _lists(enlarged_areas(sets))[0]
    assert (x2 - x1) * (y2 - y1) == pytest.approx(1.5 * 8)
    assert ((x1 + x2) / 2, (y1 + y2) / 2) == pytest.approx((6, 5))
    assert (x2 - x1) / (y2 - y1) == pytest.approx(2)


def test_clipping_keeps_what_is_inside_and_drops_the_rest():
    sets = box_sets_from_lists([[(-3, 1, 4, 99), (-5, -5, 0, 3)], [(1, 1, 2, 2)]])
    assert _lists(clipped(sets, [[10, 20], [10, 20]])) == [[[0, 1, 4, 20]], [[1, 1, 2, 2]]]


def test_scaling_changes_no_figure():
    gold = box_sets_from_lists([[(0, 0, 3, 7)]])
    predicted = box_sets_from_lists([[(1, 0, 4, 7)]])
    small = component_overlap(scaled(gold, 4), scaled(predicted, 4))
    assert small.iou.tolist() == component_overlap(gold, predicted).iou.tolist() == [0.5]
