from django.contrib.auth import login
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts.domain.first_account import LinkOverError, check_link, create_first_account
from accounts.forms import FirstAccountForm
from projects.permissions import public_page
from projects.views.invitations import BACKEND, GONE, UNPROCESSABLE


@sensitive_post_parameters()
@require_http_methods(["GET", "POST"])
@never_cache
@public_page
def first_account(request: HttpRequest, token: str) -> HttpResponseBase:
    """Create the first account of the site and sign in."""
    now = timezone.now()
    try:
        check_link(token=token, now=now)
        form = FirstAccountForm(request.POST or None)
        if not form.is_valid():
            status = UNPROCESSABLE if form.is_bound else 200
            return render(request, "accounts/first_account.html", {"form": form}, status=status)
        user = create_first_account(
            token=token,
            username=form.cleaned_data["username"],
            email=form.cleaned_data["email"],
            password=form.cleaned_data["password1"],
            now=now,
        )
    except LinkOverError:
        return render(request, "accounts/first_account_over.html", status=GONE)
    login(request, user, backend=BACKEND)
    return redirect("dashboard:projects")
