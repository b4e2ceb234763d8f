import pytest

from schemes.contract.errors import ContentError, refuse
from schemes.contract.records import ExportRow
from schemes.contract.values import Json
from schemes.grounding import validating
from schemes.grounding.content import count_parts, is_complete, parse_generation, parse_gold
from schemes.grounding.corpus import CORPUS
from schemes.grounding.exports import EXPORTS
from schemes.grounding.validating import (
    asked,
    disputes,
    gold_of,
    is_empty,
    parse,
    same_verdicts,
    verdicts,
)

from .items import CONTEXT, TOKENS, grounding

LEFT, RIGHT, CAR = [10, 20, 60, 120], [80, 20, 130, 120], [200, 100, 400, 220]
SOURCE = grounding(("boxes", [LEFT, RIGHT]), ("group", [CAR]), ("scene", []), ("absent", []))


def judgment(at: int, boxes: int, *, valid=True, missing=False, wrong=(), drawn=()) -> Json:
    verdicts = [box not in wrong for box in range(boxes)]
    judged = {"id": f"p{at}", "valid": valid, "missing": missing, "boxes": verdicts}
    return {**judged, "drawn": list(drawn)} if drawn else judged


def drew(*boxes: list[int], **changes) -> Json:
    """Return a validation that draws missing boxes of the first phrase."""
    return validation(p0=judgment(0, 2, missing=True, drawn=boxes, **changes))


def origin(**counts: int) -> Json:
    numbers = {"valid": 2, "missing": 0, "rejected": 0, "drawn": 0, "unsupported": 0, **counts}
    return {"source": 0, "state": "kept", **numbers}


def validation(**changes: Json) -> Json:
    """Return a validation that accepts everything except the phrases in `changes`."""
    phrases = [judgment(0, 2), judgment(1, 1), judgment(2, 0), judgment(3, 0)]
    return {"phrases": [changes.get(phrase["id"], phrase) for phrase in phrases]}


ALL = validation()


def test_validation_follows_the_order_of_its_source():
    assert parse(ALL, CONTEXT, [SOURCE]) == ALL
    assert asked([SOURCE]) == SOURCE


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"phrases": ALL["phrases"][:3]}, "phrases: 3 are judged of 4."),
        (validation(p0=judgment(0, 1)), "phrases[0].boxes: 1 are judged of 2."),
        (validation(p0={**judgment(0, 2), "id": "p1"}), "phrases[0].id: must be 'p0'."),
        (validation(p0={**judgment(0, 2), "valid": 1}), "phrases[0].valid"),
        (validation(p0={"id": "p0", "boxes": [True, True]}), "phrases[0].valid"),
        ([], ""),
    ],
)
def test_malformed_content_is_refused_with_its_path(content, message):
    with pytest.raises(ContentError) as excinfo:
        parse(content, CONTEXT, [SOURCE])
    assert message in str(excinfo.value)


def test_gold_has_parts_with_enough_support():
    against = validation(
        p0=judgment(0, 2, wrong=[1]),
        p1=judgment(1, 1, wrong=[0]),
        p2=judgment(2, 0, valid=False),
        p3=judgment(3, 0),
    )
    gold, provenance = gold_of([SOURCE], [ALL, against], 2)
    assert gold == {
        "phrases": [
            {"id": "p0", "state": "boxes", "boxes": [LEFT]},
            {"id": "p3", "state": "absent", "boxes": []},
        ]
    }
    assert provenance == [
        {**origin(rejected=1), "state": "edited"},
        origin(),
    ]
    assert gold_of([SOURCE], [ALL, against], 1)[0] == SOURCE


def test_every_total_is_in_the_provenance():
    _, provenance = gold_of([SOURCE], [ALL], 1)
    totals = {total.key for total in validating.totals}
    assert totals == {"drawn", "rejected"}
    assert all(totals <= set(origin) for origin in provenance)


@pytest.mark.parametrize(
    ("missed", "agree", "is_incomplete"),
    [(0, 2, False), (1, 2, True), (2, 2, True), (1, 1, False), (2, 1, True)],
)
def test_phrase_that_too_few_find_complete_is_marked(missed, agree, is_incomplete):
    against = validation(p0=judgment(0, 2, missing=True))
    validations = [against] * missed + [ALL] * (2 - missed)
    gold, provenance = gold_of([SOURCE], validations, agree)
    assert [not is_complete(phrase) for phrase in gold["phrases"]] == [is_incomplete, *[False] * 3]
    assert provenance[0]["missing"] == missed
    assert count_parts(gold)["incomplete"] == int(is_incomplete)
    assert parse_gold(gold, CONTEXT) == gold


@pytest.mark.parametrize("fmt", ["phrases-jsonl", "coco"])
def test_incomplete_phrases_come_back_from_exports(tmp_path, fmt):
    against = validation(p0=judgment(0, 2, missing=True))
    gold, provenance = gold_of([SOURCE], [against, against], 2)
    row = ExportRow(
        external_id="1.jpg#0",
        tokens=TOKENS,
        target=CONTEXT.target,
        content=gold,
        provenance=provenance,
        image=CONTEXT.image,
    )
    path = tmp_path / ("gold.json" if fmt == "coco" else "gold.jsonl")
    EXPORTS.write([row], path, fmt)
    (record,) = CORPUS.read_gold([path], fmt, refuse)
    assert parse_gold(record.content, CONTEXT) == gold


# Nearly the same, the mean of both, and another individual.
THIRD, THIRD_TOO, MEAN = [300, 20, 340, 120], [302, 21, 342, 121], [301, 21, 341, 121]
FAR = [440, 20, 480, 120]
SHIFTED = [320, 20, 360, 120]


@pytest.mark.parametrize(
    "drawn",
    [
        [THIRD],
        [THIRD, FAR],
        # The smallest box, and boxes at the edges of the image of 500 x 375.
        [[300, 20, 303, 23]],
        [[0, 372, 500, 375]],
        # Just under an IoU of 0.9 with the box on the left: 50 x 100 and 44 x 100.
        [[10, 20, 54, 120]],
    ],
)
def test_drawn_boxes_are_stored_in_order(drawn):
    assert parse(drew(*reversed(drawn)), CONTEXT, [SOURCE]) == drew(*sorted(drawn))


def test_validation_without_drawn_boxes_has_no_field_for_them():
    content = validation(p0={**judgment(0, 2, missing=True), "drawn": []})
    assert parse(content, CONTEXT, [SOURCE]) == validation(p0=judgment(0, 2, missing=True))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"p0": judgment(0, 2, drawn=[THIRD])}, "phrases[0].drawn: must be empty if no box"),
        (
            {"p1": judgment(1, 1, missing=True, drawn=[THIRD])},
            "phrases[1].drawn: is only for a phrase with a box for each individual.",
        ),
        (
            {"p3": judgment(3, 0, missing=True, drawn=[THIRD])},
            "phrases[3].drawn: is only for a phrase with a box for each individual.",
        ),
        ({"p0": {"drawn": [[300, 20, 300, 40]]}}, "phrases[0].drawn[0]: has no area."),
        ({"p0": {"drawn": [[300, 20, 302, 40]]}}, "phrases[0].drawn[0]: needs at least 3 pixels"),
        ({"p0": {"drawn": [[300, 20, 340, 22]]}}, "phrases[0].drawn[0]: needs at least 3 pixels"),
        ({"p0": {"drawn": [THIRD, [480, 20, 501, 40]]}}, "phrases[0].drawn[1]: is not inside"),
        ({"p0": {"drawn": [[-1, 20, 20, 40]]}}, "phrases[0].drawn[0]: is not inside"),
        ({"p0": {"drawn": [LEFT]}}, "phrases[0].drawn[0]: is a box that is already there."),
        # An IoU of exactly 0.9: 50 x 100 and 45 x 100.
        ({"p0": {"drawn": [[10, 20, 55, 120]]}}, "phrases[0].drawn[0]: is a box that is already"),
        (
            {"p0": {"drawn": [THIRD, [301, 20, 341, 120]]}},
            "phrases[0].drawn[1]: is a box that is already",
        ),
        ({"p0": {"drawn": [[300, 20, 340]]}}, "phrases[0].drawn[0]"),
        ({"p0": {"drawn": [[300.5, 20, 340, 120]]}}, "phrases[0].drawn[0]"),
        ({"p0": {"drawn": THIRD}}, "phrases[0].drawn"),
        ({"p0": {"drawn": [[at, 0, at + 3, 3] for at in range(0, 147, 3)]}}, "more than 50 boxes"),
    ],
)
def test_drawn_boxes_that_can_not_be_gold_are_refused(changes, message):
    whole = {id: {**judgment(0, 2, missing=True), **change} for id, change in changes.items()}
    with pytest.raises(ContentError) as excinfo:
        parse(validation(**whole), CONTEXT, [SOURCE])
    assert message in str(excinfo.value)


def test_caption_has_at_most_200_boxes_with_those_that_are_drawn():
    columns = [[[3 * at, 3 * row, 3 * at + 3, 3 * row + 3] for at in range(45)] for row in range(4)]
    source = grounding(*(("boxes", boxes) for boxes in columns))
    drawn = [[200 + 3 * at, 0, 203 + 3 * at, 3] for at in range(5)]
    phrases = [judgment(at, 45, missing=True, drawn=drawn) for at in range(4)]
    assert parse({"phrases": phrases}, CONTEXT, [source]) == {"phrases": phrases}
    source["phrases"][0]["boxes"].append([400, 0, 403, 3])
    phrases[0]["boxes"].append(True)
    with pytest.raises(ContentError, match="50 boxes"):
        parse({"phrases": phrases}, CONTEXT, [source])


@pytest.mark.parametrize(
    ("validations", "agree", "boxes", "is_complete", "counts"),
    [
        pytest.param([drew(THIRD), drew(THIRD_TOO)], 2, [MEAN], True,
                     {"missing": 2, "drawn": 1}, id="both drew it"),
        pytest.param([drew(THIRD), ALL], 2, [], False,
                     {"missing": 1, "unsupported": 1}, id="one of two drew it"),
        pytest.param([drew(THIRD), drew(FAR)], 2, [], False,
                     {"missing": 2, "unsupported": 2}, id="they drew different boxes"),
        # 40 x 100, shifted by 20: an IoU of one third.
        pytest.param([drew(THIRD), drew(SHIFTED)], 2, [], False,
                     {"missing": 2, "unsupported": 2}, id="they hardly overlap"),
        pytest.param([drew(THIRD), drew()], 2, [], False,
                     {"missing": 2, "unsupported": 1}, id="one only says that it is missing"),
        pytest.param([drew(THIRD), drew(THIRD_TOO, FAR)], 2, [MEAN], False,
                     {"missing": 2, "drawn": 1, "unsupported": 1}, id="one drew another one too"),
        pytest.param([drew(THIRD, FAR), drew(FAR, THIRD_TOO)], 2, [MEAN, FAR], True,
                     {"missing": 2, "drawn": 2}, id="both drew two"),
        pytest.param([drew(THIRD), drew(THIRD_TOO), ALL], 2, [MEAN], True,
                     {"valid": 3, "missing": 2, "drawn": 1}, id="two of three drew it"),
        pytest.param([ALL, drew(THIRD), drew(THIRD_TOO)], 2, [MEAN], True,
                     {"valid": 3, "missing": 2, "drawn": 1}, id="the last two of three drew it"),
        pytest.param([drew(THIRD), drew(THIRD_TOO), drew()], 2, [MEAN], False,
                     {"valid": 3, "missing": 3, "drawn": 1}, id="the third one misses another"),
        pytest.param([drew(THIRD), ALL, ALL], 2, [], True,
                     {"valid": 3, "missing": 1, "unsupported": 1}, id="two of three miss nothing"),
        pytest.param([drew(THIRD), ALL], 1, [THIRD], True,
                     {"missing": 1, "drawn": 1}, id="one is enough"),
        pytest.param([drew(THIRD), drew()], 1, [THIRD], False,
                     {"missing": 2, "drawn": 1}, id="one is enough, but more is missing"),
    ],
)  # fmt: skip
def test_drawn_boxes_need_the_support_of_several_validators(
    validations, agree, boxes, is_complete, counts
):
    gold, provenance = gold_of([SOURCE], validations, agree)
    phrase = {"id": "p0", "state": "boxes", "boxes": sorted([LEFT, RIGHT, *boxes])}
    assert gold["phrases"][0] == (phrase if is_complete else {**phrase, "complete": False})
    expected = origin(**counts)
    assert provenance[0] == ({**expected, "state": "edited"} if boxes else expected)
    assert parse_gold(gold, CONTEXT) == gold
    others = validation()["phrases"][1:]
    assert [phrase["id"] for phrase in gold["phrases"][1:]] == [own["id"] for own in others]


def test_drawn_box_replaces_a_rejected_one():
    wrong = judgment(0, 2, missing=True, wrong=[0, 1], drawn=[THIRD])
    validations = [validation(p0=wrong), validation(p0={**wrong, "drawn": [THIRD_TOO]})]
    gold, provenance = gold_of([SOURCE], validations, 2)
    assert gold["phrases"][0] == {"id": "p0", "state": "boxes", "boxes": [MEAN]}
    counts = {"missing": 2, "rejected": 2, "drawn": 1}
    assert provenance[0] == {**origin(**counts), "state": "edited"}


def test_phrase_with_a_wrong_state_gets_no_drawn_boxes():
    validations = [drew(THIRD, valid=False), drew(THIRD_TOO)]
    gold, _ = gold_of([SOURCE], validations, 2)
    assert [phrase["id"] for phrase in gold["phrases"]] == ["p1", "p2", "p3"]


def test_disputes_have_the_boxes_that_verifiers_drew():
    assert disputes([SOURCE], [drew(THIRD, FAR), drew(THIRD_TOO)], 2) == {
        "phrases": [
            {"id": "p0", "state": False, "boxes": [], "missing": True, "drawn": [MEAN, FAR]}
        ]
    }
    assert disputes([SOURCE], [drew(THIRD), ALL], 1) == {}


def test_annotators_do_not_say_that_a_phrase_is_incomplete():
    content = {"phrases": [{**phrase} for phrase in SOURCE["phrases"]]}
    content["phrases"][0]["complete"] = False
    with pytest.raises(ContentError, match=r"phrases\[0\].complete"):
        parse_generation(content, CONTEXT)


def test_disputes_are_parts_without_enough_support():
    against = validation(p0=judgment(0, 2, wrong=[1], missing=True), p2=judgment(2, 0, valid=False))
    assert disputes([SOURCE], [ALL, ALL], 2) == {}
    assert disputes([SOURCE], [ALL, against], 2) == {
        "phrases": [
            {"id": "p0", "state": False, "boxes": [RIGHT], "missing": True, "drawn": []},
            {"id": "p2", "state": True, "boxes": [], "missing": False, "drawn": []},
        ]
    }
    assert disputes([SOURCE], [ALL, against], 1) == {}


def test_verdicts_are_counted_and_compared():
    against = validation(p0=judgment(0, 2, wrong=[1], missing=True), p2=judgment(2, 0, valid=False))
    assert verdicts(ALL) == (11, 11)
    assert verdicts(against) == (8, 11)
    assert same_verdicts(ALL, against) == (8, 11)


def test_caption_without_phrases_is_empty():
    assert is_empty([{"phrases": []}])
    assert not is_empty([SOURCE])
