"""Requests, responses and the table of routes."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from tests.fakes.prolific.errors import ApiError, invalid
from tests.fakes.prolific.state import Platform

PREFIX = "/api/v1"
PAGE_SIZE = 20


@dataclass(frozen=True)
class Request:
    """A request. `path` has no prefix /api/v1."""

    method: str
    path: str
    query: dict[str, str] = field(default_factory=dict)
    body: Any = None
    authorization: str = ""

    def text(self, name: str) -> str:
        """Return a required text of the body."""
        value = self.fields.get(name)
        if not isinstance(value, str) or not value.strip():
            raise invalid(**{name: "This field is required."})
        return value

    def ids(self, name: str) -> list[str]:
        """Return a required list of texts of the body."""
        value = self.fields.get(name)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise invalid(**{name: "Expected a list of ids."})
        return value

    @property
    def fields(self) -> dict[str, Any]:
        if not isinstance(self.body, dict):
            raise ApiError(400, "Expected a JSON object.")
        return self.body


@dataclass(frozen=True)
class Response:
    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def content(self) -> bytes:
        return b"" if self.body is None else json.dumps(self.body).encode()


View = Callable[..., Response]
ROUTES: list[tuple[str, re.Pattern[str], str, View]] = []


def route(method: str, path: str) -> Callable[[View], View]:
    """Register a view. A name in braces matches one segment of the path."""
    pattern = re.compile(re.sub(r"{(\w+)}", r"(?P<\1>[^/]+)", path.rstrip("/")) + "/?")

    def register(view: View) -> View:
        ROUTES.append((method, pattern, path, view))
        return view

    return register


def find_view(request: Request) -> tuple[View, dict[str, str], str]:
    """Return the view, its arguments and its path as registered."""
    methods = []
    for method, pattern, path, view in ROUTES:
        if match := pattern.fullmatch(request.path):
            if method == request.method:
                return view, match.groupdict(), path
            methods.append(method)
    if methods:
        raise ApiError(405, f'Method "{request.method}" not allowed.', wrapped=False)
    raise ApiError(404, "Not found.", wrapped=False)


def page_of(platform: Platform, request: Request, rows: list[Any]) -> Response:
    """Return a page of a list, by limit and offset or by page and page_size."""
    by_offset = "limit" in request.query or "offset" in request.query
    size = _number(request, "limit" if by_offset else "page_size", PAGE_SIZE)
    page = _number(request, "page", 1)
    start = _number(request, "offset", 0, least=0) if by_offset else (page - 1) * size
    if not by_offset and page > 1 and start >= len(rows):
        raise ApiError(404, "Invalid page.", wrapped=False)
    body: dict[str, Any] = {"results": rows[start : start + size]}
    if platform.options.has_links:
        step = {"offset": start + size} if by_offset else {"page": page + 1}
        following = {**request.query, **{name: str(value) for name, value in step.items()}}
        address = f"https://api.prolific.com{PREFIX}{request.path}?"
        has_next = start + size < len(rows)
        body["_links"] = {
            "self": {"href": address + urlencode(request.query), "title": "Current"},
            "next": {"href": address + urlencode(following) if has_next else None, "title": "Next"},
        }
        body["meta"] = {"count": len(rows)}
    return Response(200, body)


def _number(request: Request, name: str, default: int, *, least: int = 1) -> int:
    try:
        number = int(request.query.get(name, default))
    except ValueError:
        raise invalid(**{name: "A valid integer is required."}) from None
    if number < least:
        raise invalid(**{name: f"Ensure this value is at least {least}."})
    return number
