"""Keyset pagination of the API, which new rows do not disturb."""

from typing import Any

from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request


class Cursors(CursorPagination):
    """A paginator in the order of the endpoint's `ordering`, whose first field is an integer."""

    page_size = 50
    max_page_size = 200
    page_size_query_param = "limit"

    def get_page_size(self, request: Request) -> int:
        """Return the `limit`. Raise ValidationError for one that the API can't keep."""
        limit = request.query_params.get(self.page_size_query_param)
        if limit is None:
            return self.page_size
        # A longer number is too large as well.
        if limit.isascii() and limit.isdecimal() and 1 <= int(limit[:9]) <= self.max_page_size:
            return int(limit)
        detail = f"Use a whole number from 1 to {self.max_page_size}."
        raise ValidationError({self.page_size_query_param: [detail]})

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        parameters: list[dict[str, Any]] = super().get_schema_operation_parameters(view)
        for parameter in parameters:
            if parameter["name"] == self.page_size_query_param:
                parameter["schema"] |= {
                    "minimum": 1,
                    "maximum": self.max_page_size,
                    "default": self.page_size,
                }
        return parameters

    def get_ordering(self, request: Request, queryset: Any, view: Any) -> tuple[str, ...]:
        ordering: tuple[str, ...] = view.ordering
        return ordering

    def decode_cursor(self, request: Request) -> Cursor | None:
        cursor = super().decode_cursor(request)
        if cursor and cursor.position is not None and not str(cursor.position).isdecimal():
            raise NotFound(self.invalid_cursor_message)  # the database would fail on it
        return cursor
