"""Comparison of grounded captions by figures, rows, decisions and remarks."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics import boxes as arrays
from metrics.regions import hull, hull_overlap, region_area, region_overlap
from schemes.contract.comparison import RowDecision
from schemes.contract.items import ItemContext
from schemes.contract.values import Image
from schemes.grounding import remarks
from schemes.grounding.comparison import box_key, compare, count_kept, difference, figures, measure
from web.markdown import headings_of

TARGET = {
    "phrases": [
        {"id": "p0", "start": 0, "end": 2, "plural": True, "cardinality": 2},
        {"id": "p1", "start": 3, "end": 5, "plural": False, "cardinality": None},
        {"id": "p2", "start": 6, "end": 8, "plural": False, "cardinality": None},
        {"id": "p3", "start": 9, "end": 10, "plural": True, "cardinality": None},
    ]
}
CONTEXT = ItemContext(
    ["Two", "dogs", "chase", "a", "ball", "in", "the", "evening", "with", "friends"],
    TARGET,
    Image("dogs.png", 100, 100),
)
LEFT, RIGHT, BALL = [0, 0, 20, 20], [40, 0, 60, 20], [10, 50, 20, 60]

FIGURES = {figure.key: figure for figure in figures}


def phrase(id, state="boxes", *boxes):
    return {"id": id, "state": state, "boxes": list(boxes)}


def content(*phrases):
    return {"phrases": list(phrases)}


REFERENCE = content(
    phrase("p0", "boxes", LEFT, RIGHT),
    phrase("p1", "boxes", BALL),
    phrase("p2", "scene"),
    phrase("p3", "absent"),
)


def values(predicted, reference=REFERENCE, decisions=()):
    measures = measure(reference, predicted, TARGET, decisions)
    return {figure.key: figure.value([measures[figure.key]]) for figure in figures}


def states(predicted, decisions=()):
    return [
        (row.state, row.detail) for row in compare(REFERENCE, predicted, CONTEXT, decisions).rows
    ]


def test_reference_agrees_with_itself():
    assert set(values(REFERENCE).values()) == {1.0}
    assert states(REFERENCE) == [
        ("found", "IoU 1.00"), ("found", "IoU 1.00"), ("found", "IoU 1.00"), ("found", ""), ("found", ""),
    ]  # fmt: skip


def test_box_around_both_boxes_is_correct_by_iou_but_not_by_c_iou():
    apart = content(phrase("p0", "boxes", LEFT, [80, 0, 100, 20]), *REFERENCE["phrases"][1:])
    around = content(phrase("p0", "group", [0, 0, 100, 20]), *REFERENCE["phrases"][1:])
    figures = values(around, apart)
    assert figures["iou-plural"] == 1.0
    assert figures["c-iou-plural"] == 0.0
    assert figures["c-iou-singular"] == figures["c-iou"] * 2 == 1.0
    assert figures["mean-c-iou"] == pytest.approx((800 / 2000 + 1) / 2)
    assert figures["count"] == 0.5
    assert figures["state"] == 0.75
    assert measure(apart, around, TARGET)["components"] == {"tp": 1, "fp": 1, "fn": 2}


def test_plural_depends_on_the_phrase_and_not_on_the_boxes():
    annotation = content(phrase("p0", "boxes", LEFT))
    assert measure(annotation, annotation, TARGET)["c-iou-plural"] == {"correct": 1, "total": 1}
    assert measure(annotation, annotation, TARGET)["c-iou-singular"] == {"correct": 0, "total": 0}


def test_iou_of_exactly_one_half_is_correct():
    full, half = (
        content(phrase("p1", "boxes", [0, 0, 10, 10])),
        content(phrase("p1", "boxes", [0, 0, 5, 10])),
    )
    assert values(half, full)["c-iou"] == 1.0
    smaller = content(phrase("p1", "boxes", [0, 0, 5, 9]))
    assert values(smaller, full)["c-iou"] == 0.0


def test_missing_phrases_and_unnecessary_boxes_are_errors():
    nothing = measure(REFERENCE, {"phrases": []}, TARGET)
    assert nothing["c-iou"] == {"correct": 0, "total": 2}
    assert nothing["components"] == {"tp": 0, "fp": 0, "fn": 3}
    assert nothing["state"] == {"correct": 0, "total": 4}
    needless = content(*REFERENCE["phrases"][:3], phrase("p3", "boxes", [1, 1, 9, 9]))
    assert measure(REFERENCE, needless, TARGET)["components"] == {"tp": 3, "fp": 1, "fn": 0}
    assert values(needless)["c-iou"] == 1.0


def test_phrases_missing_from_the_reference_are_not_compared():
    partial = content(phrase("p1", "boxes", BALL))
    assert set(values(REFERENCE, partial).values()) == {1.0, None}
    assert len(compare(partial, REFERENCE, CONTEXT).rows) == 1


@pytest.mark.parametrize(
    ("predicted", "expected"),
    [
        (phrase("p0", "boxes", LEFT), [("found", "IoU 1.00"), ("missed", "")]),
        (
            phrase("p0", "boxes", [0, 0, 20, 30], [41, 0, 60, 20]),
            [("extent-differs", "box too large, IoU 0.67"), ("found", "IoU 0.95")],
        ),
        (
            phrase("p0", "boxes", LEFT, RIGHT, BALL),
            [("found", "IoU 1.00"), ("found", "IoU 1.00"), ("extra", "")],
        ),
        (
            phrase("p0", "group", [0, 0, 60, 20]),
            [
                ("label-differs", "a group instead of individuals"),
                ("missed", ""), ("missed", ""), ("extra", ""),
            ],
        ),
        (
            phrase("p0", "absent"),
            [("label-differs", "not in the picture instead of boxes"), ("missed", ""), ("missed", "")],
        ),
    ],
)  # fmt: skip
def test_rows_describe_each_difference(predicted, expected):
    compared = compare(content(REFERENCE["phrases"][0]), content(predicted), CONTEXT)
    assert [(row.state, row.detail) for row in compared.rows] == expected
    assert all(
        side.boxes
        for row in compared.rows
        for side in (row.reference, row.predicted)
        if side and ":" in side.key
    )


def test_extent_of_a_box_is_described():
    box = [10, 10, 30, 30]
    assert difference(box, [8, 8, 36, 36]) == "box too large"
    assert difference(box, [12, 12, 27, 28]) == "box too small"
    assert difference(box, [17, 10, 37, 30]) == "box shifted"


def test_decisions_override_the_comparison():
    predicted = content(
        phrase("p0", "boxes", LEFT, [45, 15, 65, 35]),
        phrase("p1", "group", BALL),
        phrase("p2", "scene"),
        phrase("p3", "boxes", [1, 1, 5, 5]),
    )
    before = values(predicted)
    assert (before["c-iou-plural"], before["components"], before["state"]) == (0.0, 4 / 7, 0.5)
    shifted, extra = box_key("p0", [45, 15, 65, 35]), box_key("p3", [1, 1, 5, 5])
    decisions = [
        RowDecision("pair-accepted", box_key("p0", RIGHT), shifted),
        RowDecision("box-accepted", None, extra),
        RowDecision("state-accepted", "p1", "p1"),
    ]
    after = values(predicted, decisions=decisions)
    assert (after["c-iou"], after["components"], after["state"]) == (1.0, 1.0, 0.75)
    compared = compare(REFERENCE, predicted, CONTEXT, decisions)
    assert compared.measures == measure(REFERENCE, predicted, TARGET, decisions)
    assert [row.state for row in compared.rows].count("approved") == 2
    refusals = [RowDecision("pair-refused", box_key("p0", LEFT), box_key("p0", LEFT))]
    assert measure(REFERENCE, REFERENCE, TARGET, refusals)["components"] == {
        "tp": 2,
        "fp": 1,
        "fn": 1,
    }


@pytest.mark.parametrize(
    "decision",
    [
        RowDecision("state-accepted", "p9", "p9"),
        RowDecision("box-accepted", None, "p0"),
        RowDecision("box-accepted", None, "p0:1_2_3_4"),
        RowDecision("pair-accepted", "p0:1_2_3_4", box_key("p0", LEFT)),
        RowDecision("box-accepted", None, box_key("p0", LEFT)),
        RowDecision("pair-accepted", box_key("p1", BALL), box_key("p0", LEFT)),
        RowDecision("state-accepted", None, box_key("p0", LEFT)),
    ],
)
def test_decisions_on_unknown_rows_are_refused(decision):
    with pytest.raises(ValueError, match=r"there is no|same phrase|needs a box|already|decision"):
        measure(REFERENCE, REFERENCE, TARGET, [decision])


def test_validations_agree_on_boxes_that_both_accept():
    def validation(*valid):
        return {"phrases": [{"id": "p0", "valid": True, "missing": False, "boxes": list(valid)}]}

    assert values(validation(True, False, True), validation(True, False, True))["c-iou"] == 1.0
    other = values(validation(False, False, True), validation(True, False, False))
    assert (other["c-iou"], other["components"], other["state"]) == (0.0, 0.0, 1.0)


def test_remarks_link_to_sections_of_the_guidelines():
    predicted = content(
        phrase("p0", "boxes", [0, 0, 20, 30]), phrase("p1", "group", BALL), phrase("p2", "absent"),
        phrase("p3", "absent"),
    )  # fmt: skip
    compared = compare(REFERENCE, predicted, CONTEXT)
    assert [code for code, _ in remarks.hints(compared, CONTEXT)] == [
        "box-too-large", "box-missed", "group-instead", "absence",
    ]  # fmt: skip
    folder = Path(remarks.__file__).with_name("guidelines")
    for role, file in (("generator", "generation.md"), ("consolidator", "consolidation.md")):
        headings = headings_of((folder / file).read_text("utf-8"))
        assert set(remarks.SECTIONS[role].values()) <= set(headings)
    assert remarks.section("unknown", "generator") == ""


def test_mean_has_an_interval():
    figure = FIGURES["mean-c-iou"]
    measures = [{"sum": 0.5 * at, "total": 3} for at in range(7)]
    interval = figure.interval(measures, 1)
    assert interval.low < figure.value(measures) < interval.high
    assert figure.interval([], 1).low is None


box = st.tuples(*[st.integers(0, 12)] * 4).map(
    lambda c: [min(c[0], c[2]), min(c[1], c[3]), max(c[0], c[2]) + 1, max(c[1], c[3]) + 1]
)


@given(first=st.lists(box, max_size=5), second=st.lists(box, max_size=5))
def test_regions_equal_pixel_counts_and_the_array_version(first, second):
    def pixels(boxes):
        grid = np.zeros((14, 14), dtype=bool)
        for x1, y1, x2, y2 in boxes:
            grid[y1:y2, x1:x2] = True
        return grid

    first_pixels, second_pixels = pixels(first), pixels(second)
    assert region_area(first) == first_pixels.sum()
    assert region_overlap(first, second) == (
        (first_pixels & second_pixels).sum(),
        (first_pixels | second_pixels).sum(),
    )
    sets = [arrays.box_sets_from_lists([side]) for side in (first, second)]
    overlap = arrays.hull_overlap(*sets)
    assert hull_overlap(first, second) == (overlap.intersection[0], overlap.union[0])


def test_empty_region_has_no_hull():
    with pytest.raises(ValueError, match="no hull"):
        hull([])


def test_kept_boxes_match_a_box_for_the_same_phrase():
    assert count_kept(REFERENCE, REFERENCE) == 3
    shifted = [4, 0, 24, 20]
    assert count_kept(REFERENCE, content(phrase("p0", "boxes", shifted))) == 1
    assert count_kept(REFERENCE, content(phrase("p0", "boxes", LEFT, shifted))) == 1
    assert count_kept(REFERENCE, content(phrase("p1", "boxes", LEFT, RIGHT))) == 0
    tiny = [[x, 0, x + 3, 3] for x in range(50)]
    assert count_kept(REFERENCE, content(phrase("p0", "boxes", *tiny))) == 0
    assert count_kept(REFERENCE, content(phrase("p0", "group", [0, 0, 100, 100]))) == 0


def test_kept_box_of_several_phrases_counts_once():
    shared = content(phrase("p0", "boxes", BALL), phrase("p1", "boxes", BALL))
    assert count_kept(shared, shared) == 1
