"""The API for people: its operations to read and try; their own tokens, shown once, revoked."""

from datetime import datetime, timedelta

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.cache import add_never_cache_headers
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.domain.api_tokens import issue_token, revoke_token, tokens_of
from annotation.domain.queries import projects_of
from annotation.models import ApiToken
from annotation.permissions import User, signed_in_page
from dashboard.forms.tokens import TokenForm


@require_http_methods(["GET", "POST"])
@signed_in_page
@sensitive_variables("secret")
def tokens(request: HttpRequest) -> HttpResponse:
    """The list, and the form for another one. The answer to the form holds the secret: nothing else
    does, so there is no page to come back to for it."""
    now = timezone.now()
    form = TokenForm(request.POST or None, projects=projects_of(user=request.user))
    issued, secret = None, ""
    if form.is_valid():
        given = form.cleaned_data
        issued, secret = issue_token(
            user=request.user,  # type: ignore[arg-type]  # nobody anonymous gets here
            name=given["name"],
            scopes=given["scopes"],
            projects=list(given["projects"]) if given["reach"] == "some" else None,
            expires_at=now + timedelta(days=given["days"]) if given["days"] else None,
            now=now,
        )
        form = TokenForm(projects=projects_of(user=request.user))
    context = {"form": form, "issued": issued, "secret": secret, "rows": _rows(request.user, now)}
    status = 422 if form.is_bound and not form.is_valid() else 200
    response = render(request, "dashboard/tokens.html", context, status=status)
    add_never_cache_headers(response)
    return response


def _rows(user: User, now: datetime) -> list[dict[str, object]]:
    return [{"token": one, "live": one.is_live(now)} for one in tokens_of(user=user)]


@require_POST
@signed_in_page
def revoke(request: HttpRequest, pk: int) -> HttpResponseBase:
    token = get_object_or_404(ApiToken, pk=pk, user=request.user.pk)
    revoke_token(token=token, actor=request.user.get_username(), now=timezone.now())
    messages.success(request, f"{token.name} is revoked: programs that use it are refused now.")
    return redirect("dashboard:tokens")


@require_GET
@signed_in_page
def api_docs(request: HttpRequest) -> HttpResponse:
    """The API's operations, to read and to try in one's own name."""
    return render(request, "dashboard/api_docs.html")
