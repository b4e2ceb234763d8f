"""End staff sessions that are idle or old.

Workers of the marketplace have sessions of another kind.
"""

from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase

BEGAN = "began_at"
EXPIRES = "_session_expiry"  # Django's key for the value of set_expiry
# A session is prolonged at most once in this time, because each time writes to the database.
INTERVAL = timedelta(minutes=10)


def begin_session(*, session: SessionBase, now: datetime) -> None:
    session[BEGAN] = now.isoformat()
    session.set_expiry(now + min(settings.SESSION_IDLE, settings.SESSION_LIFETIME))


def prolong_session(*, session: SessionBase, now: datetime) -> bool:
    """Move the expiry of a session that is in use. Return False if the session is too old."""
    # A session without a beginning is older than this limit.
    began = datetime.fromisoformat(session.setdefault(BEGAN, now.isoformat()))
    expiry = min(now + settings.SESSION_IDLE, began + settings.SESSION_LIFETIME)
    if expiry <= now:
        return False
    expires = session.get(
        EXPIRES
    )  # django-allauth sets a number, which counts from the last change
    if isinstance(expires, str) and abs(expiry - datetime.fromisoformat(expires)) < INTERVAL:
        return True
    session.set_expiry(expiry)
    return True
