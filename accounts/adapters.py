"""Adapters of django-allauth."""

from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from allauth.usersessions.adapter import DefaultUserSessionsAdapter
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from accounts.domain.second_factor import must_have_second_factor
from audit.domain.change_state import log_state_change
from projects.domain.sealed_text import seal, unseal


class AccountAdapter(DefaultAccountAdapter):
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count nothing here, because django-axes does, on every sign-in page."""

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the address set by TrustedProxiesMiddleware, or "::" for a Unix socket."""
        return request.META.get("REMOTE_ADDR") or "::"

    def get_reauthentication_methods(self, user: User | AnonymousUser) -> list[dict[str, str]]:
        """Require a code if the user has a second factor, otherwise the password."""
        methods = super().get_reauthentication_methods(user)
        return [method for method in methods if method["id"] != "reauthenticate"] or methods

    def get_reset_password_from_key_url(self, key: str) -> str:
        """Return a link to SITE_URL, ignoring the host of the request."""
        return settings.SITE_URL + urlsplit(super().get_reset_password_from_key_url(key)).path

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return reverse("usersessions_list")


class MFAAdapter(DefaultMFAAdapter):
    error_messages = {
        **DefaultMFAAdapter.error_messages,
        "cannot_delete_authenticator": "Your role requires two-factor authentication.",
    }

    def encrypt(self, text: str) -> str:
        return seal(text, purpose="accounts.mfa")

    def decrypt(self, encrypted_text: str) -> str:
        return unseal(encrypted_text, purpose="accounts.mfa")

    def can_delete_authenticator(self, authenticator: Authenticator) -> bool:
        return not must_have_second_factor(authenticator.user)


class SessionsAdapter(DefaultUserSessionsAdapter):
    def end_sessions(self, sessions: Iterable[UserSession]) -> None:
        """End the sessions of a user and log how many there were."""
        ended = list(sessions)
        super().end_sessions(ended)
        if ended:
            user = ended[0].user
            log_state_change(
                instance=user,
                old="signed in",
                new="signed out",
                actor=user.get_username(),
                now=timezone.now(),
                reason=f"{len(ended)} other sessions",
            )
