"""Whoever has a second factor, or must have one, gets nowhere without it."""

from collections.abc import Callable
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, resolve_url
from django_htmx.http import HttpResponseClientRedirect

from accounts.domain.second_factor import has_second_factor, must_have_second_factor
from accounts.sessions import note_visit

# What can be opened on the way: the steps themselves, and the way out.
ON_THE_WAY = {
    "accounts:verify",
    "accounts:set_up",
    "dashboard:logout",
    "operation:live",
    "operation:ready",
}


class SecondFactorMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: object, args: object, kwargs: object
    ) -> HttpResponseBase | None:
        # Without the cookie nobody is signed in, and workers' pages don't come to depend on it.
        if settings.SESSION_COOKIE_NAME not in request.COOKIES or not request.user.is_authenticated:
            return None
        note_visit(request)
        match = request.resolver_match
        if request.user.is_verified() or (match and match.view_name in ON_THE_WAY):  # type: ignore[attr-defined]
            return None
        if has_second_factor(request.user):
            return _send_to(request, "accounts:verify")
        if must_have_second_factor(request.user):
            return _send_to(request, "accounts:set_up")
        return None


def _send_to(request: HttpRequest, route: str) -> HttpResponseBase:
    if request.htmx:  # type: ignore[attr-defined]
        return HttpResponseClientRedirect(resolve_url(route))
    then = urlencode({"next": request.get_full_path()}) if request.method == "GET" else ""
    return redirect(f"{resolve_url(route)}?{then}")
