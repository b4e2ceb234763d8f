"""Requests whose text no database could hold.

PostgreSQL refuses the character NUL in any text, and what is looked up by an address or typed into a
form ends there sooner or later. No browser sends it.
"""

from collections.abc import Callable, Iterable
from urllib.parse import unquote_to_bytes

from django.http import HttpRequest, HttpResponse, HttpResponseBase

REFUSAL = "This request holds the character NUL, which is no part of any text."


class TextOnlyMiddleware:
    """Refuses NUL in addresses, and in the forms of our own pages, with status 400.

    Behind the middleware that checks the forms' tokens: their fields have been read by then. What is
    exempt from that check (the API, the marketplace's submissions, workers' pages in a frame) reads
    its body itself, and says in its own language what is wrong with it.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if "\x00" in request.path:
            return _refused()
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., object], *_: object
    ) -> HttpResponseBase | None:
        if getattr(view, "csrf_exempt", False):
            return None
        if b"\x00" in unquote_to_bytes(request.META.get("QUERY_STRING", "")):
            return _refused()
        if request.method == "POST" and _holds_nul(request.POST.lists()):
            return _refused()
        return None


def _holds_nul(fields: Iterable[tuple[str, list[str]]]) -> bool:
    return any("\x00" in text for name, values in fields for text in (name, *values))


def _refused() -> HttpResponse:
    return HttpResponse(REFUSAL, status=400, content_type="text/plain; charset=utf-8")
