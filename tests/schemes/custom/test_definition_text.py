"""The text of a definition in the editor: in the order of the documentation, without defaults."""

from typing import Any

import pytest

from schemes.contract.values import Json
from schemes.custom.declaration import DECLARATION
from schemes.custom.definition_text import DEFINITION_TEXT
from schemes.custom.parse_definition import parse_definition

TEXT = """\
title: Opinions
fields:
- key: targets
  type: spans
  labels: [praised, criticised]
- key: overall
  type: choice
  label: The whole review
  options: [positive, negative]
- {key: reason, type: text, required: false}
- key: topics
  type: choices
  options: [food, service]
- key: facts
  type: questions
  question: ['Who?', 'When?']
examples:
- texts: {text: Fine food.}
  answers:
    targets:
    - {start: 1, end: 2, label: praised}
    overall: positive
    topics: [food]
    facts:
    - question: Who?
      answers: [[1, 2]]
    - question: When?
      answers: [[0, 1]]
"""


def as_stored(value: Any) -> Any:
    """Return a value with its keys in the order of PostgreSQL, which puts short ones first."""
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: (len(key), key))
        return {key: as_stored(value[key]) for key in keys}
    return [as_stored(part) for part in value] if isinstance(value, list) else value


def test_saved_text_is_shown_as_it_was_written():
    value = DEFINITION_TEXT.read(TEXT)
    assert DEFINITION_TEXT.write(as_stored(value)) == TEXT


@pytest.mark.parametrize("name", DECLARATION.starters)
def test_starter_begins_with_its_title(name):
    value = DECLARATION.starter(name)
    text = DEFINITION_TEXT.write(as_stored(value))
    assert text.startswith("title: ")
    assert DEFINITION_TEXT.read(text) == value


@pytest.mark.parametrize(
    "field",
    [
        {"type": "spans", "labels": ["a"], "required": True},
        {"type": "spans", "labels": ["a"], "min": 2, "required": False},
        {"type": "choices", "options": ["a", "b"], "min": 0},
        {"type": "choices", "options": ["a", "b"], "max": 1},
        {"type": "questions", "question": ["Who?", "When?"], "min": 1},
        {"type": "questions", "max": 100},
        {"type": "boxes", "labels": [{"key": "a_b", "label": "a b"}], "label": "Own"},
        {"type": "number", "min": 0, "max": 100},
        {"type": "rating", "min": 1, "max": 5},
    ],
    ids=str,
)
def test_limits_are_written_where_they_differ_from_defaults(field: Json):
    field = {"key": "own", **field}
    value = parse_definition({"title": "Own", "image": "optional", "fields": [field]}).value
    text = DEFINITION_TEXT.write(as_stored(value))
    assert DEFINITION_TEXT.read(text) == value
    assert text.startswith("title: Own\nimage: optional\nfields:\n")
