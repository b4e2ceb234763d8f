"""Definitions from JSON values, and the published JSON Schema of them."""

import json
import random
from copy import deepcopy

import jsonschema_rs
import pytest

from schemes.custom.parse_definition import direction_of, parse_definition
from schemes.custom.problems import DefinitionError
from schemes.custom.shape import json_schema, shaped
from tests.environment import ROOT
from tests.schemes.custom.definitions import FULL, full

SCHEMA = ROOT / "schemes/custom/definition.schema.json"
MUTATIONS = 4000
VALUES = [
    *(None, True, False, 0, 1, 2, -1, 3.0, 2.5, 1e300, -7, 41, 501, 10**15, 10**16),
    *("", " ", "a", "PER", "x" * 41, "x" * 201, "1a", "a b", "a\nb", "de", "en-GB", "english"),
    *("spans", "choice", "text", "free", "none", "required", "ordinal", "é", "a\n", "p", "P"),
    *([], {}, ["a"], [1], [None], ["a", "b", "c"], {"key": "a"}, {"field": "tone"}),
    {"field": "tone", "is": ["negative"]},
    {"field": "tone", "answered": True},
    {"field": "tone", "answered": False},
    {"key": "a", "type": "text"},
    {"key": "a", "options": ["b", {"key": "c", "options": ["d"]}]},
    {"one": "a", "many": "b"},
]
NAMES = ["key", "label", "labels", "options", "type", "min", "max", "is", "help", "extra", "text"]


def test_published_schema_is_that_of_the_parser():
    assert json.loads(SCHEMA.read_text()) == json_schema()


@pytest.mark.slow
def test_schema_accepts_what_the_parser_accepts():
    """What the schema can't express, such as references, is no mistake of the shape."""
    validator = jsonschema_rs.validator_for(json_schema())
    assert validator.is_valid(FULL)
    rng = random.Random(1)
    valid = 0
    for _ in range(MUTATIONS):
        value = mutated(FULL, rng)
        model, problems = shaped(value)
        assert (model is None) == bool(problems)
        assert validator.is_valid(value) == (not problems), (value, problems)
        valid += not problems
    assert MUTATIONS / 20 < valid < MUTATIONS * 19 / 20


def mutated(value, rng):
    """Return a copy with one to three changes at random places."""
    copy = deepcopy(value)
    for _ in range(rng.randint(1, 3)):
        places = [(parent, key) for parent in containers(copy) for key in keys_of(parent)]
        parent, key = rng.choice(places)
        change = rng.randrange(5)
        if change == 0:
            del parent[key]
        elif change == 1 and isinstance(parent, dict):
            parent[rng.choice(NAMES)] = deepcopy(rng.choice(VALUES))
        elif change == 2 and isinstance(parent, list):
            parent.append(deepcopy(parent[key]))
        else:
            parent[key] = deepcopy(rng.choice(VALUES))
        if not copy:
            break
    return copy


def containers(value):
    if isinstance(value, dict | list):
        yield value
        for member in value.values() if isinstance(value, dict) else value:
            yield from containers(member)


def keys_of(parent):
    return list(parent) if isinstance(parent, dict) else range(len(parent))


def test_normalised_value_parses_to_the_same_definition():
    definition = parse_definition(FULL)
    assert parse_definition(definition.value) == definition
    assert json.loads(json.dumps(definition.value)) == definition.value


@pytest.mark.slow
def test_any_accepted_definition_is_normalised_once():
    rng = random.Random(2)
    accepted = 0
    for _ in range(1500):
        try:
            definition = parse_definition(mutated(FULL, rng))
        except DefinitionError:
            continue
        accepted += 1
        assert parse_definition(definition.value) == definition
    assert accepted > 50


def test_what_is_left_out_is_filled_in():
    value = {"title": "T", "fields": [{"key": "spans", "type": "spans", "labels": ["A_b"]}]}
    definition = parse_definition(value)
    (field,) = definition.fields
    assert [text.key for text in definition.texts] == ["text"]
    assert (field.text, field.label, field.required, field.min, field.max) == (
        "text",
        "Spans",
        False,
        0,
        100,
    )
    assert definition.unit == "spans"
    assert field.labels[0].label == "A b"
    assert definition.item.plural == "texts"


def test_required_parts_need_one_part():
    spans = {"key": "a", "type": "spans", "labels": ["A"]}
    for given, expected in (
        ({"required": True}, (True, 1)),
        ({"min": 2}, (True, 2)),
        ({"min": 2, "required": False}, (False, 2)),
        ({}, (False, 0)),
    ):
        field = parse_definition({"title": "T", "fields": [{**spans, **given}]}).fields[0]
        assert (field.required, field.min) == expected


def test_choices_without_a_minimum_are_optional():
    choices = {"key": "a", "type": "choices", "options": ["x", "y"]}
    for given, expected in (
        ({}, (True, 1)),
        ({"min": 0}, (False, 0)),
        ({"min": 0, "required": True}, (True, 1)),
        ({"min": 2, "required": False}, (False, 2)),
    ):
        field = parse_definition({"title": "T", "fields": [{**choices, **given}]}).fields[0]
        assert (field.required, field.min) == expected


@pytest.mark.parametrize(
    ("language", "direction"),
    [
        ("ar", "rtl"),
        ("ar-EG", "rtl"),
        ("he", "rtl"),
        ("az-Arab", "rtl"),
        ("ur-Latn", "auto"),
        ("de", "auto"),
        ("", "auto"),
    ],
)
def test_direction_follows_language_and_script(language, direction):
    assert direction_of(language) == direction


def messages(value):
    with pytest.raises(DefinitionError) as error:
        parse_definition(value)
    return [(problem.path, problem.message) for problem in error.value.problems]


TEXT = {"key": "a", "type": "text"}


@pytest.mark.parametrize(
    ("fields", "path", "message"),
    [
        ([TEXT, TEXT], "fields.1.key", "another field has the key 'a'."),
        (
            [{**TEXT, "show_if": {"field": "a", "answered": True}}],
            "fields.0.show_if",
            "depends on 'a' itself, so that it would never be shown.",
        ),
        (
            [
                {**TEXT, "show_if": {"field": "b", "answered": True}},
                {**TEXT, "key": "b", "show_if": {"field": "c", "answered": True}},
                {**TEXT, "key": "c", "show_if": {"field": "a", "answered": True}},
            ],
            "fields.2.show_if",
            "depends on 'c' itself, so that it would never be shown.",
        ),
        (
            [
                {
                    "key": "s",
                    "type": "spans",
                    "labels": ["A"],
                    "show_if": {"field": "r", "answered": True},
                },
                {"key": "r", "type": "relations", "labels": ["B"]},
            ],
            "fields.0.show_if",
            "depends on 's' itself, so that it would never be shown.",
        ),
        (
            [{**TEXT, "show_if": {"field": "z", "answered": True}}],
            "fields.0.show_if.field",
            "'z' is not a field.",
        ),
        (
            [TEXT, {**TEXT, "key": "b", "show_if": {"field": "a", "is": ["x"]}}],
            "fields.1.show_if.is",
            "'a' has no fixed values. Use answered: true.",
        ),
        ([{**TEXT, "pattern": "("}], "fields.0.pattern", "is not a regular expression of RE2"),
        ([{**TEXT, "pattern": r"(a)\1"}], "fields.0.pattern", "is not a regular expression of RE2"),
        (
            [{"key": "r", "type": "rating", "min": 5, "max": 5}],
            "fields.0.max",
            "must be greater than min.",
        ),
        (
            [{"key": "r", "type": "rating", "min": 0, "max": 100}],
            "fields.0.max",
            "makes more than 100 steps. Use a number instead.",
        ),
        (
            [{"key": "n", "type": "number", "min": 0.2, "max": 0.8, "integer": True}],
            "fields.0.max",
            "leaves no whole number.",
        ),
        (
            [{"key": "c", "type": "choices", "options": ["a"], "min": 2, "max": 3}],
            "fields.0.min",
            "is more than the 1 options.",
        ),
        (
            [{"key": "c", "type": "choice", "options": ["a", {"key": "b", "options": ["a"]}]}],
            "fields.0.options.1.options.0.key",
            "another option has the key 'a'.",
        ),
        (
            [{"key": "r", "type": "relations", "labels": ["a"]}],
            "fields.0.spans",
            "is missing. Fields of spans: none.",
        ),
        (
            [{"key": "b", "type": "boxes", "labels": ["a"]}],
            "fields.0.type",
            "needs an image: set image to optional or required.",
        ),
        (
            [{"key": "p", "type": "pairwise"}],
            "fields.0.between",
            "needs the keys of two different texts.",
        ),
        (
            [{"key": "s", "type": "spans", "labels": ["a"], "overlap": True, "max": 201}],
            "fields.0.max",
            "must be at most 200 for spans that overlap.",
        ),
        (
            [{"key": "q", "type": "questions", "question": ["Who?", "who?"]}],
            "fields.0.question.1",
            "is a question that is there already.",
        ),
        (
            [TEXT, {**TEXT, "key": "A"}],
            "fields.1.key",
            "'A' differs from the key 'a' only in case.",
        ),
        (
            [{"key": "s", "type": "spans", "labels": ["PER", "per"]}],
            "fields.0.labels.1.key",
            "'per' differs from the key 'PER' only in case.",
        ),
        (
            [{**TEXT, "key": "constructor"}],
            "fields.0.key",
            "'constructor' is a reserved name. Choose another key.",
        ),
        (
            [{"key": "c", "type": "choice", "options": ["valueOf"]}],
            "fields.0.options.0.key",
            "'valueOf' is a reserved name. Choose another key.",
        ),
        (
            [
                {
                    "key": "s",
                    "type": "spans",
                    "labels": [
                        {"key": "A", "label": "Caf\u00e9 owner"},
                        {"key": "B", "label": "cafe\u0301  OWNER"},
                    ],
                }
            ],
            "fields.0.labels.1.label",
            "'caf\u00e9 OWNER' looks like the label with the key 'A'.",
        ),
        (
            [
                {
                    "key": "c",
                    "type": "choice",
                    "options": [
                        {
                            "key": "g",
                            "options": [
                                {"key": "a", "label": "Other"},
                                {"key": "b", "label": "other"},
                            ],
                        }
                    ],
                }
            ],
            "fields.0.options.0.options.1.label",
            "'other' looks like the option with the key 'a'.",
        ),
        (
            [
                {**TEXT, "show_if": {"field": "b", "answered": True}},
                {**TEXT, "key": "b"},
            ],
            "fields.0.show_if.field",
            "'b' comes later. Put it before 'a'.",
        ),
        (
            [
                {"key": "c", "type": "choice", "options": ["x", "y"]},
                {**TEXT, "show_if": {"field": "c", "is": ["z"]}},
            ],
            "fields.1.show_if.is.0",
            "'z' is not a value of 'c'.",
        ),
        (
            [{**TEXT, "label": "Name \u202egnp.exe"}],
            "fields.0.label",
            "has the character U+202E, which changes the order of what is shown.",
        ),
        (
            [{"key": "s", "type": "spans", "labels": [{"key": "A", "help": "a\u2066b"}]}],
            "fields.0.labels.0.help",
            "has the character U+2066, which changes the order of what is shown.",
        ),
        ([{"key": "c", "type": "choice", "options": [3]}], "fields.0.options.0", "must be"),
        (
            [{"key": "c", "type": "choice", "options": [True]}],
            "fields.0.options.0",
            "is true or false. Put the word in quotes to use it as a key.",
        ),
        (
            [
                {
                    "key": "c",
                    "type": "choice",
                    "options": [
                        {"key": "a", "label": "good"},
                        {"key": "b", "label": "go\u200bo\u00add"},
                    ],
                }
            ],
            "fields.0.options.1.label",
            "looks like the option with the key 'a'.",
        ),
        *(
            ([{**TEXT, "label": label}], "fields.0.label", "has no character that can be seen.")
            for label in ("\u200b", "\u3164", "\u2800 \u00ad", "\u0301")
        ),
        (
            [{"key": "c", "type": "choice", "options": ["2024-01-01"]}],
            "fields.0.options.0.key",
            "the first of them a letter.",
        ),
        ([{**TEXT, "key": "__proto__"}], "fields.0.key", "the first of them a letter."),
        (
            [{**TEXT, "pattern": "(?=a)b"}],
            "fields.0.pattern",
            "is not a regular expression of RE2",
        ),
        (
            [{**TEXT, "pattern": "((a{500}){500}){500}"}],
            "fields.0.pattern",
            "is not a regular expression of RE2",
        ),
    ],
)
def test_contradictions_are_found(fields, path, message):
    found = messages({"title": "T", "fields": fields})
    assert any(at == path and message in text for at, text in found), found


def test_options_of_different_groups_may_look_alike():
    groups = [
        {"key": key, "options": [{"key": f"{key}_other", "label": "Other"}]} for key in ("a", "b")
    ]
    assert parse_definition(
        {"title": "T", "fields": [{"key": "c", "type": "choice", "options": groups}]}
    )


def test_texts_of_examples_may_change_their_direction():
    example = {"texts": {"text": "a \u2067b\u2069"}, "answers": {"a": "b"}}
    assert parse_definition({"title": "T", "fields": [TEXT], "examples": [example]})


def test_options_nest_four_levels_deep():
    def nested(depth):
        return {"key": f"k{depth}", "options": [nested(depth - 1)]} if depth else "leaf"

    field = {"key": "c", "type": "choice", "options": [nested(3)]}
    assert parse_definition({"title": "T", "fields": [field]})
    field["options"] = [nested(4)]
    found = messages({"title": "T", "fields": [field]})
    assert found[0][1] == "is nested more than 4 levels deep."


def test_labels_of_all_fields_are_limited():
    fields = [
        {"key": f"f{at}", "type": "choice", "options": [f"o{n}" for n in range(126)]}
        for at in range(4)
    ]
    found = messages({"title": "T", "fields": fields})
    assert found == [("fields", "have 504 labels and options. At most 500 fit.")]


@pytest.mark.parametrize(
    "value",
    [
        {"title": "a\ud800", "fields": [TEXT]},
        {"title": "a\x00", "fields": [TEXT]},
        {"title": "a", "fields": [TEXT], "\ud800": 1},
        {"title": "a", "fields": [TEXT], 3: 1},
        {"title": "a", "fields": [{**TEXT, "help": "\x1b[31m"}]},
        {"title": float("nan"), "fields": [TEXT]},
        {
            "title": "a",
            "fields": [TEXT],
            "examples": [{"texts": {}, "answers": {"a": float("inf")}}],
        },
        {"title": {1, 2}, "fields": [TEXT]},
        {"title": "a", "fields": [TEXT] * 41},
        {"title": "x" * 300_000, "fields": [TEXT]},
        {"title": "a", "fields": [{"key": True, "type": "text"}]},
        {"title": "a", "fields": [{"key": "a", "type": ["text"]}]},
        {"title": "a", "fields": [{"key": "a", "type": {"text": 1}}]},
        {"title": "a", "fields": [{"key": "r", "type": "rating", "min": True}]},
        [],
        None,
        3,
        "text",
    ],
)
def test_values_that_are_no_definition_are_refused(value):
    assert messages(value)


def test_deeply_nested_values_are_refused():
    value = []
    for _ in range(100_000):
        value = [value]
    assert "levels deep" in messages(value)[0][1]


def test_examples_must_fit_the_definition():
    wrong = full()
    wrong["examples"][0]["answers"]["fluency"] = 9
    del wrong["examples"][0]["texts"]["translation"]
    found = messages(wrong)
    assert ("examples.0.texts", "must have the texts source, translation.") in found
    wrong = full()
    wrong["examples"][0]["answers"]["fluency"] = 9
    assert messages(wrong) == [("examples.0.answers.fluency", "must be from 1 to 5.")]
    wrong["examples"][0]["answers"] |= {"fluency": 3, "entities": []}
    assert messages(wrong) == [
        ("examples.0.answers.relations.0.from", "there is no span 0 in 'entities'.")
    ]


@pytest.mark.parametrize("key", ["a__b", "a_", "a___", "A_-_B"])
def test_parsed_definition_is_parsed_as_itself(key):
    field = {"key": key, "type": "choice", "options": [key, f"{key}z"]}
    value = parse_definition({"title": "T", "texts": [{"key": key}], "fields": [field]}).value
    assert parse_definition(value).value == value
