"""Sweeps in which a failing row does not stop the others.

The site that runs the marketplace provides the sweep in settings.MARKETPLACE_SWEEP, because the
marketplace imports no other app.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.utils.module_loading import import_string


def for_each_row(
    *,
    sweep: str,
    rows: QuerySet[Any],
    process: Callable[[int], bool],
    now: datetime,
    limit: int,
) -> int:
    """Process the keys of up to `limit` rows in transactions of their own. Return how many changed.

    A row that fails is logged, and tried again later under the name `sweep`.
    """
    if not rows.exists():  # the usual case, in requests too
        return 0
    run = import_string(settings.MARKETPLACE_SWEEP)
    count: int = run(
        sweep=sweep,
        rows=rows.only("pk"),
        process=lambda row, now: process(row.pk),
        clock=lambda: now,
        limit=limit,
    )
    return count
