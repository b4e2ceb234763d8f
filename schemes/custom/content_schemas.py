"""The JSON Schemas of the content of a definition, for programs that write or read it."""

from typing import Any

from schemes.contract.values import Json
from schemes.custom.checks import TIE
from schemes.custom.definition import (
    BoxesField,
    ChoiceField,
    ChoicesField,
    Field,
    NumberField,
    PairwiseField,
    QuestionsField,
    RatingField,
    RelationsField,
    SpansField,
    TextField,
)
from schemes.custom.form import ANSWERS, SKIPPED, VERDICTS, Form


def content_schemas(form: Form) -> dict[str, Json]:
    """Return the JSON Schema of each kind of content.

    Limits that depend on the item or on other answers are not in them.
    """
    answers = {field.key: _value(field) for field in form.definition.fields}
    properties: Json = {ANSWERS: _object(answers, [])}
    if form.definition.skip:
        properties[SKIPPED] = {"type": "string"}
    content = _object(properties, [ANSWERS])
    verdicts = _object({VERDICTS: {"type": "array", "items": {"type": "boolean"}}}, [VERDICTS])
    return {
        "generation": content,
        "gold": content,
        "consolidation": content,
        "validation": verdicts,
    }


def _object(properties: Json, required: list[str]) -> Json:
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _value(field: Field) -> Json:  # noqa: PLR0911 - one case per type
    match field:
        case ChoicesField():
            return {**_list(_keys(leaf.key for leaf in field.leaves)), "uniqueItems": True}
        case ChoiceField():
            return _keys(leaf.key for leaf in field.leaves)
        case RatingField():
            return {"type": "integer", "minimum": field.min, "maximum": field.max}
        case NumberField():
            return {"type": "integer" if field.integer else "number"}
        case TextField():
            return {"type": "string", "maxLength": field.max_length}
        case PairwiseField():
            return _keys([*field.between, *([TIE] if field.tie else [])])
        case SpansField():
            return _list(_span(field))
        case RelationsField():
            ends = {"from": _POSITION, "to": _POSITION}
            return _list(_labelled(field, ends))
        case QuestionsField():
            pair = {**_list(_POSITION), "minItems": 2, "maxItems": 2}
            question = {"question": {"type": "string"}, "answers": _list(pair)}
            return _list(_object(question, list(question)))
        case BoxesField():
            box = {**_list(_POSITION), "minItems": 4, "maxItems": 4}
            return _list(_labelled(field, {"box": box}))
    raise TypeError(field)


def _span(field: SpansField) -> Json:
    span = _labelled(field, {"start": _POSITION, "end": _POSITION})
    if field.attributes:
        attributes = {attribute.key: _value(attribute) for attribute in field.attributes}
        span["properties"]["attributes"] = _object(attributes, [])
    return span


def _labelled(field: Any, properties: Json) -> Json:
    labelled = {**properties, "label": _keys(label.key for label in field.labels)}
    return _object(labelled, list(labelled))


def _list(items: Json) -> Json:
    return {"type": "array", "items": items}


def _keys(keys: Any) -> Json:
    return {"type": "string", "enum": list(keys)}


_POSITION: Json = {"type": "integer", "minimum": 0}
