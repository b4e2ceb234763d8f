"""Lease rows, so that overlapping sweeps process different rows.

The rows of a killed process become free when their leases expire. A lease does not make a call safe to
repeat. Its token does.
"""

from datetime import datetime
from typing import TypeVar

from django.conf import settings
from django.db import models, transaction
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
