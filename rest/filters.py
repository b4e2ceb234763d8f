"""Filters of lists: documented, checked, and refused where they are none."""

from datetime import UTC, datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django_filters import Filter
from django_filters.fields import IsoDateTimeField
from django_filters.rest_framework import DjangoFilterBackend
from rest_framework.request import Request

from rest.problems import Problem


class MomentField(IsoDateTimeField):
    """A moment in UTC: databases know fewer offsets than ISO 8601 can write, and no year before 1."""

    def to_python(self, value: Any) -> datetime | None:
        moment = super().to_python(value)
        try:
            return moment and moment.astimezone(UTC)
        except OverflowError as error:
            raise ValidationError("Enter a valid date/time.", code="invalid") from error


class MomentFilter(Filter):
    field_class = MomentField


PAGING = frozenset({"cursor", "limit"})


class StrictFilters(DjangoFilterBackend):
    """A filter that is misspelt, or holds nothing usable, must not list everything."""

    def filter_queryset(
        self, request: Request, queryset: QuerySet[Any], view: Any
    ) -> QuerySet[Any]:
        filterset = self.get_filterset(request, queryset, view)
        if filterset is None:
            return queryset
        if not filterset.is_valid():
            raise Problem("invalid-input", errors=_errors(filterset.errors))
        return filterset.qs


def _errors(by_name: dict[str, list[str]]) -> list[dict[str, str]]:
    return [
        {"parameter": name, "detail": str(message)}
        for name, messages in by_name.items()
        for message in messages
    ]


def refuse_unknown(request: Request, view: Any) -> None:
    """Raises Problem for parameters of the address that the endpoint does not know."""
    filterset = getattr(view, "filterset_class", None)
    known = set(filterset.base_filters if filterset else ())
    known |= PAGING if view.pagination_class else set()
    unknown = [name for name in request.query_params if name not in known]
    if unknown:
        told = f"Known are: {', '.join(sorted(known)) or 'none'}."
        raise Problem(
            "invalid-input", errors=[{"parameter": name, "detail": told} for name in unknown]
        )
