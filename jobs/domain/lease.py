"""Lease rows, so that overlapping sweeps process different rows.

The rows of a killed process become free when their leases expire. A lease does not make a call safe to
repeat. Its token does.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TypeVar

from django.conf import settings
from django.db import Error, connection, models, transaction
from django.db.models import Q

M = TypeVar("M", bound=models.Model)

# Long enough for a batch, and short, because a killed process blocks its rows until then.
LEASE = settings.LEASE
BATCH_SIZE = 20


@transaction.atomic
def take_leases(rows: models.QuerySet[M], *, now: datetime, limit: int | None) -> list[M]:
    """Lease up to `limit` free rows, oldest first, and return them."""
    leased = list(
        rows.filter(Q(leased_until=None) | Q(leased_until__lt=now))
        .order_by("pk")
        .select_for_update(skip_locked=True, of=("self",))[:limit]
    )
    rows.model._default_manager.filter(pk__in=[row.pk for row in leased]).update(
        leased_until=now + LEASE
    )
    return leased


@contextmanager
def renewing(renew: Callable[[], object], *, seconds: float) -> Iterator[None]:
    """Call `renew` every `seconds` from a thread during the block, for as long as the process lives."""
    ended = threading.Event()
    thread = threading.Thread(target=_renew, args=(renew, seconds, ended), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _renew(renew: Callable[[], object], seconds: float, ended: threading.Event) -> None:
    try:
        while not ended.wait(seconds):
            try:
                renew()
            except Error:
                connection.close()  # the next call connects again
    finally:
        connection.close()
