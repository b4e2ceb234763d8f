from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import django_filters
from django.core.exceptions import ValidationError
from django_filters import Filter, NumberFilter
from django_filters.fields import IsoDateTimeField

from web.serializers import choose_from

MAX_ID = 2**63 - 1


class MomentField(IsoDateTimeField):
    """A time in UTC, because databases accept fewer offsets than ISO 8601."""

    def to_python(self, value: Any) -> datetime | None:
        moment = super().to_python(value)
        try:
            return moment and moment.astimezone(UTC)
        except OverflowError as error:
            raise ValidationError("Enter a valid date/time.", code="invalid") from error


class MomentFilter(Filter):
    field_class = MomentField


class ChoiceFilter(django_filters.ChoiceFilter):
    """A filter by one of several values, which errors list."""

    def __init__(self, *, choices: Sequence[tuple[Any, Any]], **kwargs: Any) -> None:
        messages = {"invalid_choice": choose_from(value for value, _ in choices)}
        super().__init__(choices=choices, error_messages=messages, **kwargs)


class IdAfterFilter(NumberFilter):
    """A filter of rows that were created after the one with this id."""

    def __init__(self) -> None:
        super().__init__(
            field_name="pk",
            lookup_expr="gt",
            min_value=0,
            max_value=MAX_ID,
            label="Only rows with a higher id, such as those since the last one you have.",
        )
