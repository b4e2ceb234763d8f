"""Locks against guessed passwords, for every sign-in page of staff."""

from typing import Any

from axes.handlers.database import AxesDatabaseHandler
from axes.helpers import get_client_username
from axes.models import AccessAttempt, AccessLog
from django.conf import settings
from django.db.models import Sum
from django.http import HttpRequest
from django.utils import timezone

FAILURES_OF_NAME = 100


class LockoutHandler(AxesDatabaseHandler):
    """Lock a name for an address that failed often, and for new addresses if many addresses failed.

    A single address reaches its own limit first, so it can't lock a person out elsewhere. Addresses
    from which the person has signed in stay open.
    """

    def is_locked(self, request: HttpRequest, credentials: dict[str, Any] | None = None) -> bool:
        if super().is_locked(request, credentials):
            return True
        name = get_client_username(request, credentials)
        if not name or _failures_of(name) < FAILURES_OF_NAME:
            return False
        address = request.axes_ip_address  # type: ignore[attr-defined]
        return not AccessLog.objects.filter(username=name, ip_address=address).exists()


def _failures_of(name: str) -> int:
    """Return the recent failures of a name, counting an address up to its own limit."""
    since = timezone.now() - settings.AXES_COOLOFF_TIME
    rows = AccessAttempt.objects.filter(username=name, attempt_time__gt=since).values("ip_address")
    counts = rows.annotate(failures=Sum("failures_since_start"))
    return sum(min(row["failures"], settings.AXES_FAILURE_LIMIT) for row in counts)
