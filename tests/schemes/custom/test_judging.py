"""Consolidation and validation of answers."""

import random

import pytest

from schemes.contract.errors import ContentError
from schemes.contract.items import ItemContext
from schemes.simulated_person import Person
from tests.schemes.custom.definitions import (
    ANSWERS,
    CONTENT,
    IMAGE,
    content,
    full_item,
    full_scheme,
    scheme,
)

SCHEME = full_scheme()
ITEM = full_item(image=IMAGE)
MERGING, VALIDATING = SCHEME.get_merging(), SCHEME.get_validating()
# The units in order: three spans, two relations, and eight other parts
UNITS = 13


def other_annotation():
    spans = [
        ANSWERS["entities"][0],
        {"start": 4, "end": 5, "label": "ORG", "attributes": {"sure": "yes"}},
    ]
    relation = [{"label": "works_for", "from": 0, "to": 1}]
    return content(entities=spans, relations=relation, fluency=2, qa=None)


def test_agreed_parts_come_first_and_are_chosen():
    sources = [CONTENT, other_annotation()]
    laid_out = MERGING.lay_out(sources, ITEM)
    parts = {field["key"]: field["parts"] for field in laid_out["fields"]}
    assert [(row["sources"], row["agreed"]) for row in parts["entities"]] == [
        ([0, 1], True),
        ([0], False),
        ([0], False),
        ([1], False),
    ]
    assert parts["fluency"] == [
        {"value": 4, "sources": [0], "agreed": False},
        {"value": 2, "sources": [1], "agreed": False},
    ]
    assert parts["relations"][0]["value"] == {
        "label": "near",
        "from": {"start": 0, "end": 1, "label": "PER"},
        "to": {"start": 4, "end": 5, "label": "LOC"},
    }
    agreed = laid_out["agreed"]["answers"]
    assert agreed["entities"] == [ANSWERS["entities"][0]]
    assert agreed["tone"] == "negative"
    assert "relations" not in agreed
    assert SCHEME.content.parse_gold(laid_out["agreed"], ITEM) == laid_out["agreed"]


def test_provenance_names_the_source_of_each_part():
    sources = [CONTENT, other_annotation()]
    merged = content(
        entities=[ANSWERS["entities"][0], {**ANSWERS["entities"][2], "end": 6}],
        relations=[{"label": "near", "from": 0, "to": 1}],
        fluency=3,
        qa=[{"question": "Where?", "answers": [[6, 7]]}],
    )
    gold, origins = MERGING.gold_of(MERGING.parse(merged, ITEM, sources), sources)
    assert gold == merged
    assert [(origin["source"], origin["state"]) for origin in origins] == [
        (0, "kept"),
        (0, "edited"),
        (0, "edited"),
        (0, "kept"),
        (0, "kept"),
        (0, "edited"),
        (0, "kept"),
        (0, "kept"),
        (None, "new"),
        (0, "kept"),
        (0, "kept"),
    ]


def test_trace_counts_what_became_of_the_sources():
    sources = [CONTENT, other_annotation()]
    trace = MERGING.trace(CONTENT, sources)
    assert trace.outcomes[0] == {"parts": UNITS, "kept": UNITS, "edited": 0, "dropped": 0}
    assert trace.outcomes[1] == {"parts": 10, "kept": 7, "edited": 3, "dropped": 0}
    assert trace.summary == {"parts": UNITS, "parts_edited": 0, "parts_new": 0}
    judged = MERGING.judged(CONTENT, sources, ITEM)
    edited = [unit for unit in judged if unit.state == "edited"]
    assert (edited[0].label, edited[0].into) == ("Entities", "LOC: Paris; Sure: yes")


def test_consolidations_must_be_complete():
    with pytest.raises(ContentError) as error:
        MERGING.parse(content(tone=None, reason=None), ITEM, [CONTENT])
    assert error.value.path == "answers.tone"


def test_validators_judge_each_part():
    asked = VALIDATING.asked([CONTENT])
    assert asked["answers"] == ANSWERS
    assert len(asked["units"]) == UNITS
    assert asked["units"][3] == {"field": "relations", "at": 0}
    verdicts = {"verdicts": [True] * UNITS}
    assert VALIDATING.parse(verdicts, ITEM, [CONTENT]) == verdicts
    assert SCHEME.content.count_units(verdicts, "validator") == UNITS


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (None, ""),
        ({}, "verdicts"),
        ({"verdicts": "yes"}, "verdicts"),
        ({"verdicts": [True] * (UNITS - 1)}, "verdicts"),
        ({"verdicts": [True] * (UNITS - 1) + [1]}, f"verdicts.{UNITS - 1}"),
        ({"verdicts": [True] * UNITS, "extra": 1}, "extra"),
    ],
)
def test_wrong_validations_are_refused(value, path):
    with pytest.raises(ContentError) as error:
        VALIDATING.parse(value, ITEM, [CONTENT])
    assert error.value.path == path


def test_gold_has_what_enough_validators_support():
    refused = {0, 5}  # the first span and the tone
    verdicts = [at not in refused for at in range(UNITS)]
    judgments = [{"verdicts": verdicts}, {"verdicts": [True] * UNITS}]
    assert VALIDATING.gold_of([CONTENT], judgments, 1)[0] == CONTENT
    gold, origins = VALIDATING.gold_of([CONTENT], judgments, 2)
    # Both relations had the first span, and the reason was shown for the tone.
    assert gold == content(entities=ANSWERS["entities"][1:], relations=None, tone=None, reason=None)
    assert SCHEME.content.parse_gold(gold, ITEM) == gold
    assert origins == [{"source": 0, "state": "kept", "valid": 2}] * 8
    disputes = VALIDATING.disputes([CONTENT], judgments, 2)
    assert disputes["units"] == [
        {"unit": 0, "field": "entities", "at": 0, "against": 1},
        {"unit": 5, "field": "tone", "at": 0, "against": 1},
    ]
    assert VALIDATING.disputes([CONTENT], judgments, 1) == {}
    assert VALIDATING.same_verdicts(*judgments) == (UNITS - 2, UNITS)
    assert VALIDATING.verdicts(judgments[0]) == (UNITS - 2, UNITS)


def test_skipped_items_have_nothing_to_validate():
    skip = {"skipped": "Unclear", "answers": {}}
    assert VALIDATING.is_empty([skip])
    assert VALIDATING.gold_of([skip], [{"verdicts": []}], 1) == (skip, [])
    assert MERGING.gold_of(skip, [skip]) == (skip, [])


def test_views_have_a_unit_per_part():
    units = SCHEME.views.units(CONTENT, ITEM)
    assert len(units) == UNITS
    assert units[0].label == "Entities"
    assert list(units[0].values) == ["Person: Ada", "Sure: yes"]
    assert units[0].spans == [(0, 1)]
    assert list(units[3].values) == ["near: Ada → Paris"]
    assert units[-2].boxes == [[10, 20, 60, 70]]
    older = {"answers": {"gone": ["x"], "tone": "sad"}}
    assert [unit.label for unit in SCHEME.views.units(older, ITEM)] == ["gone", "Tone"]
    deep = []
    for _ in range(200_000):  # versions of Python differ in how many they can write
        deep = [deep]
    odd = {"answers": {"a\ud800": "b\ud800", "tone": deep}}
    assert [list(unit.values) for unit in SCHEME.views.units(odd, ITEM)] == [
        ['"b\ufffd"'],
        ["unreadable"],
    ]
    assert len(SCHEME.views.units({"verdicts": [True, False]}, ITEM)) == 2
    assert SCHEME.views.units({"answers": 3}, ITEM) is None
    assert SCHEME.views.remark({"skipped": "Unclear", "answers": {}}) == "Skipped: Unclear"


@pytest.mark.parametrize("skill", [0.0, 0.5, 0.9, 1.0])
def test_simulated_work_is_valid(skill):
    simulation = SCHEME.get_simulation()
    rng = random.Random(1)
    differ = 0
    for seed in range(60):
        person = Person(skill, rng.uniform(-1, 1))
        generated = simulation.generate(CONTENT, ITEM, person, str(seed))
        assert SCHEME.content.parse_generation(generated, ITEM) == generated
        assert simulation.generate(CONTENT, ITEM, person, str(seed)) == generated
        differ += generated != CONTENT
        sources = [generated, other_annotation()]
        merged = simulation.consolidate(sources, ITEM, person, str(seed))
        MERGING.parse(merged, ITEM, sources)
        verdicts = simulation.validate(sources[:1], ITEM, person, str(seed))
        VALIDATING.parse(verdicts, ITEM, sources[:1])
    assert differ == 0 if skill == 1 else differ > 10


def test_invented_content_is_valid():
    for item in (ITEM, full_item()):
        invented = SCHEME.get_simulation().invent(item)
        assert SCHEME.content.parse_generation(invented, item) == invented


def test_spans_are_invented_for_required_relations():
    spans = {"key": "s", "type": "spans", "labels": ["A", "B", "C"]}
    label = {"key": "joins", "from": ["B"], "to": ["C"]}
    relations = {"key": "r", "type": "relations", "labels": [label], "min": 2}
    item = ItemContext(["a", "b", "c", "d"])
    own = scheme(spans, relations)
    invented = own.get_simulation().invent(item)
    assert own.content.parse_generation(invented, item) == invented
    assert len(invented["answers"]["r"]) == 2


def test_simulated_judges_never_drop_what_the_page_requires():
    simulation = SCHEME.get_simulation()
    for seed in range(100):
        merged = simulation.consolidate([CONTENT, CONTENT], ITEM, Person(0.0), str(seed))
        assert SCHEME.content.parse_generation(merged, ITEM) == merged
