"""Deletes answers of HITs that were disposed of long ago, and the texts of old messages."""

from datetime import datetime, timedelta

from django.conf import settings

from database.in_batches import in_batches
from marketplace.domain.work.maintenance import DISPOSE_AFTER
from marketplace.models import Assignment, Message

DELETED = "deleted"


def delete_expired(*, now: datetime) -> dict[str, int]:
    """Clear what has expired. Return the numbers of rows.

    Assignments keep their state and pay. Requesters can retrieve the answers until 120 days after the
    HIT was disposed of. Messages expire after `MESSAGES_DAYS`.
    """
    old = Assignment.objects.filter(hit__disposed_at__lt=now - DISPOSE_AFTER).exclude(answer="")
    counts = {"answers": in_batches(old, lambda rows: rows.update(answer="")), "messages": 0}
    if days := settings.MESSAGES_DAYS:
        messages = Message.objects.filter(sent_at__lt=now - timedelta(days=days)).exclude(text="")
        counts["messages"] = in_batches(
            messages, lambda rows: rows.update(subject=DELETED, text="")
        )
    return counts
