"""Entering the second factor, setting it up, turning it off."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST
from django_otp import login as remember_device

from accounts.domain import second_factor
from accounts.domain.second_factor import NeedsSecondFactor, WrongCode
from accounts.forms import CodeForm
from annotation.permissions import signed_in_page

UNPROCESSABLE, TOO_MANY = 422, 429


@require_http_methods(["GET", "POST"])
@never_cache
@signed_in_page
def verify(request: HttpRequest) -> HttpResponseBase:
    then = _then(request)
    user: Any = request.user
    if user.is_verified() or not second_factor.has_second_factor(user):
        return redirect(then)
    form = CodeForm(request.POST or None)
    status = 200
    if form.is_valid():
        try:
            device = second_factor.verify(
                user=user, code=form.cleaned_data["code"], now=timezone.now()
            )
        except WrongCode as refused:
            form.add_error("code", str(refused))
            status = TOO_MANY if refused.wait_seconds else UNPROCESSABLE
        else:
            request.session.cycle_key()
            remember_device(request, device)
            return redirect(then)
    return render(request, "accounts/verify.html", {"form": form, "next": then}, status=status)


@require_http_methods(["GET", "POST"])
@never_cache
@signed_in_page
def set_up(request: HttpRequest) -> HttpResponseBase:
    """Scan, type a code to prove it, and see the recovery codes, once."""
    user: Any = request.user
    if second_factor.has_second_factor(user) and not user.is_verified():
        return redirect("accounts:verify")  # with a password alone nobody replaces the phone
    form = CodeForm(request.POST or None)
    status = 200
    if form.is_valid():
        try:
            device, codes = second_factor.confirm(
                user=user, code=form.cleaned_data["code"], now=timezone.now()
            )
        except WrongCode as refused:
            form.add_error("code", str(refused))
            status = UNPROCESSABLE
        else:
            request.session.cycle_key()
            remember_device(request, device)
            return _codes(request, codes)
    device = second_factor.begin(user=user)
    context = {
        "form": form,
        "qr_code": second_factor.qr_code(device),
        "secret": second_factor.secret_of(device),
        "must": second_factor.must_have_second_factor(user),
        "replaces": second_factor.has_second_factor(user),
    }
    return render(request, "accounts/set_up.html", context, status=status)


@require_POST
@never_cache
@signed_in_page
def renew_codes(request: HttpRequest) -> HttpResponseBase:
    if not _proves_it(request):
        return redirect("accounts:account")
    user: Any = request.user
    return _codes(request, second_factor.renew_codes(user=user, now=timezone.now()))


@require_POST
@never_cache
@signed_in_page
def turn_off(request: HttpRequest) -> HttpResponseBase:
    user: Any = request.user
    if _proves_it(request):
        try:
            second_factor.turn_off(user=user, actor=user.get_username(), now=timezone.now())
        except NeedsSecondFactor:
            messages.error(request, "Your roles need a second factor: it stays on.")
        else:
            messages.success(request, "The second factor is off.")
    return redirect("accounts:account")


def _proves_it(request: HttpRequest) -> bool:
    """Whether a good code came along: an unlocked screen alone changes nothing here."""
    form = CodeForm(request.POST)
    user: Any = request.user
    if form.is_valid():
        try:
            second_factor.verify(user=user, code=form.cleaned_data["code"], now=timezone.now())
        except WrongCode as refused:
            messages.error(request, str(refused))
        else:
            return True
    else:
        messages.error(request, "Type a code from your app.")
    return False


def _codes(request: HttpRequest, codes: list[str]) -> HttpResponse:
    return render(request, "accounts/codes.html", {"codes": codes})


def _then(request: HttpRequest) -> str:
    """Where to go on, within this site."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    if url_has_allowed_host_and_scheme(wanted, {request.get_host()}, request.is_secure()):
        return wanted
    return "/"
