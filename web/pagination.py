"""Keyset pagination of the API, which new rows do not disturb."""

from typing import Any

from rest_framework.exceptions import NotFound
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request


class Cursors(CursorPagination):
    """A paginator in the order of the endpoint's `ordering`, whose first field is an integer."""

    page_size = 50
    max_page_size = 200
    page_size_query_param = "limit"

    def get_ordering(self, request: Request, queryset: Any, view: Any) -> tuple[str, ...]:
        ordering: tuple[str, ...] = view.ordering
        return ordering

    def decode_cursor(self, request: Request) -> Cursor | None:
        cursor = super().decode_cursor(request)
        if cursor and cursor.position is not None and not str(cursor.position).isdecimal():
            raise NotFound(self.invalid_cursor_message)  # the database would fail on it
        return cursor
