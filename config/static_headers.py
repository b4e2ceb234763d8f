"""Middleware that keeps the headers of pages off static files, of which a page loads dozens."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from whitenoise.middleware import WhiteNoiseFileResponse

#: A browser reads these only on pages, and the id of a request only where it is logged.
OF_PAGES = (
    "Cross-Origin-Opener-Policy",
    "Permissions-Policy",
    "Referrer-Policy",
    "X-Request-ID",
)


class StaticHeadersMiddleware:
    """Middleware that removes OF_PAGES from static files. It must be outside those that set them."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if isinstance(response, WhiteNoiseFileResponse):
            for name in OF_PAGES:
                response.headers.pop(name, None)
        return response
