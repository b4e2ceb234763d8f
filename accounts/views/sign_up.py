"""The pages on which participants of benchmarks create an account, if the site allows it."""

from allauth.core import ratelimit
from django.conf import settings
from django.contrib.auth import login
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.domain.sign_up import SignUpOverError, create_account, request_sign_up, sign_up_of
from accounts.forms import SignUpForm
from projects.domain.new_user import UsernameTakenError
from projects.forms import USERNAME_TAKEN, AccountForm
from projects.permissions import public_page
from projects.views.invitations import BACKEND, GONE, UNPROCESSABLE


def _require_open() -> None:
    if not settings.PARTICIPANT_SIGNUP:
        raise Http404("the site has no sign-up")


@require_http_methods(["GET", "POST"])
@never_cache
@public_page
def sign_up(request: HttpRequest) -> HttpResponseBase:
    """Request a link by email."""
    _require_open()
    form = SignUpForm(request.POST if request.method == "POST" else None)
    path = request.POST.get("next", request.GET.get("next", ""))
    if not form.is_valid():
        context = {"form": form, "next": path}
        status = UNPROCESSABLE if form.is_bound else 200
        return render(request, "accounts/sign_up.html", context, status=status)
    email = form.cleaned_data["email"]
    if not ratelimit.consume(request, action="signup", key=email):
        return ratelimit.respond_429(request)
    request_sign_up(email=email, path=path, now=timezone.now())
    return render(request, "accounts/sign_up_sent.html", {"email": email})


@require_http_methods(["GET", "POST"])
@never_cache
@public_page
def finish_sign_up(request: HttpRequest, token: str) -> HttpResponseBase:
    """Create the account, and sign in."""
    _require_open()
    now = timezone.now()
    try:
        row = sign_up_of(token=token, now=now)
        form = AccountForm(request.POST if request.method == "POST" else None)
        if not form.is_valid():
            status = UNPROCESSABLE if form.is_bound else 200
            context = {"form": form, "email": row.email}
            return render(request, "accounts/finish_sign_up.html", context, status=status)
        user = create_account(
            row=row,
            username=form.cleaned_data["username"],
            password=form.cleaned_data["password1"],
            now=now,
        )
    except SignUpOverError:
        return render(request, "accounts/sign_up_over.html", status=GONE)
    except UsernameTakenError:
        form.add_error("username", USERNAME_TAKEN)
        context = {"form": form, "email": row.email}
        return render(request, "accounts/finish_sign_up.html", context, status=UNPROCESSABLE)
    login(request, user, backend=BACKEND)
    return redirect(row.path)
