from typing import Any

from allauth.account.forms import ResetPasswordForm
from django.http import HttpRequest
from django.utils import timezone

from accounts.domain.reset_password import request_reset


class RequestResetForm(ResetPasswordForm):
    """The form of the password reset page. It neither looks for an account nor sends mail."""

    def clean_email(self) -> str:
        return str(self.cleaned_data["email"]).lower()

    def save(self, request: HttpRequest, **_: Any) -> str:
        email: str = self.cleaned_data["email"]
        request_reset(email=email, now=timezone.now())
        return email
