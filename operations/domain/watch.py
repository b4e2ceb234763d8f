"""Watch the site from the worker of each queue, so that no stopped worker goes unnoticed."""

from datetime import datetime

from django.urls import reverse

from operations.domain import heartbeat
from operations.domain.alerts import MIN_PROBLEM_AGE, mail_alerts, update_alerts
from operations.domain.scheduled_backups import expect_backups
from projects.domain.notify import Event, notify
from projects.enums import NotificationKind

# The queues in the order in which their workers take over a duty.
LOOKS_FOR_PROBLEMS = ("celery", "outside", "jobs", "backups")
SENDS_MAIL = ("outside", "celery", "jobs", "backups")


def watch_site(*, queue: str, now: datetime) -> None:
    """Store the queue's heartbeat, and do the duties for which it is the first running queue."""
    heartbeat.beat(queue=queue, now=now)
    stopped = {stopped.name for stopped in heartbeat.stopped_queues(now=now)}
    if queue == _first(LOOKS_FOR_PROBLEMS, stopped):
        expect_backups(now=now)
        update_alerts(now=now)
        notify_outage(now=now)
    if queue == _first(SENDS_MAIL, stopped):
        mail_alerts(now=now)


def notify_outage(*, now: datetime) -> int:
    """Notify requesters and admins of an outage of the marketplace that lasts. Return how many."""
    outage = heartbeat.marketplace_outage(now=now)
    since = outage.marketplace_since if outage else None
    if since is None or since > now - MIN_PROBLEM_AGE:
        return 0
    key = f"outage:{since.isoformat()}"
    path = reverse("dashboard:projects")
    event = Event(NotificationKind.OUTAGE, key, project=None, path=path)
    return notify(events=[event], now=now)


def _first(queues: tuple[str, ...], stopped: set[str]) -> str | None:
    return next((name for name in queues if name not in stopped), None)
