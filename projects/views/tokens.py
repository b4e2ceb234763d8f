"""Pages of the user's API tokens and of the API documentation."""

from datetime import timedelta

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.cache import add_never_cache_headers
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from projects.domain.api_tokens import issue_token, revoke_token, tokens_of
from projects.domain.queries import projects_of
from projects.forms import TokenForm
from projects.models import ApiToken
from projects.permissions import signed_in_page


@require_http_methods(["GET", "POST"])
@signed_in_page
@sensitive_variables("secret")
def tokens(request: HttpRequest) -> HttpResponse:
    """List the user's tokens, and create one. Only this response contains its secret."""
    now = timezone.now()
    form = TokenForm(request.POST or None, projects=projects_of(user=request.user))
    issued, secret = None, ""
    if form.is_valid():
        data = form.cleaned_data
        issued, secret = issue_token(
            user=request.user,  # type: ignore[arg-type]  # the page requires a signed-in user
            name=data["name"],
            scopes=data["scopes"],
            projects=list(data["projects"]) if data["reach"] == "some" else None,
            expires_at=now + timedelta(days=data["days"]) if data["days"] else None,
            now=now,
        )
        form = TokenForm(projects=projects_of(user=request.user))
    rows = [{"token": token, "live": token.is_live(now)} for token in tokens_of(user=request.user)]
    context = {"form": form, "issued": issued, "secret": secret, "rows": rows}
    status = 422 if form.is_bound and not form.is_valid() else 200
    response = render(request, "projects/tokens.html", context, status=status)
    add_never_cache_headers(response)
    return response


@require_POST
@signed_in_page
def revoke(request: HttpRequest, pk: int) -> HttpResponseBase:
    token = get_object_or_404(ApiToken, pk=pk, user=request.user.pk)
    revoke_token(token=token, actor=request.user.get_username(), now=timezone.now())
    messages.success(request, f"{token.name} was revoked. Programs can no longer use it.")
    return redirect("projects:tokens")


@require_GET
@signed_in_page
def api_docs(request: HttpRequest) -> HttpResponse:
    """Show the API's operations, which signed-in users can try."""
    return render(request, "projects/api_docs.html")
