"""Signs of life: written by a task that beat sends, so that a fresh one proves beat, broker and
worker at once."""

from datetime import datetime, timedelta

from django.conf import settings

from crowd.domain.marketplace import unreachable
from operation.models import Sign

WORKER, MARKETPLACE = "worker", "marketplace"
# Three that failed to come.
OLDEST = timedelta(seconds=3 * settings.SIGN_SECONDS + 10)


def give_sign(*, now: datetime) -> None:
    """The worker is there; and what it sees of the marketplace, looked at with a short time-out."""
    _write(WORKER, now, "")
    _write(MARKETPLACE, now, unreachable())


def _write(part: str, now: datetime, trouble: str) -> None:
    told = {"at": now, "well": not trouble, "told": trouble[:200]}
    Sign.objects.update_or_create(part=part, defaults=told)
