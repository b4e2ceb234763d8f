"""The base class of the serializers that read request bodies."""

from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from django.utils.datastructures import MultiValueDict
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError

# The number of unknown names that one answer lists.
MAX_NAMED = 20


def unknown_name(kind: str, name: str, known: Collection[str]) -> str:
    """Return the message about an unknown name, with the known name that is meant."""
    if nearest := get_close_matches(name[:100], known, n=1):
        return f"Unknown {kind}. Did you mean {nearest[0]!r}?"
    return f"Unknown {kind}. Choose from: {', '.join(sorted(known)) or 'none'}."


def choose_from(choices: Iterable[Any]) -> str:
    """Return the message about a value that is none of the choices."""
    return f"Choose from: {', '.join(str(choice) for choice in choices if choice != '')}."


class BodySerializer(serializers.Serializer[Any]):
    """A serializer that refuses unknown and repeated fields, in nested objects as well.

    A misspelt `cap_cents` would otherwise publish without a limit.
    """

    def get_fields(self) -> dict[str, Any]:
        fields: dict[str, Any] = super().get_fields()
        for field in fields.values():
            if isinstance(field, serializers.ChoiceField):
                field.error_messages["invalid_choice"] = choose_from(field.choices)
        return fields

    def to_internal_value(self, data: Any) -> Any:
        errors = self._unreadable_names(data) if isinstance(data, Mapping) else {}
        try:
            value = super().to_internal_value(data)
        except ValidationError as error:
            raise ValidationError({**dict(error.detail), **errors}) from error  # type: ignore[arg-type]
        if errors:
            raise ValidationError(errors)
        return value

    def _unreadable_names(self, data: Mapping[str, Any]) -> dict[str, list[ErrorDetail]]:
        known = [name for name, field in self.fields.items() if not field.read_only]
        errors = {
            name: [ErrorDetail(unknown_name("field", name, known), "unknown_field")]
            for name in [name for name in data if name not in known][:MAX_NAMED]
        }
        if isinstance(data, MultiValueDict):
            lists = [name for name in known if isinstance(self.fields[name], serializers.ListField)]
            errors |= {
                name: [ErrorDetail("Send this field only once.", "repeated_field")]
                for name in known
                if name not in lists and len(data.getlist(name)) > 1
            }
        return errors


class NoBody(BodySerializer):
    """The body of an action without settings, which is empty."""
