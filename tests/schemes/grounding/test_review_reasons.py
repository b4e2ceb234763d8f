"""Boxes that a person checks before their bonus is paid."""

import json
from collections import Counter
from dataclasses import replace

import pytest

from schemes.contract.content import CheckedWork
from schemes.contract.items import ItemContext
from schemes.contract.values import Image, Json
from schemes.grounding.content import parse_generation
from schemes.grounding.pay import BOXES_WITHOUT_REVIEW
from schemes.grounding.review_reasons import review_reasons
from schemes.registry import get_scheme
from schemes.simulated_person import Person
from tests.environment import ROOT
from tests.schemes.grounding.items import CONTEXT as ITEM
from tests.schemes.grounding.items import PHRASES, grounding

# "Two women", "a red car", "a race", "their dogs"
CONTEXT = replace(ITEM, image=Image("1.jpg", 1000, 800))
NONE = ("absent", [])
WOMEN = [[100, 100, 180, 300], [230, 90, 322, 310]]
CAR = [[400, 200, 700, 410]]
HONEST = grounding(
    ("boxes", WOMEN), ("boxes", CAR), ("scene", []), ("boxes", [[50, 300, 120, 345]])
)
# Left sides without a pattern
PLACES = (0, 111, 250, 300, 470, 622)


def found(content: Json, *others: Json, context: ItemContext = CONTEXT, role="generator"):
    parsed = parse_generation(content, context)
    return review_reasons(CheckedWork(parsed, context, role, others))


def codes(content: Json, *others: Json, context: ItemContext = CONTEXT) -> list[str]:
    return [reason.code for reason in found(content, *others, context=context)]


def scattered(count: int) -> list[list[int]]:
    """Return boxes of different sizes that overlap little and follow no pattern."""
    return [
        [x := (at * 131) % 900, y := (at * 377) % 700, x + 41 + 3 * at, y + 40 + 7 * (at % 5)]
        for at in range(count)
    ]


def test_a_hundred_and_fifty_specks_need_review():
    """Boxes of 3 x 3 pixels in a corner, 50 for each of three phrases."""
    specks = [
        [[x + at, 5 * k, x + at + 3, 5 * k + 3] for k, x in enumerate(range(50))]
        for at in (0, 100, 200)
    ]
    junk = grounding(*(("boxes", boxes) for boxes in specks), NONE)
    reasons = found(junk, HONEST)
    assert [reason.code for reason in reasons] == ["tiny", "equal-sizes", "row", "number"]
    assert [reason.text for reason in reasons] == [
        "150 boxes are too small to surround anything that can be seen.",
        "150 boxes are exactly 3 x 3 pixels.",
        "50 boxes are in a row, at exactly equal distances.",
        "50 boxes for “Two women”, which names 2.",
    ]
    # Of the same phrases, another annotator has four boxes.
    car = [[at, 9, at + 40, 50] for at in range(0, 900, 60)]
    junk = grounding(("boxes", WOMEN), ("boxes", car), ("scene", []), ("boxes", WOMEN[:1]))
    assert found(junk, HONEST)[-1].text == "17 boxes, where another annotator has 4."


def test_honest_boxes_need_no_review():
    assert codes(HONEST) == codes(HONEST, HONEST) == []
    shared = grounding(("boxes", WOMEN), ("boxes", CAR), ("boxes", CAR), ("boxes", WOMEN))
    assert codes(shared) == []
    again = [
        [[x1 + 3, y1 + 2, x2 - 1, y2 + 4] for x1, y1, x2, y2 in boxes] for boxes in (WOMEN, CAR)
    ]
    redrawn = grounding(("boxes", WOMEN), ("boxes", CAR), *(("boxes", boxes) for boxes in again))
    assert codes(redrawn) == []


@pytest.mark.parametrize(
    ("boxes", "expected"),
    [
        ([[5, 5, 13, 14]], []),
        ([[5, 5, 13, 14], [30, 9, 35, 18]], ["tiny"]),
        ([[0, 0, 1000, 800]], []),
        ([[0, 0, 1000, 799], [0, 0, 1000, 800]], ["huge"]),
        ([[0, 0, 100, 100], [2, 0, 102, 101]], []),
        ([[0, 0, 100, 100], [2, 0, 102, 101], [0, 4, 103, 104]], ["same-place"]),
        ([[at, at // 7, at + 50, at // 7 + 60] for at in PLACES[:5]], []),
        ([[at, at // 7, at + 50, at // 7 + 60] for at in PLACES], ["equal-sizes"]),
        ([[at * 90, 10, at * 90 + 50 + at, 60] for at in range(4)], []),
        ([[at * 90, 10, at * 90 + 50 + at, 60] for at in range(5)], ["row"]),
        ([[10, at * 90, 70 + at, at * 90 + 44] for at in range(5)], ["row"]),
    ],
)
def test_patterns_need_review(boxes, expected):
    assert codes(grounding(("boxes", WOMEN), NONE, NONE, ("boxes", boxes))) == expected


@pytest.mark.parametrize(
    ("phrase", "most", "names"),
    [(0, 5, "2"), (1, 3, "one"), (2, 3, "one"), (3, 12, "several")],
)
def test_boxes_are_compared_with_the_words_of_the_phrase(phrase, most, names):
    def answers(count: int) -> Json:
        boxes = [NONE] * 4
        boxes[phrase] = ("boxes", scattered(count))
        return grounding(*boxes)

    assert codes(answers(most)) == []
    [reason] = found(answers(most + 1))
    assert reason.code == "number"
    assert reason.text.endswith(f", which names {names}.")


@pytest.mark.parametrize(("count", "expected"), [(12, []), (13, ["number"])])
def test_number_is_taken_from_the_words_if_the_file_has_none(count, expected):
    phrases = [{**phrase, "plural": None, "cardinality": None} for phrase in PHRASES]
    context = replace(CONTEXT, target={"phrases": phrases})
    dogs = grounding(NONE, NONE, NONE, ("boxes", scattered(count)))
    assert codes(dogs, context=context) == expected
    women = grounding(("boxes", scattered(6)), NONE, NONE, NONE)
    assert codes(women, context=context) == ["number"]


def test_a_group_is_not_compared_with_its_members():
    dogs = grounding(("boxes", WOMEN), NONE, NONE, ("boxes", scattered(8)))
    one = grounding(("boxes", WOMEN[:1]), NONE, NONE, ("boxes", scattered(1)))
    group = grounding(("boxes", WOMEN), NONE, NONE, ("group", scattered(1)))
    assert codes(dogs, one) == ["more-than-others"]
    assert codes(dogs, group) == []
    assert codes(dogs, group, one) == ["more-than-others"]


def test_roles_and_missing_images():
    junk = grounding(("boxes", [[at, 0, at + 3, 3] for at in range(0, 50, 5)]), NONE, NONE, NONE)
    assert found(junk, role="validator") == []
    assert [reason.code for reason in found(junk, role="consolidator")][:1] == ["tiny"]
    without_image = replace(CONTEXT, image=None)
    assert codes(junk, context=without_image) == ["equal-sizes", "row", "number"]


# --- how rarely people's work needs review


def test_sample_and_simulated_work_are_not_held():
    """The 38 captions of the sample, and 20 simulated annotators of each."""
    scheme = get_scheme("grounding")
    path = ROOT / "schemes/grounding/samples/gold.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert len(rows) == 38
    held: Counter[str] = Counter()
    for row in rows:
        phrases = [{**phrase, "id": f"p{at}"} for at, phrase in enumerate(row["phrases"])]
        context = ItemContext(
            row["tokens"], {"phrases": phrases}, image=Image(row["image"], 640, 480)
        )
        answers = grounding(*((phrase["state"], phrase["boxes"]) for phrase in row["phrases"]))
        reference = parse_generation(answers, context)
        people = [
            scheme.get_simulation().generate(
                reference, context, Person.drawn(0.8, f"{seed}"), f"{seed}"
            )
            for seed in range(20)
        ]
        for own in (reference, *people):
            held.update(codes(own, people[0], people[1], context=context))
            held["units"] += scheme.content.count_units(own, "generator") > BOXES_WITHOUT_REVIEW
    assert held == {"units": 0}
