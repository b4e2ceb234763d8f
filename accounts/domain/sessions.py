"""Where a user is signed in, and signing out there."""

from datetime import datetime

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import User

from accounts.models import UserSession
from audit.domain.change_state import log_state_change


def sessions_of(*, user: AbstractBaseUser, now: datetime) -> list[UserSession]:
    """The user's sessions that have not ended, the last seen first."""
    rows = UserSession.objects.filter(user_id=user.pk, expire_date__gt=now)
    return list(rows.order_by("-seen_at"))


def end_sessions(*, user: User, keep: str | None, now: datetime, name: str | None = None) -> int:
    """Sign the user out in the session of that name, or in all; never in the one whose key is
    `keep`. Returns how many ended."""
    rows = [
        one
        for one in sessions_of(user=user, now=now)
        if one.session_key != keep and name in (None, one.name)
    ]
    UserSession.objects.filter(pk__in=[one.pk for one in rows]).delete()
    if rows:
        log_state_change(
            instance=user,
            old="signed in",
            new="signed out",
            actor=user.get_username(),
            now=now,
            reason=f"{len(rows)} other sessions",
        )
    return len(rows)


def forget_expired(*, now: datetime) -> int:
    """Delete the rows of sessions that have ended by themselves; returns how many."""
    return UserSession.objects.filter(expire_date__lte=now).delete()[0]
