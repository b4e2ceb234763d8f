import pytest

from schemes.base import ContentError, ExportRow, Json, refuse
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
        {"source": 0, "state": "edited", "valid": 2, "missing": 0, "rejected": 1},
        {"source": 0, "state": "kept", "valid": 2, "missing": 0, "rejected": 0},
    ]
    assert gold_of([SOURCE], [ALL, against], 1)[0] == SOURCE


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
