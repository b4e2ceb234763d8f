"""One's own account: password, second factor, and where one is signed in."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import (
    PasswordChangeView,
    PasswordResetConfirmView,
    PasswordResetView,
)
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from accounts.domain import second_factor
from accounts.domain.sessions import end_sessions, sessions_of
from accounts.forms import CodeForm
from annotation.permissions import signed_in_page


@require_GET
@never_cache
@signed_in_page
def account(request: HttpRequest) -> HttpResponse:
    user: Any = request.user
    context = {
        "sessions": sessions_of(user=user, now=timezone.now()),
        "this": request.session.session_key,
        "has_second_factor": second_factor.has_second_factor(user),
        "must": second_factor.must_have_second_factor(user),
        "codes_left": second_factor.codes_left(user),
        "form": CodeForm(auto_id=False),
    }
    return render(request, "accounts/account.html", context)


@require_POST
@signed_in_page
def end_session(request: HttpRequest) -> HttpResponseBase:
    """Sign out elsewhere: in the session named, or in all others."""
    user: Any = request.user
    ended = end_sessions(
        user=user,
        keep=request.session.session_key,
        name=request.POST.get("session") or None,
        now=timezone.now(),
    )
    told = "You are signed out there." if ended else "There was nothing to sign out of."
    messages.success(request, told)
    return redirect("accounts:account")


@method_decorator(signed_in_page, name="dispatch")
class ChangePassword(PasswordChangeView):
    template_name = "accounts/password.html"
    success_url = reverse_lazy("accounts:account")

    def form_valid(self, form: Any) -> HttpResponse:
        response = super().form_valid(form)
        user: Any = self.request.user
        end_sessions(user=user, keep=self.request.session.session_key, now=timezone.now())
        messages.success(self.request, "Your password is changed; other browsers are signed out.")
        return response


class ResetPassword(PasswordResetView):
    """Asks for the address and says the same whether there is an account or not."""

    template_name = "accounts/reset.html"
    email_template_name = "accounts/mail/reset.txt"
    subject_template_name = "accounts/mail/reset_subject.txt"
    success_url = reverse_lazy("accounts:reset_sent")
    # Never the host that a request names: a link in a mail leads here or nowhere.
    extra_email_context = {"site_url": settings.SITE_URL}
    ASKED_AT_MOST, WITHIN_SECONDS = 5, 900

    def form_valid(self, form: Any) -> HttpResponse:
        address = self.request.META.get("REMOTE_ADDR", "")
        key = f"accounts.reset.{address}"
        cache.add(key, 0, self.WITHIN_SECONDS)
        if cache.incr(key) > self.ASKED_AT_MOST:
            form.add_error(
                "email", "Too many requests from here. Try again in a quarter of an hour."
            )
            return self.render_to_response(self.get_context_data(form=form), status=429)
        return super().form_valid(form)


class ChooseNewPassword(PasswordResetConfirmView):
    template_name = "accounts/choose_password.html"
    success_url = reverse_lazy("dashboard:login")

    def form_valid(self, form: Any) -> HttpResponse:
        response = super().form_valid(form)
        assert self.user
        end_sessions(user=self.user, keep=None, now=timezone.now())
        messages.success(self.request, "Your password is changed. Sign in with it.")
        return response


@require_GET
def reset_sent(request: HttpRequest) -> HttpResponse:
    return render(request, "accounts/reset_sent.html")
