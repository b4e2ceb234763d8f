"""Definitions as JSON values and as YAML."""

from collections.abc import Iterable
from typing import Any

from schemes.contract.values import Json
from schemes.custom.definition import (
    BoxesField,
    ChoiceField,
    ChoicesField,
    Definition,
    Example,
    Field,
    Label,
    NumberField,
    Option,
    PairwiseField,
    PartsField,
    QuestionsField,
    RatingField,
    RelationLabel,
    RelationsField,
    ShowIf,
    SpansField,
    TextField,
)


def value_of(definition: Definition) -> Json:
    """Return the normalised value of a definition, in which nothing is left out."""
    return {
        "title": definition.title,
        "summary": definition.summary,
        "item": {"one": definition.item.singular, "many": definition.item.plural},
        "instructions": definition.instructions,
        "language": definition.language,
        "texts": [
            {"key": text.key, "label": text.label, "language": text.language}
            for text in definition.texts
        ],
        "image": definition.image,
        "skip": definition.skip,
        "unit": definition.unit,
        "fields": [_field_value(field) for field in definition.fields],
        "examples": list(map(_example_value, definition.examples)),
        "renamed": {
            "fields": dict(definition.renamed.fields),
            "labels": {key: dict(names) for key, names in definition.renamed.labels.items()},
        },
    }


def _field_value(field: Field) -> Json:
    return {**_attribute_value(field), "show_if": _condition(field.show_if)}


def _attribute_value(field: Field) -> Json:
    described = {
        "key": field.key,
        "type": field.type,
        "label": field.label,
        "help": field.help,
        "required": field.required,
    }
    limits = {"min": field.min, "max": field.max} if isinstance(field, PartsField) else {}
    return {**described, **_own_value(field), **limits}


def _own_value(field: Field) -> Json:  # noqa: PLR0911 - one case per type
    match field:
        case ChoicesField():
            return {"options": _options(field.options), "min": field.min, "max": field.max}
        case ChoiceField():
            return {"options": _options(field.options)}
        case RatingField():
            limits = {"min": field.min, "max": field.max}
            return {**limits, "scale": field.scale, "ends": list(field.ends)}
        case TextField():
            limits = {"lines": field.lines, "max_length": field.max_length}
            return {**limits, "pattern": field.pattern}
        case NumberField():
            return {"min": field.min, "max": field.max, "integer": field.integer}
        case PairwiseField():
            return {"between": list(field.between), "tie": field.tie}
        case SpansField():
            return {
                "text": field.text,
                "labels": [_label(label) for label in field.labels],
                "overlap": field.overlap,
                "attributes": [_attribute_value(attribute) for attribute in field.attributes],
            }
        case RelationsField():
            return {"spans": field.spans, "labels": [_relation_label(row) for row in field.labels]}
        case QuestionsField():
            answers = {
                "min": field.min_answers,
                "max": field.max_answers,
                "allow_none": field.allow_none,
            }
            question = list(field.questions) or "free"
            return {"text": field.text, "question": question, "answers": answers}
        case BoxesField():
            return {"labels": [_label(label) for label in field.labels]}
    raise TypeError(field)


def _label(label: Label) -> Json:
    return {
        "key": label.key,
        "label": label.label,
        "help": label.help,
        "key_hint": label.key_hint,
    }


def _relation_label(label: RelationLabel) -> Json:
    return {**_label(label), "from": list(label.from_labels), "to": list(label.to_labels)}


def _options(options: Iterable[Option]) -> list[Json]:
    return [{**_label(option), "options": _options(option.options)} for option in options]


def _condition(condition: ShowIf | None) -> Any:
    if condition is None:
        return None
    if condition.values:
        return {"field": condition.field, "is": list(condition.values)}
    return {"field": condition.field, "answered": True}


def _example_value(example: Example) -> Json:
    return {
        "title": example.title,
        "explanation": example.explanation,
        "texts": dict(example.texts),
        "image": example.image,
        "answers": example.answers,
    }
