"""Receivers of the signals of Django and django-allauth."""

from allauth.account.authentication import get_authentication_records
from allauth.account.signals import password_changed, password_reset
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.mfa.models import Authenticator
from allauth.mfa.signals import authenticator_added, authenticator_removed, authenticator_reset
from allauth.mfa.utils import is_mfa_enabled
from allauth.usersessions.adapter import get_adapter
from allauth.usersessions.models import UserSession
from django.contrib.auth import logout
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in
from django.contrib.auth.views import redirect_to_login
from django.db.models.signals import post_save
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils import timezone

from accounts.domain.session_lifetime import begin_session
from accounts.middleware import record_visit
from audit.domain.change_state import log_state_change
from projects.domain.api_tokens import revoke_token, tokens_of


@receiver(user_logged_in)
def complete_login(request: HttpRequest, user: User, **_: object) -> None:
    """Undo a login by password alone if the user has a second factor. Record any other.

    Other sign-in pages, such as the marketplace operator's, do not require the code.
    """
    records = get_authentication_records(request, user)
    if is_mfa_enabled(user) and not any(record["method"] == "mfa" for record in records):
        logout(request)
        raise ImmediateHttpResponse(redirect_to_login(request.POST.get("next", "/")))
    begin_session(session=request.session, now=timezone.now())
    record_visit(request)


@receiver(authenticator_added)
def end_weaker_sessions(
    request: HttpRequest, user: User, authenticator: Authenticator, **_: object
) -> None:
    """Log the new second factor and sign out the browsers that did not use it."""
    if authenticator.type == Authenticator.Type.TOTP:
        _log(user, "off", "two-factor authentication")
        sessions = UserSession.objects.filter(user=user)
        get_adapter().end_sessions(sessions.exclude(session_key=request.session.session_key))


@receiver(authenticator_removed)
def log_removal(user: User, authenticator: Authenticator, **_: object) -> None:
    if authenticator.type == Authenticator.Type.TOTP:
        _log(user, "two-factor authentication", "off")


@receiver(authenticator_reset)
def log_new_recovery_codes(user: User, **_: object) -> None:
    _log(user, "recovery codes", "new recovery codes")


@receiver([password_changed, password_reset])
def log_new_password(user: User, **_: object) -> None:
    _log(user, "password", "new password")


@receiver(post_save, sender=User)
def revoke_tokens(instance: User, created: bool, **_: object) -> None:
    """Revoke the API tokens of a user whose password was changed on any page or by a command.

    Django sets `_password` for a changed password, and not for a new hash of the same one.
    """
    if created or instance._password is None:  # type: ignore[attr-defined]
        return
    name, now = instance.get_username(), timezone.now()
    for token in tokens_of(user=instance).filter(revoked_at=None):
        revoke_token(token=token, actor=name, now=now)


def _log(user: User, old: str, new: str) -> None:
    log_state_change(instance=user, old=old, new=new, actor=user.get_username(), now=timezone.now())
