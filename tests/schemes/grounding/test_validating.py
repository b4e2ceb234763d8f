import pytest

from schemes.base import ContentError, Json
from schemes.grounding.validating import (
    asked,
    disputes,
    gold_of,
    is_empty,
    parse,
    same_verdicts,
    verdicts,
)

from .items import CONTEXT, grounding

LEFT, RIGHT, CAR = [10, 20, 60, 120], [80, 20, 130, 120], [200, 100, 400, 220]
SOURCE = grounding(("boxes", [LEFT, RIGHT]), ("group", [CAR]), ("scene", []), ("absent", []))


def judgment(at: int, boxes: int, *, valid=True, missing=False, wrong=()) -> Json:
    verdicts = [box not in wrong for box in range(boxes)]
    return {"id": f"p{at}", "valid": valid, "missing": missing, "boxes": verdicts}


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
        {"source": 0, "state": "edited", "valid": 2},
        {"source": 0, "state": "kept", "valid": 2},
    ]
    assert gold_of([SOURCE], [ALL, against], 1)[0] == SOURCE


def test_disputes_are_parts_without_enough_support():
    against = validation(p0=judgment(0, 2, wrong=[1], missing=True), p2=judgment(2, 0, valid=False))
    assert disputes([SOURCE], [ALL, ALL], 2) == {}
    assert disputes([SOURCE], [ALL, against], 2) == {
        "phrases": [
            {"id": "p0", "state": False, "boxes": [RIGHT], "missing": True},
            {"id": "p2", "state": True, "boxes": [], "missing": False},
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
