"""Workers' sessions, which use a cookie of the marketplace's own."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import get_language

from marketplace.domain.accounts import accounts
from marketplace.domain.work.consent import is_consent_due
from marketplace.models import WorkerAccount

P = ParamSpec("P")
WorkerView = Callable[Concatenate[HttpRequest, WorkerAccount, P], HttpResponseBase]


def current_worker(request: HttpRequest) -> WorkerAccount | None:
    token = request.COOKIES.get(accounts.COOKIE)
    return accounts.worker_of_session(token=token, now=timezone.now()) if token else None


def worker_required(
    view: WorkerView[P],
) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """Pass the worker as the second argument. Redirect other visitors to the sign-in page."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        worker = current_worker(request)
        if worker is None:
            return redirect(f"{reverse('marketplace:login')}?{urlencode({'next': request.path})}")
        return view(request, worker, *args, **kwargs)

    return wrapped


def log_in_response(
    request: HttpRequest, worker: WorkerAccount, *, next_url: str = ""
) -> HttpResponse:
    """Sign in and redirect to `next_url` if it is a URL of this site.

    A worker who has not accepted the current consent text is asked for it first.
    """
    if not url_has_allowed_host_and_scheme(next_url, {request.get_host()}, request.is_secure()):
        next_url = reverse("marketplace:groups")
    if is_consent_due(worker):
        next_url = f"{reverse('marketplace:consent')}?{urlencode({'next': next_url})}"
    accounts.set_language(worker=worker, language=get_language())
    response = HttpResponseRedirect(next_url)
    response.set_cookie(
        accounts.COOKIE,
        accounts.start_session(worker=worker, now=timezone.now()),
        max_age=int(accounts.SESSION_LASTS.total_seconds()),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    return response


def log_out_response(request: HttpRequest) -> HttpResponse:
    if token := request.COOKIES.get(accounts.COOKIE):
        accounts.end_session(token=token)
    response = redirect("marketplace:login")
    response.delete_cookie(accounts.COOKIE, samesite="Lax")
    return response
