"""Who is logged in, on the workers' side: a cookie of the marketplace's own."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme

from marketplace.domain import accounts
from marketplace.models import WorkerAccount

P = ParamSpec("P")
WorkerView = Callable[Concatenate[HttpRequest, WorkerAccount, P], HttpResponseBase]


def session_token(request: HttpRequest) -> str:
    """What the worker's cookie holds; empty without one."""
    return request.COOKIES.get(accounts.COOKIE, "")


def current_worker(request: HttpRequest) -> WorkerAccount | None:
    token = session_token(request)
    return accounts.worker_of_session(token=token, now=timezone.now()) if token else None


def to_login(request: HttpRequest) -> HttpResponseBase:
    """And back here after it."""
    return redirect(f"{reverse('marketplace:login')}?{urlencode({'next': request.path})}")


def worker_required(
    view: WorkerView[P],
) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """Passes the worker to the view as its second argument, or sends the visitor to the login."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        worker = current_worker(request)
        if worker is None:
            return to_login(request)
        return view(request, worker, *args, **kwargs)

    return wrapped


def log_in_response(
    request: HttpRequest, worker: WorkerAccount, *, next_url: str = ""
) -> HttpResponse:
    """A redirect that carries the new session's cookie; `next_url` only within this site."""
    if not url_has_allowed_host_and_scheme(next_url, {request.get_host()}, request.is_secure()):
        next_url = reverse("marketplace:groups")
    response = HttpResponseRedirect(next_url)
    response.set_cookie(
        accounts.COOKIE,
        accounts.start_session(worker=worker, now=timezone.now()),
        max_age=int(accounts.SESSION_LASTS.total_seconds()),
        secure=request.is_secure(),
        httponly=True,
        samesite="Lax",
    )
    return response


def log_out_response(request: HttpRequest) -> HttpResponse:
    if token := session_token(request):
        accounts.end_session(token=token)
    response = redirect("marketplace:login")
    response.delete_cookie(accounts.COOKIE, samesite="Lax")
    return response
