from datetime import UTC, datetime
from typing import Any

from django.core.exceptions import ValidationError
from django_filters import Filter
from django_filters.fields import IsoDateTimeField


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
