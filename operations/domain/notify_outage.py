from datetime import datetime

from django.urls import reverse

from operations.domain.alerts import MIN_PROBLEM_AGE
from operations.domain.heartbeat import marketplace_outage
from projects.domain.notify import Event, notify
from projects.enums import NotificationKind


def notify_outage(*, now: datetime) -> int:
    """Notify requesters and admins of an outage of the marketplace that lasts. Return how many."""
    outage = marketplace_outage(now=now)
    since = outage.marketplace_since if outage else None
    if since is None or since > now - MIN_PROBLEM_AGE:
        return 0
    key = f"outage:{since.isoformat()}"
    path = reverse("dashboard:projects")
    event = Event(NotificationKind.OUTAGE, key, project=None, path=path)
    return notify(events=[event], now=now)
