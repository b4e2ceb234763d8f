"""Schemes that are built from definitions."""

import json
import random

import pytest

from schemes.contract.errors import ContentError
from schemes.contract.statistics import AnnotatedItem
from schemes.custom.declaration import BLANK, DECLARATION
from schemes.custom.parse_definition import parse_definition
from schemes.custom.problems import DefinitionError
from schemes.custom.scheme import scheme_of_definition
from schemes.registry import get_scheme
from schemes.simulated_person import Person
from tests.schemes.custom.definitions import (
    CONTENT,
    FULL,
    IMAGE,
    full,
    full_item,
    full_scheme,
    scheme,
)
from tests.schemes.custom.test_parse_definition import mutated

SCHEME = full_scheme()
ITEM = full_item(image=IMAGE)


def test_equal_definitions_give_the_same_scheme():
    value = parse_definition(FULL).value
    built = DECLARATION.build(value)
    assert DECLARATION.build(json.loads(json.dumps(value))) is built
    assert built.name == "custom"
    assert built.title == "All types of fields"
    assert DECLARATION.build(full(title="Other")).title == "Other"


@pytest.mark.parametrize("value", [{}, {"title": "a\ud800"}, {"title": {1}}, None, 3, {"a": 2**70}])
def test_invalid_definitions_are_refused(value):
    with pytest.raises(ContentError):
        DECLARATION.build(value)


def test_starters_are_parsed_definitions():
    for name in DECLARATION.starters:
        value = DECLARATION.starter(name)
        assert parse_definition(value).value == value
    assert BLANK in DECLARATION.starters
    with pytest.raises(KeyError):
        DECLARATION.starter("../scheme")


def test_registered_scheme_stands_for_all():
    registered = get_scheme("custom")
    assert registered.title == "Custom"
    assert registered.declaration is DECLARATION
    assert set(registered.resources) == {"definition"}


def test_keys_of_figures_are_stable_and_distinct():
    keys = [figure.key for figure in SCHEME.comparison.figures]
    assert keys == [
        "score",
        *("entities_f1", "entities_unlabelled", "entities_iou", "entities_attributes"),
        "relations_f1",
        *("tone_accuracy", "tone_kappa", "tone_alpha"),
        *("topics_f1", "topics_alpha"),
        *("fluency_accuracy", "fluency_alpha"),
        "reason_equality",
        *("count_accuracy", "count_alpha"),
        *("qa_f1", "things_f1"),
        *("better_accuracy", "better_alpha"),
    ]


def test_pages_get_the_definition_and_the_texts():
    shared = SCHEME.pages.shared([ITEM])["definition"]
    assert "examples" not in shared
    assert [field["key"] for field in shared["fields"]] == [
        field["key"] for field in FULL["fields"]
    ]
    data = SCHEME.pages.item(ITEM)
    assert data["texts"][1] == {
        "key": "translation",
        "label": "Translation",
        "language": "ar",
        "dir": "rtl",
        "start": 8,
        "end": 14,
    }
    assert data["image"]["width"] == 100
    assert json.loads(json.dumps([shared, data])) == [shared, data]


def test_pay_pays_for_parts_or_for_the_item():
    terms = SCHEME.vocabulary.pay_presets["custom"]["generator"]
    assert terms["bonus_first_cents"] > 0
    assert terms["max_units"] == 50
    plain = scheme({"key": "a", "type": "choice", "options": ["x", "y"]})
    terms = plain.vocabulary.pay_presets["custom"]["generator"]
    assert (terms["free_units"], terms["bonus_first_cents"]) == (1, 0)


def test_examples_become_exercises():
    (exercise,) = SCHEME.practice.exercises()
    assert exercise.title == "A name"
    result = SCHEME.practice.check(exercise, exercise.reference)
    assert result.summary == "Your answers are the same as the expert's."
    answers = {**exercise.reference["answers"], "fluency": 3}
    result = SCHEME.practice.check(exercise, {"answers": answers})
    assert result.summary.startswith("Your answers agree with the expert's by 9")
    assert {row.aligned.state for row in result.rows} == {"found", "label-differs"}
    assert scheme({"key": "a", "type": "text"}).practice is None


def test_tutorials_end_with_text_and_have_valid_sources():
    for role, tutorial in SCHEME.tutorials.items():
        shown = tutorial()
        assert shown.steps[0].goals
        assert not shown.steps[-1].goals
        assert max(len(step.text) for step in shown.steps) <= 230
        for source in shown.sources:
            assert SCHEME.content.parse_generation(source, shown.context) == source
        data = SCHEME.pages.item(shown.context)
        if role == "consolidator":
            data["layout"] = SCHEME.get_merging().lay_out(list(shown.sources), shown.context)
        if role == "validator":
            data["asked"] = SCHEME.get_validating().asked(list(shown.sources))
        assert json.loads(json.dumps(data)) == data


def test_statistics_count_fields_and_labels():
    skip = {"skipped": "Unclear", "answers": {}}
    items = [AnnotatedItem("a", ITEM, CONTENT), AnnotatedItem("b", ITEM, skip)]
    counts = SCHEME.statistics.count(items)
    assert set(counts) == {key for key, _ in SCHEME.statistics.figures}
    assert (counts["items"], counts["skipped"], counts["entities_parts"]) == (2, 1, 3)
    assert counts["entities_mean"] == 1.5
    assert SCHEME.statistics.is_skipped(skip)
    frequencies = SCHEME.statistics.frequencies(items)
    assert frequencies.counts == [("Person", 2), ("LOC", 1)]
    assert [table.caption for table in SCHEME.statistics.tables(items)][:2] == [
        "Entities",
        "Relations",
    ]
    assert SCHEME.statistics.count([])["entities_mean"] is None


def test_gold_is_searched_by_answer_and_text():
    search = SCHEME.search
    assert "Person: Ada" in search.content.texts(CONTENT, ITEM)
    assert "Ada kennt Grace" in search.target.texts(CONTENT, ITEM)[0]


@pytest.mark.slow
def test_any_accepted_definition_makes_a_working_scheme():
    rng = random.Random(7)
    base = full(examples=[], renamed={})
    accepted = answered = 0
    while accepted < 150:
        try:
            definition = parse_definition({**mutated(base, rng), "texts": base["texts"]})
        except DefinitionError:
            continue
        accepted += 1
        answered += walk(scheme_of_definition(definition), str(accepted))
    assert answered > 140


def walk(built, seed):
    """Return False for a form whose required answers don't fit the item."""
    simulation, merging, validating = built.simulation, built.merging, built.validating
    invented = simulation.invent(ITEM)
    try:
        reference = built.content.parse_generation(invented, ITEM)
    except ContentError:
        return False
    generated = simulation.generate(reference, ITEM, Person(0.3), seed)
    assert built.content.parse_generation(generated, ITEM) == generated
    compared = built.comparison.compare(reference, generated, ITEM)
    for figure in built.comparison.figures:
        value = figure.value([compared.measures[figure.key]])
        assert value is None or value <= 1
    sources = [reference, generated]
    merged = simulation.consolidate(sources, ITEM, Person(0.3), seed)
    gold, origins = merging.gold_of(merging.parse(merged, ITEM, sources), sources)
    assert len(origins) == len(built.views.units(gold, ITEM))
    merging.trace(gold, sources)
    assert built.content.parse_gold(merging.lay_out(sources, ITEM)["agreed"], ITEM)
    judged = validating.parse(
        simulation.validate([generated], ITEM, Person(0.3), seed), ITEM, [generated]
    )
    gold, origins = validating.gold_of([generated], [judged], 1)
    assert built.content.parse_gold(gold, ITEM) == gold
    json.dumps([built.pages.shared([ITEM]), built.pages.item(ITEM), compared.measures])
    assert built.vocabulary.pay_presets
    assert set(built.content.count(gold)) == {total.key for total in built.content.totals}
    return True
