"""Middleware that keeps pages with personal data out of caches."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse


class PrivatePagesMiddleware:
    """Middleware that forbids storing a response, unless its view allows it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Cache-Control", "private, no-store")
        return response
