"""Sign-in of requesters, which uses a cookie of its own."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from marketplace.domain.accounts import requester_sessions
from marketplace.domain.accounts.accounts import LoginError
from marketplace.forms import RequesterLoginForm
from marketplace.models import Requester
from marketplace.views.posted import posted

P = ParamSpec("P")
RequesterView = Callable[Concatenate[HttpRequest, Requester, P], HttpResponseBase]


def requester_required(
    view: RequesterView[P],
) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """Pass the requester as the second argument. Redirect other visitors to the sign-in page."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        token = request.COOKIES.get(requester_sessions.COOKIE, "")
        requester = requester_sessions.requester_of_session(token=token, now=timezone.now())
        if requester is None:
            query = urlencode({"next": request.path})
            return redirect(f"{reverse('marketplace:requester-login')}?{query}")
        return view(request, requester, *args, **kwargs)

    return wrapped


@sensitive_post_parameters("secret")
@require_http_methods(["GET", "POST"])
def log_in(request: HttpRequest) -> HttpResponseBase:
    form = RequesterLoginForm(posted(request))
    if form.is_valid():
        try:
            token = requester_sessions.log_in(
                **form.cleaned_data,
                address=request.META.get("REMOTE_ADDR", ""),
                now=timezone.now(),
            )
        except LoginError as error:
            form.add_error(None, str(error))
        else:
            return _logged_in(request, token)
    return render(request, "marketplace/requester/login.html", {"form": form})


def _logged_in(request: HttpRequest, token: str) -> HttpResponseBase:
    next_url = request.GET.get("next", "")
    if not url_has_allowed_host_and_scheme(next_url, {request.get_host()}, request.is_secure()):
        next_url = reverse("marketplace:layouts")
    response = redirect(next_url)
    response.set_cookie(
        requester_sessions.COOKIE,
        token,
        max_age=int(requester_sessions.SESSION_LASTS.total_seconds()),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    return response


@require_POST
def log_out(request: HttpRequest) -> HttpResponseBase:
    if token := request.COOKIES.get(requester_sessions.COOKIE):
        requester_sessions.end_session(token=token)
    response = redirect("marketplace:requester-login")
    response.delete_cookie(requester_sessions.COOKIE, samesite="Lax")
    return response
