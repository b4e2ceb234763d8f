import pytest

from schemes.contract.errors import ContentError
from schemes.grounding.content import (
    MAX_BOXES,
    count_parts,
    count_units,
    parse_consolidation,
    parse_generation,
    parse_gold,
)

from .items import CONTEXT, grounding

LEFT, RIGHT, CAR = [10, 20, 60, 120], [80, 20, 130, 120], [200, 100, 400, 220]
FULL = grounding(("boxes", [LEFT, RIGHT]), ("boxes", [CAR]), ("scene", []), ("boxes", [LEFT]))


def refusal(content: object, parse=parse_generation, *arguments) -> str:
    with pytest.raises(ContentError) as excinfo:
        parse(content, CONTEXT, *arguments)
    return str(excinfo.value)


def with_answer(state: str, boxes: list) -> dict:
    return grounding(("boxes", [LEFT]), (state, boxes), ("scene", []), ("absent", []))


def test_content_is_normalised_to_the_order_of_the_target():
    content = {
        "phrases": [
            *FULL["phrases"][1:],
            {"id": "p0", "state": "boxes", "boxes": [RIGHT, LEFT, RIGHT]},
        ]
    }
    assert parse_generation(content, CONTEXT) == FULL


@pytest.mark.parametrize(
    ("state", "boxes", "message"),
    [
        ("scene", [CAR], "phrases[1].boxes: must be empty for the state 'scene'."),
        ("absent", [CAR], "phrases[1].boxes: must be empty for the state 'absent'."),
        ("group", [], "phrases[1].boxes: must be a single box for a group."),
        ("group", [LEFT, RIGHT], "phrases[1].boxes: must be a single box for a group."),
        ("boxes", [], "phrases[1].boxes: has no box."),
        ("boxes", [[5, 5, 5, 9]], "phrases[1].boxes[0]: has no area."),
        ("boxes", [[9, 5, 5, 9]], "phrases[1].boxes[0]: has no area."),
        ("boxes", [[-1, 5, 5, 9]], "is not inside the image of 500 x 375."),
        ("boxes", [[0, 0, 500, 376]], "is not inside the image of 500 x 375."),
        ("boxes", [[0, 0, 5]], "phrases[1].boxes[0]"),
        ("boxes", [[0, 0, 5.5, 9]], "phrases[1].boxes[0][2]"),
        ("boxes", [[0, 0, True, 9]], "phrases[1].boxes[0][2]"),
        ("boxes", [[at, 0, at + 1, 9] for at in range(MAX_BOXES + 1)], "phrases[1].boxes"),
        ("box", [CAR], "phrases[1].state"),
    ],
)
def test_invalid_answer_is_refused_with_its_path(state, boxes, message):
    assert message in refusal(with_answer(state, boxes))


def test_whole_image_is_a_valid_box():
    assert parse_generation(with_answer("group", [[0, 0, 500, 375]]), CONTEXT)


def test_phrases_must_be_those_of_the_caption_without_repetition():
    unknown = {"id": "p9", "state": "scene", "boxes": []}
    assert "phrases[4].id: is not a phrase" in refusal({"phrases": [*FULL["phrases"], unknown]})
    repeated = FULL["phrases"][0]
    assert "phrases[4].id: is repeated." in refusal({"phrases": [*FULL["phrases"], repeated]})


def test_only_gold_may_lack_phrases():
    part = {"phrases": FULL["phrases"][:1]}
    assert parse_gold(part, CONTEXT) == part
    assert refusal(part) == "phrases: 'a red car' has no answer."


def test_too_many_boxes_in_total_are_refused():
    rows = [[[at, row, at + 1, row + 1] for at in range(50)] for row in range(4)]
    content = grounding(*(("boxes", row) for row in rows))
    assert parse_generation(content, CONTEXT) == content
    extra = [*content["phrases"][:3], {**content["phrases"][3], "boxes": [*rows[3], CAR]}]
    assert "phrases" in refusal({"phrases": extra})


def test_absent_phrase_of_a_consolidation_requires_an_annotator():
    absent = with_answer("absent", [])
    message = refusal(absent, parse_consolidation, [FULL, with_answer("scene", [])])
    assert "phrases[1].state: can't be absent" in message
    assert parse_consolidation(absent, CONTEXT, [FULL, absent]) == absent


def test_shared_box_is_counted_once():
    assert count_units(FULL, "generator") == 3
    assert count_parts(FULL) == {
        "phrases": 4,
        "boxes": 3,
        "group": 0,
        "scene": 1,
        "absent": 0,
        "incomplete": 0,
    }
