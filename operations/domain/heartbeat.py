"""The worker's heartbeat, which proves that beat and a worker run."""

from datetime import datetime, timedelta

from django.conf import settings

from crowd.domain.marketplace import unreachable
from operations.models import Heartbeat

# Three missed heartbeats.
MAX_AGE = timedelta(seconds=3 * settings.HEARTBEAT_SECONDS + 10)


def beat(*, now: datetime) -> None:
    """Store the time, and the result of a request to the marketplace."""
    Heartbeat.objects.update_or_create(
        pk=1, defaults={"at": now, "marketplace_problem": unreachable()[:200]}
    )


def is_fresh(heartbeat: Heartbeat | None, *, now: datetime) -> bool:
    return heartbeat is not None and now - heartbeat.at <= MAX_AGE
