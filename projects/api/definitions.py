"""Definitions of schemes in request bodies: YAML or JSON text, or a JSON object."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError

from schemes.contract.resources import Resource
from schemes.contract.values import Json
from schemes.contract.written_resources import Mistake, WrittenTextError

_OBJECT = {"type": "object", "additionalProperties": {}}


@extend_schema_field({"oneOf": [{"type": "string"}, _OBJECT]})
class DefinitionField(serializers.JSONField):
    """The text of a definition, or its value."""

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, str | dict):
            raise serializers.ValidationError("Send YAML or JSON as text, or an object.")
        return data


def parse_definition(given: str | Json, resource: Resource) -> Json:
    """Return the value of a definition in a request. Raise WrittenTextError with all mistakes.

    Only mistakes in a text have lines.
    """
    if isinstance(given, str) and resource.written:
        return resource.written.read(given)
    return resource.parse(given)


def refused_definition(error: WrittenTextError) -> ValidationError:
    """Return the error of a request whose definition is invalid, with an entry for each mistake."""
    details: dict[str, list[ErrorDetail]] = {}
    for mistake in error.mistakes:
        name = f"definition.{mistake.path}" if mistake.path else "definition"
        details.setdefault(name, []).append(ErrorDetail(_sentence(mistake), "invalid"))
    return ValidationError(details)


def _sentence(mistake: Mistake) -> str:
    return f"Line {mistake.line}: {mistake.message}" if mistake.line else mistake.message
