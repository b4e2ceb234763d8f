"""Watch the site from the worker of each queue, so that no stopped worker goes unnoticed."""

from datetime import datetime

from operations.domain import heartbeat
from operations.domain.alerts import mail_alerts, update_alerts
from operations.domain.notify_outage import notify_outage
from operations.domain.scheduled_backups import expect_backups

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


def _first(queues: tuple[str, ...], stopped: set[str]) -> str | None:
    return next((name for name in queues if name not in stopped), None)
