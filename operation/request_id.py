"""The name that one request has in every log line it causes, background tasks included."""

import re
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.http import HttpRequest, HttpResponse

from operation.log_secrets import without_secrets

HEADER = "X-Request-ID"
# As WSGI names it: `request.headers` would first make a mapping of all the others.
_GIVEN = "HTTP_X_REQUEST_ID"
FORM = re.compile(r"[A-Za-z0-9_-]{8,64}")

_current: ContextVar[str] = ContextVar("request_id", default="")


def current_request_id() -> str:
    """Empty outside of requests and tasks."""
    return _current.get()


@contextmanager
def request_named(name: str) -> Iterator[None]:
    token = _current.set(name)
    try:
        yield
    finally:
        _current.reset(token)


class RequestIdMiddleware:
    """Takes the id that a proxy gave, or makes one, and sends it back."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.META.get(_GIVEN, "")
        is_usable = FORM.fullmatch(given) and without_secrets(given) == given
        name = given if is_usable else uuid.uuid4().hex
        with request_named(name):
            response = self.get_response(request)
        response[HEADER] = name
        return response
