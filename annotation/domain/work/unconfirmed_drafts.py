"""Limit and delete drafts of assignments that no marketplace has confirmed.

Anyone who knows a task's address can claim any assignment and worker of it, and save a draft. The drafts
of signed claims are not limited.
"""

import hashlib
import hmac
from datetime import datetime, timedelta
from ipaddress import IPv6Address, ip_address
from typing import Any

from django.conf import settings
from django.db.models import Exists, Max, OuterRef, QuerySet
from django.utils.translation import gettext

from annotation.models import Draft, Task
from audit.errors import TouchstoneError
from crowd.domain.provider.hold_publishing import active_hold
from crowd.models import Assignment

AGE = timedelta(days=1)
# A marketplace that is out of reach for some days confirms them later.
AGE_SUBMITTED = timedelta(days=7)
CHUNK = 1000


class TooManyDraftsError(TouchstoneError):
    """There are too many unconfirmed drafts."""

    def __init__(self) -> None:
        super().__init__(
            gettext("Too many people on your network have started tasks. Try again later.")
        )


def check_room(*, task: Task, address_digest: str) -> None:
    """Raise TooManyDraftsError if nobody, or not this address, may start another draft of the task."""
    drafts = _unconfirmed().filter(is_confirmed=False)
    check_limit(drafts, settings.UNCONFIRMED_DRAFTS)
    if address_digest:
        from_address = drafts.filter(address_digest=address_digest)
        check_limit(from_address, settings.DRAFTS_PER_ADDRESS)
        check_limit(from_address.filter(task=task.pk), settings.DRAFTS_PER_TASK_AND_ADDRESS)


def check_limit(drafts: QuerySet[Any], limit: int) -> None:
    """Raise TooManyDraftsError if there are as many drafts as the limit. 0 is no limit."""
    if limit and len(drafts.values_list("pk")[:limit]) >= limit:
        raise TooManyDraftsError


def digest_of(address: str) -> str:
    """Return a keyed digest of an address, or of the network of an IPv6 address."""
    try:
        ip = ip_address(address)
    except ValueError:  # a Unix socket has no address
        return ""
    text = str(int(ip) >> 64) if isinstance(ip, IPv6Address) else str(ip)
    return hmac.new(settings.SECRET_KEY.encode(), text.encode(), hashlib.sha256).hexdigest()[:16]


def delete_unconfirmed_drafts(*, now: datetime) -> int:
    """Delete drafts whose assignment was not confirmed in time. Return how many.

    Time is AGE after the last save plus the time that a worker has for the task, and AGE_SUBMITTED after
    a submission. A restored installation first reads the marketplace's assignments.
    """
    if active_hold():
        return 0
    Draft.objects.filter(saved_at__lt=now - AGE).exclude(address_digest="").update(
        address_digest=""
    )
    rows = _unconfirmed().filter(saved_at__lt=now - AGE)
    due = [
        draft.pk
        for draft in rows.select_related("task__hit__hit_type").defer("content", "log").iterator()
        if draft.saved_at < now - _time_of(draft)
    ]
    for start in range(0, len(due), CHUNK):
        _unconfirmed().filter(pk__in=due[start : start + CHUNK]).delete()
    return len(due)


def max_time(batch_id: int) -> timedelta:
    """Return the longest time that a worker has for a task of the batch."""
    tasks = Task.objects.filter(batch=batch_id)
    longest = tasks.aggregate(seconds=Max("hit__hit_type__assignment_seconds", default=0))
    return timedelta(seconds=longest["seconds"])


def _time_of(draft: Draft) -> timedelta:
    if draft.submitted_at:
        return AGE_SUBMITTED
    return AGE + timedelta(seconds=draft.task.hit.hit_type.assignment_seconds)


def _unconfirmed() -> QuerySet[Draft]:
    confirmed = Assignment.objects.filter(
        external_id=OuterRef("assignment_ref"), worker__external_id=OuterRef("worker_ref")
    )
    return Draft.objects.filter(~Exists(confirmed))
