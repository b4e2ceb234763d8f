"""Simulated annotators, consolidators and validators, and the staff's view of their content."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemes.contract.items import ItemContext
from schemes.contract.statistics import AnnotatedItem
from schemes.contract.values import Image
from schemes.grounding import merging, simulation, statistics, validating, views
from schemes.grounding.comparison import compare, figures, measure
from schemes.grounding.content import parse_consolidation, parse_generation, parse_gold
from schemes.grounding.corpus import CORPUS
from schemes.grounding.search import SEARCH
from schemes.grounding.simulated_judges import consolidate, validate
from schemes.grounding.simulation import generate
from schemes.simulated_person import Person

TARGET = {
    "phrases": [
        {"id": "p0", "start": 0, "end": 2, "plural": True, "cardinality": 3, "types": ["animals"]},
        {"id": "p1", "start": 3, "end": 5, "plural": False, "cardinality": None, "types": ["other"]},
        {"id": "p2", "start": 6, "end": 8, "plural": False, "cardinality": None, "types": []},
        {"id": "p3", "start": 9, "end": 10, "plural": True, "cardinality": None, "types": ["people"]},
        {"id": "p4", "start": 11, "end": 13, "plural": True, "cardinality": None, "types": ["people"]},
    ]
}  # fmt: skip
CONTEXT = ItemContext(
    "Three dogs chase a ball in the evening with friends before a crowd".split(),  # noqa: SIM905
    TARGET,
    Image("dogs.png", 200, 100),
)
REFERENCE = {
    "phrases": [
        {"id": "p0", "state": "boxes", "boxes": [[0, 0, 20, 20], [100, 0, 120, 20], [180, 80, 200, 100]]},
        {"id": "p1", "state": "boxes", "boxes": [[10, 50, 20, 60]]},
        {"id": "p2", "state": "scene", "boxes": []},
        {"id": "p3", "state": "absent", "boxes": []},
        {"id": "p4", "state": "group", "boxes": [[0, 0, 200, 30]]},
    ]
}  # fmt: skip
EXACT = Person(1.0)
skills, seeds = st.floats(0, 1), st.integers(0, 10_000).map(str)


@given(seed=seeds)
def test_perfect_workers_make_no_errors(seed):
    sources = [parse_generation(generate(REFERENCE, CONTEXT, EXACT, seed), CONTEXT)] * 2
    assert sources[0] == REFERENCE
    merged = parse_consolidation(consolidate(sources, CONTEXT, EXACT, seed), CONTEXT, sources)
    assert merged == REFERENCE
    verdicts = validating.parse(validate(sources, CONTEXT, EXACT, seed), CONTEXT, sources[:1])
    assert validating.gold_of(sources[:1], [verdicts], 1)[0] == REFERENCE
    assert validating.disputes(sources[:1], [verdicts], 1) == {}


@given(skill=skills, seed=seeds)
def test_content_is_valid_at_every_skill(skill, seed):
    person = Person(skill)
    sources = [
        parse_generation(generate(REFERENCE, CONTEXT, person, seed + name), CONTEXT)
        for name in "ab"
    ]
    assert sources[0] == parse_generation(generate(REFERENCE, CONTEXT, person, seed + "a"), CONTEXT)
    parse_consolidation(consolidate(sources, CONTEXT, person, seed), CONTEXT, sources)
    validating.parse(validate(sources, CONTEXT, person, seed), CONTEXT, sources[:1])


def test_lower_skill_lowers_figures_and_causes_every_kind_of_error():
    def mean_accuracy(skill):
        measures = [
            measure(REFERENCE, generate(REFERENCE, CONTEXT, Person(skill), str(seed)), TARGET)[
                "c-iou"
            ]
            for seed in range(100)
        ]
        [figure] = [figure for figure in figures if figure.key == "c-iou"]
        return figure.value(measures)

    accuracies = [mean_accuracy(skill) for skill in (0.2, 0.6, 0.9, 1.0)]
    assert accuracies == sorted(set(accuracies))
    rows = [
        row
        for seed in range(100)
        for row in compare(
            REFERENCE, generate(REFERENCE, CONTEXT, Person(0.5), str(seed)), CONTEXT
        ).rows
    ]
    assert {row.state for row in rows} == {
        "found",
        "extent-differs",
        "label-differs",
        "missed",
        "extra",
    }
    details = {row.detail.partition(",")[0] for row in rows}
    assert {
        "box too large", "box too small", "box shifted", "a group instead of individuals",
        "nothing to box instead of boxes",
    } <= details  # fmt: skip


def test_validators_doubt_what_does_not_fit_the_words_and_err_below_skill_1():
    """Three dogs with two boxes, one ball with two boxes, and a crowd that is well boxed."""
    odd = {
        "phrases": [
            {"id": "p0", "state": "boxes", "boxes": [[0, 0, 20, 20], [100, 0, 120, 20]]},
            {"id": "p1", "state": "boxes", "boxes": [[10, 50, 12, 52], [10, 50, 20, 60]]},
            {"id": "p4", "state": "group", "boxes": [[0, 0, 200, 30]]},
        ]
    }
    doubts = [0, 0, 0, 0]
    for seed in range(300):
        dogs, ball, crowd = validate([odd], CONTEXT, Person(0.9), str(seed))["phrases"]
        small, large = ball["boxes"]
        doubts = [
            count + is_doubted
            for count, is_doubted in zip(
                doubts, (dogs["missing"], not small, not large, not crowd["valid"]), strict=True
            )
        ]
    shares = [count / 300 for count in doubts]
    assert shares == [pytest.approx(share, abs=0.08) for share in (0.7, 0.7, 0.02, 0.02)]


def test_consolidators_drop_a_lone_box_that_the_words_do_not_call_for():
    exact = REFERENCE["phrases"][1]
    more = {**exact, "boxes": [*exact["boxes"], [100, 50, 120, 60]]}
    merged = [
        consolidate([{"phrases": [exact]}, {"phrases": [more]}], CONTEXT, Person(0.9), str(seed))
        for seed in range(300)
    ]
    kept = sum(len(content["phrases"][0]["boxes"]) == 2 for content in merged) / 300
    assert kept == pytest.approx(0.3, abs=0.08)


def test_invented_boxes_match_the_image_and_the_number_of_the_phrase():
    invented = parse_generation(simulation.invent(CONTEXT), CONTEXT)
    assert [len(phrase["boxes"]) for phrase in invented["phrases"]] == [3, 1, 1, 2, 2]
    assert CORPUS.split_gold(REFERENCE, []) == [REFERENCE]


def test_phrases_missing_from_the_reference_have_nothing_to_box():
    partial = {"phrases": REFERENCE["phrases"][:1]}
    content = parse_generation(generate(partial, CONTEXT, EXACT, "1"), CONTEXT)
    assert content["phrases"][0] == REFERENCE["phrases"][0]
    assert {phrase["state"] for phrase in content["phrases"][1:]} == {"scene"}


def test_staff_see_a_unit_per_phrase_with_its_boxes():
    units = views.units(REFERENCE, CONTEXT)
    assert [(unit.label, *unit.values) for unit in units] == [
        ("Three dogs", "3 boxes"), ("a ball", "1 box"), ("the evening", "nothing to box"),
        ("friends", "not in the picture"), ("a crowd", "one box for the group"),
    ]  # fmt: skip
    assert units[0].boxes == REFERENCE["phrases"][0]["boxes"]
    assert units[0].spans == [(0, 2)]
    assert views.remark(REFERENCE) == "2 of 5 phrases have no box."
    assert views.marked(TARGET) == [0, 1, 3, 4, 6, 7, 9, 11, 12]
    assert len(merging.gold_of(REFERENCE, [REFERENCE])[1]) == len(units)


def test_staff_see_verdicts_and_drawn_boxes():
    judgment = {"id": "p0", "valid": True, "missing": True, "boxes": [True, False, True]}
    (unit,) = views.units({"phrases": [judgment]}, CONTEXT)
    assert unit.values == ["right answer", "2 of 3 boxes right", "a box is missing"]
    assert unit.boxes == []
    drawn = [[1, 2, 30, 40], [5, 6, 70, 80]]
    (unit,) = views.units({"phrases": [{**judgment, "drawn": drawn}]}, CONTEXT)
    assert unit.values[-1] == "a box is missing, 2 drawn"
    assert unit.boxes == drawn
    assert views.remark({"phrases": [judgment]}) == ""


@pytest.mark.parametrize(
    "content",
    [
        [], {}, {"phrases": {}}, {"phrases": [1]},
        {"phrases": [{"id": "p9", "state": "scene", "boxes": []}]},
        {"phrases": [{"id": "p0", "state": "boxes", "boxes": [[1, 2, 3]]}]},
        {"phrases": [{"id": "p0", "state": "other", "boxes": []}]},
        {"phrases": [{"id": "p0", "valid": True, "boxes": [], "drawn": 1}]},
        {"phrases": [{"id": "p0", "valid": True, "boxes": [], "drawn": [[1, 2, 3]]}]},
    ],
)  # fmt: skip
def test_malformed_content_has_no_units(content):
    assert views.units(content, CONTEXT) is None


def test_gold_is_searched_by_phrase_and_answer():
    assert SEARCH.target.texts(REFERENCE, CONTEXT)[:2] == ["Three dogs", "a ball"]
    assert "not in the picture" in SEARCH.content.texts(REFERENCE, CONTEXT)


def test_statistics_count_plural_phrases_and_their_filler():
    singular = parse_gold(
        {"phrases": [{**REFERENCE["phrases"][0], "boxes": [[0, 0, 20, 20]]}]}, CONTEXT
    )
    origins = [{"drawn": 1, "rejected": 2}, {}]
    items = [
        AnnotatedItem(str(at), CONTEXT, content, provenance=[{"drawn": at}, *origins])
        for at, content in enumerate((REFERENCE, singular))
    ]
    figures = statistics.count(items)
    assert figures == {
        "captions": 2, "images": 1, "tokens": 26, "phrases": 6, "boxes": 6, "drawn": 3, "rejected": 4,
        "plural": 3,
        "boxes_per_plural": 5 / 3, "plural_with_one_box": 2, "plural_without_components": 2,
        "mean_filler": (1 - 1200 / 20000) / 3,
        "filler_over_half": 1, "cardinality_known": 2, "cardinality_mismatches": 1,
        "group": 1, "scene": 1, "absent": 1,
    }  # fmt: skip
    assert list(figures) == [key for key, _ in statistics.figures]
    (table,) = statistics.tables(items)
    assert table.rows[0] == ("Boxes", 1, 2)
    assert statistics.frequencies(items).counts == ([("animals", 2), ("people", 2), ("other", 1)])
    assert statistics.count([])["boxes_per_plural"] is None
