import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.component_matching import box_iou
from schemes.grounding import merging
from schemes.grounding.content import parse_consolidation
from schemes.grounding.merging import gold_of, judged, lay_out, trace

from .items import CONTEXT, grounding

LEFT, RIGHT, CAR = [10, 20, 60, 120], [80, 20, 130, 120], [200, 100, 400, 220]
WIDE = [80, 20, 140, 120]
OURS = grounding(("boxes", [LEFT, RIGHT]), ("boxes", [CAR]), ("scene", []), ("group", [LEFT]))
THEIRS = grounding(("boxes", [LEFT, WIDE]), ("boxes", [CAR]), ("scene", []), ("absent", []))

box = st.tuples(st.integers(0, 40), st.integers(0, 40), st.integers(1, 40), st.integers(1, 40)).map(
    lambda sides: [sides[0], sides[1], sides[0] + sides[2], sides[1] + sides[3]]
)
boxes = st.lists(box, min_size=1, max_size=6, unique_by=tuple).map(sorted)


def test_rows_pair_boxes_of_the_same_phrase():
    rows = {phrase["id"]: phrase["rows"] for phrase in lay_out([OURS, THEIRS], CONTEXT)["phrases"]}
    assert rows["p0"] == [
        {"boxes": [0, 0], "iou": 1.0},
        {"boxes": [1, 1], "iou": pytest.approx(5 / 6)},
    ]
    assert rows["p1"] == [{"boxes": [0, 0], "iou": 1.0}]
    assert rows["p2"] == []
    assert rows["p3"] == [{"boxes": [0, None], "iou": None}]


def test_rows_of_three_sources_have_the_lowest_iou_of_their_pairs():
    shifted = grounding(("boxes", [[85, 20, 140, 120]]))
    [row] = lay_out(
        [grounding(("boxes", [RIGHT])), grounding(("boxes", [WIDE])), shifted], CONTEXT
    )["phrases"][0]["rows"]
    assert row["boxes"] == [0, 0, 0]
    assert row["iou"] == pytest.approx(45 / 60)


@given(first_boxes=boxes, second_boxes=boxes)
def test_rows_list_every_box_once_and_pairs_overlap_by_half(first_boxes, second_boxes):
    layout = lay_out(
        [grounding(("boxes", first_boxes)), grounding(("boxes", second_boxes))], CONTEXT
    )
    rows = [row["boxes"] for row in layout["phrases"][0]["rows"]]
    assert sorted(row[0] for row in rows if row[0] is not None) == list(range(len(first_boxes)))
    assert sorted(row[1] for row in rows if row[1] is not None) == list(range(len(second_boxes)))
    for first_index, second_index in rows:
        if first_index is not None and second_index is not None:
            assert box_iou(first_boxes[first_index], second_boxes[second_index]) * 2 >= 1


@pytest.mark.parametrize(
    ("answer", "origin"),
    [
        (("boxes", [LEFT, RIGHT]), {"source": 0, "state": "kept"}),
        (("boxes", [LEFT, WIDE]), {"source": 1, "state": "kept"}),
        (("boxes", [LEFT]), {"source": 0, "state": "edited"}),
        (("boxes", [LEFT, [80, 20, 138, 120]]), {"source": 1, "state": "edited"}),
        (("group", [[10, 20, 130, 120]]), {"source": 0, "state": "edited"}),
        (("boxes", [[300, 300, 340, 340]]), {"source": None, "state": "new"}),
        (("scene", []), {"source": None, "state": "new"}),
    ],
)
def test_origin_of_a_phrase_is_its_closest_source(answer, origin):
    merged = grounding(answer, *_answers(OURS)[1:])
    gold, provenance = gold_of(merged, [OURS, THEIRS])
    assert gold == merged
    assert provenance[0] == origin
    assert provenance[1:] == [{"source": 0, "state": "kept"}] * 3


def _answers(content):
    return [(phrase["state"], phrase["boxes"]) for phrase in content["phrases"]]


def test_trace_counts_the_outcomes_of_each_source():
    merged = grounding(("boxes", [LEFT, RIGHT]), ("boxes", [WIDE]), ("scene", []), ("absent", []))
    result = trace(merged, [OURS, THEIRS])
    assert result.outcomes == [
        {"phrases": 4, "kept": 2, "edited": 0, "dropped": 2},
        {"phrases": 4, "kept": 2, "edited": 1, "dropped": 1},
    ]
    assert result.summary == {
        "phrases": 4,
        "phrases_edited": 0,
        "phrases_new": 1,
        "boxes": 3,
    }
    assert [origin["source"] for origin in result.provenance] == [0, None, 0, 1]


def test_judged_phrases_have_their_outcome_and_replacement():
    merged = grounding(("boxes", [LEFT, RIGHT]), ("boxes", [CAR]), ("scene", []), ("absent", []))
    units = judged(merged, [THEIRS], CONTEXT)
    assert [(unit.label, unit.state) for unit in units] == [
        ("Two women", "edited"),
        ("a red car", "kept"),
        ("a race", "kept"),
        ("their dogs", "kept"),
    ]
    assert units[0].values == ["50 x 100 (10, 20), 60 x 100 (80, 20)"]
    assert units[0].into == "50 x 100 (10, 20), 50 x 100 (80, 20)"
    assert units[2].values == ["nothing to box"]
    assert {unit.state for unit in judged(None, [OURS, THEIRS], CONTEXT)} == {""}


def test_source_of_gold_that_lacks_phrases_can_be_merged():
    part = {"phrases": OURS["phrases"][1:2]}
    layout = lay_out([merging.as_source(part), OURS], CONTEXT)
    assert layout["phrases"][0]["rows"][0] == {"boxes": [None, 0], "iou": None}
    assert trace(OURS, [part, THEIRS]).outcomes[0] == {
        "phrases": 1,
        "kept": 1,
        "edited": 0,
        "dropped": 0,
    }


def test_single_source_can_be_kept():
    source = merging.as_source(OURS)
    consolidation = parse_consolidation(merging.keep_all(source), CONTEXT, [source])
    assert gold_of(consolidation, [source]) == (OURS, [{"source": 0, "state": "kept"}] * 4)
