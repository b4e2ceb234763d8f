from typing import Any

from allauth.account.forms import ResetPasswordForm
from django import forms
from django.http import HttpRequest
from django.utils import timezone

from accounts.domain.reset_password import request_reset
from projects.forms import AccountForm


class RequestResetForm(ResetPasswordForm):
    """The form of the password reset page. It neither looks for an account nor sends mail."""

    def clean_email(self) -> str:
        return str(self.cleaned_data["email"]).lower()

    def save(self, request: HttpRequest, **_: Any) -> str:
        email: str = self.cleaned_data["email"]
        request_reset(email=email, now=timezone.now())
        return email


class SignUpForm(forms.Form):
    """The form of a participant who wants an account. It does not look for an account."""

    email = forms.EmailField(
        label="Email address",
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
        help_text="You get a link with which you create the account.",
    )

    def clean_email(self) -> str:
        return str(self.cleaned_data["email"]).lower()


class FirstAccountForm(AccountForm):
    field_order = ("username", "email")
    email = forms.EmailField(
        label="Email address",
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
        help_text="For password resets and alerts.",
    )
