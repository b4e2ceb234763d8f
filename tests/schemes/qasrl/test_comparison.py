import json

import pytest

from schemes.base import ContentError, Counts
from schemes.qasrl.comparison import RULE, compare


def _question(text, answers, **slots):
    filled = {
        "wh": "who",
        "aux": "",
        "subj": "",
        "verb_prefix": "",
        "verb_slot_inflection": "Past",
        "obj": "something",
        "prep": "",
        "obj2": "",
        "is_passive": False,
        "is_negated": False,
    }
    return {"question": text, "slots": {**filled, **slots}, "answers": answers}


REFERENCE = {
    "questions": [
        _question("Who identified something?", [[0, 4], [5, 6]]),
        _question("What might contain something?", [[10, 12]], wh="what", aux="might"),
    ]
}


def test_the_example_of_the_paper_gives_counts_and_rows():
    predicted = {
        "questions": [
            _question("Who identified something?", [[0, 7]]),
            _question("What contains something?", [[10, 12]], wh="what"),
            _question("When did someone identify something?", [[20, 22]], wh="when"),
        ]
    }
    found = compare(reference=REFERENCE, predicted=predicted)
    assert found.rule == RULE
    assert found.counts == {"UA": Counts(2, 1, 1), "LA": Counts(1, 2, 2)}
    who = ["Who identified something?"]
    assert found.rows == [
        {
            "state": "matched",
            "reference": {"span": [0, 4], "questions": who},
            "predicted": {"span": [0, 7], "questions": who},
            "iou": pytest.approx(4 / 7),
            "same_span": False,
            "group": None,
        },
        {
            "state": "label-differs",
            "reference": {"span": [10, 12], "questions": ["What might contain something?"]},
            "predicted": {"span": [10, 12], "questions": ["What contains something?"]},
            "iou": 1.0,
            "same_span": True,
            "group": None,
        },
        {
            "state": "missed",
            "reference": {"span": [5, 6], "questions": who},
            "predicted": None,
            "iou": None,
            "same_span": False,
            "group": None,
        },
        {
            "state": "extra",
            "reference": None,
            "predicted": {"span": [20, 22], "questions": ["When did someone identify something?"]},
            "iou": None,
            "same_span": False,
            "group": 0,
        },
    ]
    assert json.loads(json.dumps(found.rows)) == found.rows


def test_an_annotation_against_itself_is_all_matched():
    found = compare(reference=REFERENCE, predicted=REFERENCE)
    assert found.counts == {"UA": Counts(3, 0, 0), "LA": Counts(3, 0, 0)}
    assert {row["state"] for row in found.rows} == {"matched"}


def test_a_redundant_answer_is_shown_beside_the_one_it_repeats():
    predicted = {"questions": [*REFERENCE["questions"], _question("Who saw it?", [[0, 3]])]}
    (row,) = [
        row
        for row in compare(reference=REFERENCE, predicted=predicted).rows
        if row["state"] == "redundant"
    ]
    assert row["predicted"] == {"span": [0, 3], "questions": ["Who saw it?"]}
    assert row["reference"]["span"] == [0, 4]


def test_saying_a_thing_twice_changes_nothing():
    twice = {"questions": REFERENCE["questions"] * 2}
    expected = compare(reference=REFERENCE, predicted=REFERENCE)
    assert compare(reference=REFERENCE, predicted=twice) == expected
    assert compare(reference=twice, predicted=REFERENCE) == expected


def test_questions_without_slots_are_compared_by_their_words():
    ours = {"questions": [{"question": "Who ran?", "slots": None, "answers": [[0, 1]]}]}
    theirs = {"questions": [{"question": "who ran?", "answers": [[0, 1]]}]}
    assert compare(reference=ours, predicted=theirs).counts["LA"] == Counts(1, 0, 0)


def test_nothing_against_something_is_missed():
    found = compare(reference=REFERENCE, predicted={"questions": []})
    assert found.counts["UA"] == Counts(0, 0, 3)


@pytest.mark.parametrize(
    ("content", "path"),
    [
        ({"questions": [{"question": "Who?", "answers": [[4, 4]]}]}, "questions[0].answers[0]"),
        ({"questions": [{"question": "Who?", "answers": [[1, 2, 3]]}]}, "predicted"),
        ({"questions": [{"answers": []}]}, "predicted"),
        ({"questions": [{"question": "Who?", "slots": {"wh": "who"}, "answers": []}]}, "predicted"),
        ({"questions": ["Who?"]}, "predicted"),
        ({}, "predicted"),
        ([], "predicted"),
    ],
)
def test_content_of_another_shape_is_refused_by_path(content, path):
    with pytest.raises(ContentError) as caught:
        compare(reference=REFERENCE, predicted=content)
    assert caught.value.path == path
