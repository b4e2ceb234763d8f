"""Pydantic models of content, with errors that name the field and say what is wrong."""

import unicodedata
from collections.abc import Iterable
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.json_schema import GenerateJsonSchema

from schemes.contract.errors import ContentError
from schemes.contract.texts import Translatable


class Strict(BaseModel):
    """A model that accepts no unknown fields and converts no types."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


Model = TypeVar("Model", bound=Strict)


def validated(model: type[Model], content: object) -> Model:
    """Return the content as a model. Raise ContentError for the first invalid field."""
    try:
        return model.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise ContentError(_path(first["loc"]), _pattern(first), **first.get("ctx", {})) from None


class _WithoutTitles(GenerateJsonSchema):
    """JSON Schemas without titles that only repeat the names of fields."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def json_schemas(**models: type[Strict]) -> dict[str, Any]:
    """Return the JSON Schema of each kind of content, for programs that write or read it."""
    return {
        kind: model.model_json_schema(schema_generator=_WithoutTitles)
        for kind, model in models.items()
    }


def clean_text(text: str, path: str) -> str:
    """Normalise blanks. Raise ContentError for characters that cannot be stored."""
    if not text.isprintable():
        for character in text:
            category = unicodedata.category(character)
            if category == "Cs" or (category == "Cc" and not character.isspace()):
                raise ContentError(path, "holds a control character; type it again.")
    return " ".join(text.split())


def _path(location: Iterable[int | str]) -> str:
    path = ""
    for step in location:
        if isinstance(step, int):
            path += f"[{step}]"
        else:
            name = "".join(c if c.isprintable() else "\ufffd" for c in step[:40])
            path += f".{name}" if path else name
    return path


SENTENCES = {
    "missing": "is missing.",
    "extra_forbidden": "is not a known field.",
    "model_type": "must be an object.",
    "list_type": "must be a list.",
    "string_type": "must be a text.",
    "string_unicode": "holds characters that are no text.",
    "int_type": "must be a whole number.",
    "int_from_float": "must be a whole number.",
    "string_too_long": "is too long; at most %(max_length)s characters are taken.",
    "too_long": "has too many entries; at most %(max_length)s are taken.",
    "too_short": "has too few entries; at least %(min_length)s are needed.",
    "string_too_short": "must not be empty.",
    "float_type": "must be a number.",
    "bool_type": "must be true or false.",
    "dict_type": "must be an object.",
    "greater_than_equal": "must be at least %(ge)s.",
    "less_than_equal": "must be at most %(le)s.",
    "literal_error": "must be %(expected)s.",
}


def error_sentence(error: Any) -> str:
    """Return what is wrong with a field, from an error of pydantic."""
    return str(Translatable(_pattern(error), **error.get("ctx", {})))


def _pattern(error: Any) -> str:
    return SENTENCES.get(error["type"]) or f"{error['msg']}.".replace("%", "%%")
