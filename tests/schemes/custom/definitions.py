"""Definitions for tests: one with all types of fields, and small ones."""

from copy import deepcopy
from typing import Any

from schemes.contract.items import ItemContext
from schemes.contract.scheme import Scheme
from schemes.contract.values import Image
from schemes.custom.items import item_of_texts
from schemes.custom.parse_definition import parse_definition
from schemes.custom.scheme import scheme_of_definition

FULL: dict[str, Any] = {
    "title": "All types of fields",
    "summary": "a text with a translation and a picture",
    "item": {"one": "sentence", "many": "sentences"},
    "instructions": "Mark every name.",
    "language": "en",
    "texts": [
        {"key": "source", "label": "Source", "language": "de"},
        {"key": "translation", "language": "ar"},
    ],
    "image": "optional",
    "skip": True,
    "fields": [
        {
            "key": "entities",
            "type": "spans",
            "text": "source",
            "labels": [{"key": "PER", "label": "Person", "key_hint": "p"}, "ORG", "LOC"],
            "min": 0,
            "max": 50,
            "attributes": [
                {"key": "sure", "type": "choice", "options": ["yes", "no"]},
                {"key": "note", "type": "text", "required": False},
            ],
        },
        {
            "key": "relations",
            "type": "relations",
            "labels": [{"key": "works_for", "from": ["PER"], "to": ["ORG"]}, "near"],
        },
        {
            "key": "tone",
            "type": "choice",
            "options": [
                "positive",
                "negative",
                {"key": "mixed", "label": "Mixed", "options": ["rather_good", "rather_bad"]},
            ],
        },
        {"key": "topics", "type": "choices", "options": ["art", "law", "sport"], "max": 2},
        {"key": "fluency", "type": "rating", "min": 1, "max": 5, "ends": ["Bad", "Good"]},
        {
            "key": "reason",
            "type": "text",
            "max_length": 60,
            "pattern": "[A-Za-z ]+",
            "show_if": {"field": "tone", "is": ["negative", "rather_bad"]},
        },
        {"key": "count", "type": "number", "min": 0, "max": 10, "integer": True},
        {
            "key": "qa",
            "type": "questions",
            "text": "source",
            "max": 4,
            "answers": {"min": 1, "max": 2, "allow_none": True},
        },
        {"key": "things", "type": "boxes", "labels": ["dog", "ball"]},
        {"key": "better", "type": "pairwise", "tie": True},
    ],
    "examples": [
        {
            "title": "A name",
            "texts": {"source": "Ada kennt Grace aus Paris .", "translation": "آدا تعرف غريس ."},
            "answers": {
                "entities": [
                    {"start": 0, "end": 1, "label": "PER", "attributes": {"sure": "yes"}},
                    {"start": 4, "end": 5, "label": "LOC", "attributes": {"sure": "no"}},
                ],
                "relations": [{"label": "near", "from": 0, "to": 1}],
                "tone": "positive",
                "topics": ["art"],
                "fluency": 4,
                "count": 2,
                "better": "source",
            },
        }
    ],
    "renamed": {"fields": {"names": "entities"}, "labels": {"entities": {"PLACE": "LOC"}}},
}
TEXTS = {"source": "Ada kennt Grace aus Paris und Rom .", "translation": "آدا تعرف غريس من باريس ."}
IMAGE = Image("dog.png", 100, 80)


def full(**changes: Any) -> dict[str, Any]:
    """Return FULL with changes."""
    return {**deepcopy(FULL), **changes}


def scheme(*fields: dict[str, Any], **parts: Any) -> Scheme:
    """Return the scheme of a definition with these fields."""
    value = {"title": "Test", "fields": list(fields), **parts}
    return scheme_of_definition(parse_definition(value))


def full_scheme() -> Scheme:
    return scheme_of_definition(parse_definition(FULL))


def full_item(*, image: Image | None = None) -> ItemContext:
    """Return an item of FULL with 8 and 6 tokens."""
    item = item_of_texts(parse_definition(FULL), TEXTS)
    return ItemContext(
        item.tokens, target=item.target, text=item.text, offsets=item.offsets, image=image
    )


ANSWERS: dict[str, Any] = {
    "entities": [
        {"start": 0, "end": 1, "label": "PER", "attributes": {"sure": "yes"}},
        {"start": 2, "end": 3, "label": "PER", "attributes": {"sure": "no", "note": "a friend"}},
        {"start": 4, "end": 5, "label": "LOC", "attributes": {"sure": "yes"}},
    ],
    "relations": [{"label": "near", "from": 0, "to": 2}, {"label": "near", "from": 1, "to": 0}],
    "tone": "negative",
    "topics": ["art", "sport"],
    "fluency": 4,
    "reason": "Too short",
    "count": 3,
    "qa": [{"question": "Who knows Grace?", "answers": [[0, 1]]}],
    "things": [{"label": "dog", "box": [10, 20, 60, 70]}],
    "better": "translation",
}
CONTENT = {"answers": ANSWERS}


def content(**changes: Any) -> dict[str, Any]:
    """Return CONTENT with changed answers. None removes an answer."""
    answers = {**deepcopy(ANSWERS), **changes}
    return {"answers": {key: value for key, value in answers.items() if value is not None}}


def contract_scheme() -> Scheme:
    """Return a scheme with all types of fields for items of one text, with or without an image."""
    fields = full()["fields"]
    for field in fields:
        field.pop("text", None)
    pairwise = next(field for field in fields if field["type"] == "pairwise")
    fields.remove(pairwise)
    return scheme(*fields, image="optional", skip=True)
