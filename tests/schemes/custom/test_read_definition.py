"""Definitions in YAML and JSON, from careful and from hostile authors."""

import json
import time
from contextlib import suppress

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from schemes.custom.parse_definition import parse_definition
from schemes.custom.problems import DefinitionError
from schemes.custom.read_definition import MAX_BYTES, plain_value, read_definition, read_source
from tests.schemes.custom.definitions import FULL

SMALL = """\
title: Tone
fields:
  - key: tone
    type: choice
    options: [yes, no, on, "true"]
"""


def problems(text):
    with pytest.raises(DefinitionError) as error:
        read_definition(text)
    return [(problem.line, problem.path, problem.message) for problem in error.value.problems]


def test_yaml_and_json_give_the_same_definition():
    expected = parse_definition(FULL)
    assert read_definition(json.dumps(FULL, indent=1)) == expected
    assert read_definition(yaml.safe_dump(FULL, allow_unicode=True)) == expected
    assert read_definition(json.dumps(FULL).encode()) == expected


def test_words_that_are_booleans_in_old_yaml_are_texts():
    options = read_definition(SMALL.replace(', "true"', "")).field("tone").options
    assert [option.key for option in options] == ["yes", "no", "on"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("12", 12),
        ("-3", -3),
        ("1.50", 1.5),
        ("1e3", 1000.0),
        ("012", "012"),
        ("0x1F", "0x1F"),
        ("1_000", "1_000"),
        ("12:30:45", "12:30:45"),
        ("2026-11-28", "2026-11-28"),
        ("NO", "NO"),
        ("yes", "yes"),
    ],
)
def test_plain_scalars_are_those_of_yaml_1_2(text, value):
    result = plain_value(text)
    assert (type(result), result) == (type(value), value)


def test_all_mistakes_are_reported_with_their_lines():
    text = """\
title: Names
fields:
  - key: names
    type: spans
    labels: [PER, PER]
  - key: 1st
    type: text
  - key: tone
    type: choices
    options: [a, b]
    min: many
    colour: red
  - key: tone
    type: magic
"""
    assert problems(text) == [
        (6, "fields.1.key", KEY),
        (11, "fields.2.min", "must be a whole number."),
        (12, "fields.2.colour", "is not a known field."),
        (14, "fields.3.type", f"must be one of: {TYPES}."),
    ]
    shaped = text.replace("1st", "first").replace("many", "1").replace("    colour: red\n", "")
    assert problems(shaped.replace("magic", "text")) == [
        (5, "fields.0.labels.1.key", "another label has the key 'PER'."),
        (12, "fields.3.key", "another field has the key 'tone'."),
    ]


KEY = "must be up to 40 letters (A-Z), digits, hyphens or underscores, the first of them a letter."
TYPES = "choice, choices, rating, text, number, pairwise, spans, relations, questions, boxes"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("title: &a x\nfields: [*a]\n", 1, "has the anchor &a. Anchors are not allowed."),
        ("title: !!python/object/apply:os.system ['id']\n", 1, "Tags are not allowed."),
        ("title: !x y\n", 1, "has the tag !x. Tags are not allowed."),
        ("a: 1\n<<: {title: x}\n", 2, "has a merge key <<. Write its fields out."),
        ("title: a\nfields: []\ntitle: b\n", 3, "is there twice."),
        ("? [a, b]\n: c\n", 1, "has a key that is not plain text."),
        ("%YAML 1.2\n---\ntitle: a\n", 1, "has a directive. Remove the line that begins with %."),
        ("title: a\n---\ntitle: b\n", 2, "has a second document. Remove the line ---."),
        ("title: [a\n", 2, "is not YAML: "),
        ("title: 'a\n", 2, "is not YAML: "),
        ("title:\n\t- a\n", 2, "is not YAML: "),
        ("title: a\x00", 1, "has the character U+0000, which is no text."),
        ("title: a\ufffe", 1, "has the character U+FFFE, which is no text."),
        ("title: a\nb: \ud800", 2, "has the character U+D800, which is no text."),
        (b"title: \xff", 1, "is not text in UTF-8."),
        ("title: T\n".encode("utf-16"), 1, "is not text in UTF-8."),
        ("title: T\n".encode("utf-16-le"), 1, "has the character U+0000, which is no text."),
        ("title: Caf\u00e9".encode("latin-1"), 1, "is not text in UTF-8."),
        ("title: T\n1: x\nfields: []\n", 2, "is not a known field."),
        ("title: T\n2024-01-01: x\nfields: []\n", 2, "is not a known field."),
        ("", 1, "is empty."),
        (" \n\n", 1, "is empty."),
        ("title: .nan\n", 1, "must be a finite number. Put texts in quotes."),
        ("title: .inf\n", 1, "must be a finite number. Put texts in quotes."),
        ("title: 1e999\n", 1, "is too large a number."),
        ('{"title": NaN}', None, "NaN is no number"),
        ('{"title": Infinity}', None, "Infinity is no number"),
        ('{"title": "a",\n"title": "b"}', 2, "is there twice."),
        ('{"title": "a",\n', 2, "is not JSON: "),
        ('{"title": ' + "1" * 5000 + "}", None, "is not JSON: "),
        ("[" * 10_000, 1, "is nested more than 30 levels deep."),
        ("- " * 10_000, 1, "is nested more than 30 levels deep."),
        ('{"a":' * 10_000 + "1" + "}" * 10_000, 1, "is nested more than 30 levels deep."),
        ('{"a":' * 100 + "1" + "}" * 100, 1, "is nested more than 30 levels deep."),
        ("a: " + "x" * MAX_BYTES, None, "has 64,003 bytes. A definition has at most 64,000."),
        ("just text", 1, "must be an object."),
        ("- a", 1, "must be an object."),
        ("null", 1, "must be an object."),
    ],
)
def test_text_that_is_no_definition_is_refused(text, line, message):
    found = problems(text)
    assert any(message in sentence for _, _, sentence in found)
    assert found[0][0] == line


def test_bomb_of_aliases_costs_nothing():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]
    start = time.process_time()
    assert len(problems("\n".join(lines))) == 100
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    "text",
    [
        "fields:\n" + "  - {key: a, type: text}\n" * 2_500,
        "a: " + "{" * 29 + "}" * 29,
        "".join(f"k{n}: v\n" for n in range(8_000)),
        "? " * 29 + "a",
        '"' + "\\x41" * 15_000 + '"',
        "{" + "a" * 60_000,
        "[" + "'a', " * 12_000,
        "#" * 60_000,
        "a: |\n" + " x\n" * 20_000,
        "!" * 60_000,
        "a: " + "&" * 60_000,
    ],
)
def test_large_texts_are_read_in_little_time(text):
    start = time.process_time()
    with pytest.raises(DefinitionError):
        read_definition(text)
    assert time.process_time() - start < 2


@given(st.text(alphabet="abfk:-,{}[]\"'|>&*!%#? \n01.", max_size=60) | st.text(max_size=40))
def test_any_text_is_read_or_refused(text):
    with suppress(DefinitionError):
        read_definition(text)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
        ),
    ).map(lambda value: {"value": value})
)
def test_json_with_lines_has_the_value_of_json(value):
    text = json.dumps(value, indent=2)
    source = read_source(text)
    assert source.value == value
    assert not source.problems
    assert source.line_of(()) == 1
    assert source.line_of(("value",)) == 2


def test_script_in_labels_is_plain_text():
    text = SMALL.replace("title: Tone", 'title: "<script>alert(1)</script>"').replace('"true"', "z")
    assert read_definition(text).title == "<script>alert(1)</script>"
