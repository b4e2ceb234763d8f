"""Sessions of requesters on the marketplace's pages. They sign in with an access key."""

import hashlib
import secrets
from datetime import datetime, timedelta

from django.conf import settings
from django.utils.crypto import constant_time_compare

from marketplace.domain.access_keys import find_signer
from marketplace.domain.accounts.accounts import LoginError, check_attempts, note_failure
from marketplace.models import AccessKey, Requester, RequesterSession

COOKIE = f"{settings.COOKIE_PREFIX}requester_session"
SESSION_LASTS = timedelta(hours=12)


def log_in(*, access_key_id: str, secret: str, address: str, now: datetime) -> str:
    """Return the token of a new session. Raise the same LoginError for any cause."""
    check_attempts(name=access_key_id, address=address, now=now)
    signer = find_signer(access_key_id, now=now)
    # The comparison takes place for unknown keys too, so that they take as long.
    is_right = constant_time_compare(secret, signer[1] if signer else secrets.token_urlsafe(30))
    if signer is None or not is_right:
        note_failure(name=access_key_id, address=address, now=now)
        raise LoginError("The access key id or the secret is incorrect.")
    token = secrets.token_urlsafe(32)
    RequesterSession.objects.create(
        digest=_digest(token),
        access_key=AccessKey.objects.get(access_key_id=access_key_id),
        expires_at=now + SESSION_LASTS,
    )
    return token


def requester_of_session(*, token: str, now: datetime) -> Requester | None:
    """Return the requester of a session whose key is not revoked, or None."""
    sessions = RequesterSession.objects.filter(
        digest=_digest(token),
        expires_at__gt=now,
        access_key__revoked_at=None,
        access_key__requester__active=True,
    )
    session = sessions.select_related("access_key__requester").first()
    return session.access_key.requester if session else None


def end_session(*, token: str) -> None:
    RequesterSession.objects.filter(digest=_digest(token)).delete()


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
