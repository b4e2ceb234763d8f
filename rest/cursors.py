"""Long lists, a page at a time, by key: nothing is shown twice or left out while rows are added."""

from typing import Any

from django.utils.encoding import force_str
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request

from rest.problems import Problem


class Cursors(CursorPagination):
    """Pages in the order of the endpoint's `ordering`, whose first field is a whole number."""

    page_size = 50
    max_page_size = 200
    page_size_query_param = "limit"
    page_size_query_description = "How many results a page has, 1 to 200."
    cursor_query_description = "Where the page begins: follow `next` and `previous`."

    def get_ordering(self, request: Request, queryset: Any, view: Any) -> tuple[str, ...]:
        ordering: tuple[str, ...] = view.ordering
        return ordering

    def get_page_size(self, request: Request) -> int:
        raw = request.query_params.get("limit")
        if raw is None:
            return self.page_size
        if not (raw.isascii() and raw.isdecimal() and len(raw) < 10) or not 1 <= int(raw) <= 200:
            raise _refused("limit", f"A whole number from 1 to {self.max_page_size}.")
        return int(raw)

    def decode_cursor(self, request: Request) -> Cursor | None:
        try:
            cursor = super().decode_cursor(request)
            if cursor and cursor.position is not None:
                int(cursor.position)
        except Exception as error:  # whatever a made-up cursor can break
            raise _refused("cursor", "This is no cursor of ours.") from error
        return cursor

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        link = {"type": "string", "format": "uri", "nullable": True}
        return {
            "type": "object",
            "required": ["next", "previous", "results"],
            "properties": {"next": link, "previous": link, "results": schema},
        }

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        return [
            {
                "name": "cursor",
                "in": "query",
                "description": force_str(self.cursor_query_description),
                "schema": {"type": "string"},
            },
            {
                "name": "limit",
                "in": "query",
                "description": force_str(self.page_size_query_description),
                "schema": {"type": "integer", "minimum": 1, "maximum": 200, "default": 50},
            },
        ]


def _refused(parameter: str, detail: str) -> Problem:
    return Problem("invalid-input", errors=[{"parameter": parameter, "detail": detail}])
