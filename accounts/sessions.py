"""SESSION_ENGINE: Django's sessions in the database, with whose they are in columns of their own."""

from datetime import datetime
from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.auth.signals import user_logged_in
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from accounts.models import UserSession

BROWSER, ADDRESS, SIGNED_IN, SEEN = "browser", "address", "signed_in_at", "seen_at"


class SessionStore(DatabaseStore):
    @classmethod
    def get_model_class(cls) -> type[UserSession]:
        return UserSession

    def create_model_instance(self, data: dict[str, Any]) -> UserSession:
        row = super().create_model_instance(data)
        assert isinstance(row, UserSession)
        row.user_id = int(data[SESSION_KEY]) if SESSION_KEY in data else None
        row.browser, row.address = data.get(BROWSER, "")[:200], data.get(ADDRESS, "")[:45]
        row.signed_in_at = _time(data.get(SIGNED_IN))
        row.seen_at = _time(data.get(SEEN))
        return row


def _time(text: str | None) -> datetime | None:
    return parse_datetime(text) if text else None


@receiver(user_logged_in)
def describe(request: HttpRequest, **_: object) -> None:
    """Note in the session where and when it began, for its user's own list. Django's own signal: there
    are several ways in, the administration's among them."""
    now = timezone.now().isoformat()
    request.session[BROWSER] = request.headers.get("User-Agent", "")[:200]
    request.session[ADDRESS] = request.META.get("REMOTE_ADDR", "")
    request.session[SIGNED_IN] = request.session[SEEN] = now


def note_visit(request: HttpRequest, *, every_seconds: float = 600) -> None:
    """Keep `seen_at` true to ten minutes, without a write for each request."""
    now, seen = timezone.now(), _time(request.session.get(SEEN))
    if seen is not None and (now - seen).total_seconds() > every_seconds:
        request.session[SEEN] = now.isoformat()
