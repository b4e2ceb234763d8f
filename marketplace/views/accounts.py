"""Views for sign-up, login, logout and the worker's account."""

from django.contrib import messages
from django.contrib.auth.hashers import check_password
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from marketplace.domain.accounts import accounts
from marketplace.domain.work.consent import accept_consent_text, current_consent_text
from marketplace.forms import ConsentForm, JoinForm, LoginForm, PasswordForm
from marketplace.models import Invitation, WorkerAccount
from marketplace.views.consent import consent_context
from marketplace.views.posted import posted
from marketplace.views.session import log_in_response, log_out_response, worker_required


@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
def join(request: HttpRequest, code: str) -> HttpResponseBase:
    form, text, now = JoinForm(posted(request)), current_consent_text(), timezone.now()
    consent = ConsentForm(posted(request), text=text) if text else None
    if form.is_valid() and (consent is None or consent.is_valid()):
        try:
            worker = accounts.sign_up(invitation_code=code, **form.cleaned_data, now=now)
        except accounts.SignUpError as error:
            form.add_error(None, str(error))
        else:
            if text:
                accept_consent_text(worker=worker, text=text, now=now)
            return log_in_response(request, worker)
    usable = Invitation.objects.filter(code=code, used_at__isnull=True).exists()
    context = {"form": form, "usable": usable, **consent_context(text, consent)}
    return render(request, "marketplace/join.html", context, status=200 if usable else 404)


@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
def log_in(request: HttpRequest) -> HttpResponseBase:
    form = LoginForm(posted(request))
    if form.is_valid():
        try:
            worker = accounts.log_in(
                **form.cleaned_data,
                address=request.META.get("REMOTE_ADDR", ""),
                now=timezone.now(),
            )
        except accounts.LoginError as error:
            form.add_error(None, str(error))
        else:
            return log_in_response(request, worker, next_url=request.GET.get("next", ""))
    return render(request, "marketplace/login.html", {"form": form})


@require_POST
def log_out(request: HttpRequest) -> HttpResponseBase:
    return log_out_response(request)


@sensitive_post_parameters("current", "password")
@require_http_methods(["GET", "POST"])
@worker_required
def account(request: HttpRequest, worker: WorkerAccount) -> HttpResponseBase:
    form = PasswordForm(posted(request))
    if form.is_valid():
        if check_password(form.cleaned_data["current"], worker.password):
            accounts.change_password(worker=worker, password=form.cleaned_data["password"])
            messages.success(
                request, gettext("Your password was changed. Sign in with the new password.")
            )
            return redirect("marketplace:login")
        form.add_error("current", gettext("The current password is incorrect."))
    return render(request, "marketplace/account.html", {"worker": worker, "form": form})
