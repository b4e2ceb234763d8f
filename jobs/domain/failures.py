"""What an operator can do about rows that a sweep cannot process."""

from collections.abc import Iterable
from datetime import datetime

from jobs.models import SweepFailure


def retry_failures(*, failures: Iterable[SweepFailure], now: datetime) -> int:
    """Make the rows due at once, including those set aside. Return their number."""
    pks = [failure.pk for failure in failures]
    return SweepFailure.objects.filter(pk__in=pks).update(
        retry_at=now, set_aside_at=None, set_aside_by=""
    )


def set_aside(*, failures: Iterable[SweepFailure], by: str, now: datetime) -> int:
    """Stop further attempts until someone retries the rows. Return their number."""
    pks = [failure.pk for failure in failures]
    return SweepFailure.objects.filter(pk__in=pks, set_aside_at=None).update(
        set_aside_at=now, set_aside_by=by
    )
