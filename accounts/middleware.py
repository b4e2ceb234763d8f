from collections.abc import Callable

from allauth.mfa.utils import is_mfa_enabled
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, resolve_url
from django.utils import timezone
from django_htmx.http import HttpResponseClientRedirect

from accounts.domain.second_factor import must_have_second_factor
from accounts.domain.session_lifetime import prolong_session

SET_UP = "mfa_activate_totp"
OPEN_BEFORE_SET_UP = {
    SET_UP,
    "account_reauthenticate",
    "account_logout",
    "operations:live",
    "operations:ready",
    "operations:web",
}
VISIT_INTERVAL_SECONDS = 600


class AccountsMiddleware:
    """Require a second factor for some roles, end old sessions, and record when they were used."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: object, args: object, kwargs: object
    ) -> HttpResponseBase | None:
        # Worker pages have no session cookie and must not depend on the session.
        if settings.SESSION_COOKIE_NAME not in request.COOKIES or not request.user.is_authenticated:
            return None
        # A fragment of an open page refreshes itself, so loading it does not prove that someone is there.
        is_fragment = request.htmx and request.method == "GET"  # type: ignore[attr-defined]
        if not is_fragment and not prolong_session(session=request.session, now=timezone.now()):
            logout(request)
            return None
        record_visit(request)
        match = request.resolver_match
        if match and match.view_name in OPEN_BEFORE_SET_UP:
            return None
        if not must_have_second_factor(request.user) or is_mfa_enabled(request.user):
            return None
        if request.htmx:  # type: ignore[attr-defined]
            return HttpResponseClientRedirect(resolve_url(SET_UP))
        messages.info(
            request, "Your role requires two-factor authentication. Set it up to continue."
        )
        return redirect(SET_UP)


def record_visit(request: HttpRequest) -> None:
    """Record that the session is in use, at most once per interval."""
    key = f"accounts.visit.{request.session.session_key}"
    # A login outside a request, such as by Django's test client, has no user.
    if cache.add(key, True, VISIT_INTERVAL_SECONDS) and hasattr(request, "user"):
        UserSession.objects.create_from_request(request)
