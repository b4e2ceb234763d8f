"""Issue, find and revoke API tokens."""

import hashlib
import secrets
from collections.abc import Collection
from datetime import datetime, timedelta

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import transaction
from django.db.models import QuerySet

from audit.domain.change_state import log_state_change
from projects.enums import TokenScope
from projects.models import ApiToken, Project

PREFIX = "ts_"
SHOWN = 9
# "Last used" is accurate to the minute, to avoid a write for every request.
USE_NOTED_EVERY = timedelta(minutes=1)


@transaction.atomic
def issue_token(
    *,
    user: AbstractBaseUser,
    name: str,
    scopes: Collection[str],
    projects: Collection[Project] | None,
    expires_at: datetime | None,
    now: datetime,
) -> tuple[ApiToken, str]:
    """Return a new token and its unstored secret. Without `projects`, it covers all of the user's."""
    secret = PREFIX + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(
        user_id=user.pk,
        name=name,
        digest=_digest(secret),
        beginning=secret[:SHOWN],
        scopes=[TokenScope(scope).value for scope in scopes],
        all_projects=projects is None,
        created_at=now,
        expires_at=expires_at,
    )
    token.projects.set(projects or ())
    reason = f"scopes: {', '.join(token.scopes)}"
    log_state_change(
        instance=token, old="", new="live", actor=user.get_username(), now=now, reason=reason
    )
    return token, secret


@transaction.atomic
def revoke_token(*, token: ApiToken, actor: str, now: datetime) -> None:
    """Revoke the token. A repeat changes nothing."""
    row = ApiToken.objects.select_for_update().get(pk=token.pk)
    if row.revoked_at is not None:
        return
    row.revoked_at = now
    row.save(update_fields=["revoked_at"])
    log_state_change(instance=row, old="live", new="revoked", actor=actor, now=now)


def find_token(*, secret: str, now: datetime) -> ApiToken | None:
    """Return the live token of an active user with this secret, and record its use."""
    rows = ApiToken.objects.select_related("user").filter(user__is_active=True)
    token = rows.filter(digest=_digest(secret)).first()
    if token is None or not token.is_live(now):
        return None
    if token.last_used_at is None or token.last_used_at < now - USE_NOTED_EVERY:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
    return token


def tokens_of(*, user: AbstractBaseUser | AnonymousUser) -> QuerySet[ApiToken]:
    """Return all tokens of the user with their projects, newest first."""
    return ApiToken.objects.filter(user=user.pk).prefetch_related("projects").order_by("-pk")


def _digest(secret: str) -> str:
    """Return the digest. A secret of 256 random bits needs neither a salt nor a slow hash."""
    return hashlib.sha256(secret.encode()).hexdigest()
