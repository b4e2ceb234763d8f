"""The worker's heartbeat, which proves that beat and a worker run."""

from datetime import datetime, timedelta

from django.conf import settings

from crowd.domain.providers import unreachable
from crowd.enums import DEFAULT_PROVIDER
from operations.models import Heartbeat

# Three missed heartbeats.
MAX_AGE = timedelta(seconds=3 * settings.HEARTBEAT_SECONDS + 10)
# The worker may check the marketplace before a site that is starting answers.
START_TIME = timedelta(minutes=1)
FIRST_BEAT = timedelta(seconds=15)


def beat(*, now: datetime) -> None:
    """Store the time, and the result of a request to the marketplace."""
    problem = unreachable(DEFAULT_PROVIDER)[:200]
    last = Heartbeat.objects.filter(pk=1).first()
    since = last.marketplace_since if last else None
    Heartbeat.objects.update_or_create(
        pk=1,
        defaults={
            "at": now,
            "marketplace_problem": problem,
            "marketplace_since": (since or now) if problem else None,
        },
    )


def marketplace_outage(*, now: datetime) -> Heartbeat | None:
    """Return the last heartbeat if the marketplace was out of reach, or None.

    An old heartbeat proves nothing.
    """
    heartbeat = Heartbeat.objects.exclude(marketplace_since=None).first()
    return heartbeat if is_fresh(heartbeat, now=now) else None


def may_be_starting(heartbeat: Heartbeat, *, now: datetime) -> bool:
    """Return True if the marketplace's problem is so new that the site may only be starting."""
    since = heartbeat.marketplace_since
    return since is not None and now - since < START_TIME


def is_missing(*, since: datetime, now: datetime) -> bool:
    """Return True if no worker runs that could do what waits `since` a time.

    The first worker of a site sends its first heartbeat after a few seconds.
    """
    last = Heartbeat.objects.first()
    return not is_fresh(last, now=now) and (last is not None or now - since > FIRST_BEAT)


def is_fresh(heartbeat: Heartbeat | None, *, now: datetime) -> bool:
    return heartbeat is not None and now - heartbeat.at <= MAX_AGE
