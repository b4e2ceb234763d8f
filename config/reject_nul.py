"""Middleware that refuses the NUL character, which PostgreSQL cannot store in text."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBase

from web.views import api_error

REFUSAL = "This request contains the NUL character, which is not allowed in text."


class TextOnlyMiddleware:
    """Middleware that answers 400 to NUL in paths, queries and forms.

    Place it after the CSRF middleware, which reads the form. CSRF-exempt views check their own input.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return _refused(request) if "\x00" in request.path else self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., object], *_: object
    ) -> HttpResponseBase | None:
        if getattr(view, "csrf_exempt", False):
            return None
        # An encoded form shows NUL as %00.
        if "%00" in request.GET.urlencode() or "%00" in request.POST.urlencode():
            return _refused(request)
        return None


def _refused(request: HttpRequest) -> HttpResponse:
    if request.path.startswith("/api/"):
        return api_error("invalid", REFUSAL, status=400)
    return HttpResponse(REFUSAL, status=400, content_type="text/plain; charset=utf-8")
