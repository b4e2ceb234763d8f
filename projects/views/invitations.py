from typing import Any

from django.contrib.auth import login
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from projects.domain import invite
from projects.domain.invite import InvitationOverError
from projects.domain.new_user import UsernameTakenError
from projects.forms import USERNAME_TAKEN, AccountForm
from projects.permissions import public_page

GONE, UNPROCESSABLE = 410, 422
BACKEND = "django.contrib.auth.backends.ModelBackend"


@require_http_methods(["GET", "POST"])
@never_cache
@public_page
def accept(request: HttpRequest, token: str) -> HttpResponseBase:
    """Create an account with the invitation's role, or give the role to the signed-in user."""
    now = timezone.now()
    try:
        invitation = invite.invitation_of(token=token, now=now)
        if request.user.is_authenticated:
            if request.method == "POST":
                user: Any = request.user
                invite.join(invitation=invitation, user=user, now=now)
                return redirect("dashboard:project", slug=invitation.project.slug)
            return render(request, "accounts/join.html", {"invitation": invitation})
        form = AccountForm(request.POST or None)
        if not form.is_valid():
            status = UNPROCESSABLE if form.is_bound else 200
            context = {"invitation": invitation, "form": form}
            return render(request, "accounts/accept.html", context, status=status)
        new = invite.accept(
            invitation=invitation,
            username=form.cleaned_data["username"],
            password=form.cleaned_data["password1"],
            now=now,
        )
    except InvitationOverError:
        return render(request, "accounts/invitation_over.html", status=GONE)
    except UsernameTakenError:
        form.add_error("username", USERNAME_TAKEN)
        context = {"invitation": invitation, "form": form}
        return render(request, "accounts/accept.html", context, status=UNPROCESSABLE)
    login(request, new, backend=BACKEND)
    return redirect("dashboard:project", slug=invitation.project.slug)
