"""What an operator can do about rows that a sweep cannot process."""

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction

from audit.domain.change_state import log_state_changes
from jobs.models import SweepFailure


@transaction.atomic
def retry_failures(*, failures: Iterable[SweepFailure], actor: str, now: datetime) -> int:
    """Make the rows due at once, including those set aside. Return their number."""
    rows = SweepFailure.objects.filter(pk__in=[failure.pk for failure in failures])
    log_state_changes(instances=rows, old="", new="retried", actor=actor, now=now)
    return rows.update(retry_at=now, set_aside_at=None, set_aside_by="")


@transaction.atomic
def set_aside(*, failures: Iterable[SweepFailure], actor: str, now: datetime) -> int:
    """Stop further attempts until someone retries the rows. Return their number."""
    ids = [failure.pk for failure in failures]
    rows = SweepFailure.objects.filter(pk__in=ids, set_aside_at=None)
    log_state_changes(instances=rows, old="", new="set aside", actor=actor, now=now)
    return rows.update(set_aside_at=now, set_aside_by=actor)
