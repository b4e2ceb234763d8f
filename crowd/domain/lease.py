"""Leases: a process that calls a marketplace for a row first takes the row for a while.

Two sweeps that overlap take different rows; the rows of a process that died are free again when
their lease has run out. The lease only keeps work apart: that a repeat does no harm is the token's
business.
"""

from datetime import datetime
from typing import TypeVar

from django.conf import settings
from django.db import models, transaction
from django.db.models import Q

M = TypeVar("M", bound=models.Model)

# Long enough for a bite of a sweep; short, because the rows of a killed process wait for its end.
LEASE = settings.LEASE
BITE = 20


def take_leases(rows: models.QuerySet[M], *, now: datetime, limit: int) -> list[M]:
    """Up to `limit` of the rows that nobody has leased, oldest first, now leased to the caller."""
    with transaction.atomic():
        taken = list(
            rows.filter(Q(leased_until=None) | Q(leased_until__lt=now))
            .order_by("pk")
            .select_for_update(skip_locked=True, of=("self",))[:limit]
        )
        rows.model._default_manager.filter(pk__in=[row.pk for row in taken]).update(
            leased_until=now + LEASE
        )
    return taken
