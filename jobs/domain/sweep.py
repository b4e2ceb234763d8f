"""Process due rows in repeated sweeps, in which a failing row does not delay the others."""

import logging
import time
from collections.abc import Callable, Hashable, Sequence
from datetime import datetime, timedelta
from typing import TypeVar

from django.conf import settings
from django.db import models, transaction

from jobs.domain.lease import take_leases
from jobs.models import SweepFailure

log = logging.getLogger("touchstone.sweep")

M = TypeVar("M", bound=models.Model)

# The minimum duration of a sweep, for short beat intervals.
MIN_SECONDS = 5.0
FIRST_RETRY = timedelta(minutes=1)
MAX_RETRY_DELAY = timedelta(hours=6)


def sweep(process_batch: Callable[[], int]) -> int:
    """Call `process_batch` until it returns 0 rows or time is up. Return the number of rows.

    Use small batches so that a killed process repeats little work. The time limit is beat's interval,
    so that other sweeps are not delayed.
    """
    end = time.monotonic() + max(MIN_SECONDS, settings.SWEEP_SECONDS)
    total = 0
    while time.monotonic() < end and (count := process_batch()):
        total += count
    return total


def for_each_row(
    *,
    sweep: str,
    rows: models.QuerySet[M],
    process: Callable[[M, datetime], int],
    clock: Callable[[], datetime],
    limit: int | None = None,
    leased: bool = False,
) -> int:
    """Process up to `limit` rows one at a time. Return the sum of the results of `process`.

    `process` runs its own transaction. If it raises an exception, the failure is logged and recorded
    under the name `sweep`, and the row is skipped until its next attempt is due. With `leased`, the rows
    are leased first, so that no other process uses them.
    """
    return for_each_group(
        sweep=sweep,
        rows=rows,
        key=lambda row: row.pk,
        process=lambda group, now: process(group[0], now),
        clock=clock,
        limit=limit,
        leased=leased,
    )


def for_each_group(
    *,
    sweep: str,
    rows: models.QuerySet[M],
    key: Callable[[M], Hashable],
    process: Callable[[Sequence[M], datetime], int],
    clock: Callable[[], datetime],
    limit: int | None = None,
    leased: bool = False,
) -> int:
    """Process rows as `for_each_row` does, but rows with the same key together."""
    # Most sweeps find nothing, for which this is the cheapest query.
    if not rows.exists():
        return 0
    now = clock()
    failures = {failure.object_id: failure for failure in SweepFailure.objects.filter(sweep=sweep)}
    if waiting := [pk for pk, failure in failures.items() if not failure.is_due(now)]:
        rows = rows.exclude(pk__in=waiting)
    due = take_leases(rows, now=now, limit=limit) if leased else rows[:limit]
    groups: dict[Hashable, list[M]] = {}
    for row in due:
        groups.setdefault(key(row), []).append(row)
    total = 0
    for group in groups.values():
        ids = {row.pk for row in group}  # before `process`, because a deleted row has no key
        try:
            total += process(group, clock())
        except Exception as error:
            log.exception("%s failed for %s %s", sweep, group[0]._meta.label, sorted(ids))
            for row in group:
                _record_failure(sweep, row, error, clock())
        else:
            if recovered := failures.keys() & ids:
                SweepFailure.objects.filter(sweep=sweep, object_id__in=recovered).delete()
    return total


@transaction.atomic
def _record_failure(sweep: str, row: models.Model, error: Exception, now: datetime) -> None:
    failure, created = SweepFailure.objects.select_for_update().get_or_create(
        sweep=sweep,
        object_id=row.pk,
        defaults={"model": row._meta.label, "first_failed_at": now, "retry_at": now + FIRST_RETRY},
    )
    if not created:
        failure.attempts += 1
        delay = FIRST_RETRY * 2 ** min(failure.attempts - 1, 20)
        failure.retry_at = now + min(delay, MAX_RETRY_DELAY)
    # `repr` escapes what the database cannot store, such as NUL in a worker's answer.
    failure.error = repr(error)[:2000]
    failure.save()
