"""A submitted answer in a form that people can read."""

import json
from typing import Any

from defusedxml import ElementTree

#: Deeper values are shown as JSON.
DEPTH = 12
Fields = list[tuple[str, Any]]


def fields_of(answer: str) -> Fields:
    """Return the fields of a QuestionFormAnswers document with their values.

    A value is a text, a list of selections, or the object or list of a text of JSON.
    """
    if not answer:
        return []
    root = ElementTree.fromstring(answer)
    return [
        (_text(element, "QuestionIdentifier"), _value(element))
        for element in root.iter()
        if _name(element) == "Answer"
    ]


def _value(answer: Any) -> Any:
    chosen = [
        element.text or ""
        for element in answer
        if _name(element) in ("SelectionIdentifier", "OtherSelectionText")
    ]
    if chosen:
        return chosen
    text = _text(answer, "FreeText")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, dict | list) and _is_shallow(value, DEPTH) else text


def _is_shallow(value: Any, depth: int) -> bool:
    """Return True if objects and lists are nested at most `depth` levels deep."""
    if not isinstance(value, dict | list):
        return True
    members = value.values() if isinstance(value, dict) else value
    return depth > 0 and all(_is_shallow(member, depth - 1) for member in members)


def _text(answer: Any, name: str) -> str:
    return next((element.text or "" for element in answer if _name(element) == name), "")


def _name(element: Any) -> str:
    """Return the element's name without its namespace."""
    return str(element.tag).rpartition("}")[2]
