"""Deletes what a site keeps only for a time.

A submission has everything that its draft and the copy of the marketplace's answer had, so both are
deleted `COPIES_DAYS` after they were recorded. So is the submission's record of inputs. The texts of
messages to and from workers are deleted after `MESSAGES_DAYS`, and state changes after `LOG_DAYS`. A
setting of 0 keeps them. The deliveries of webhooks are deleted after 30 days.
"""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection
from django.db.models import Exists, OuterRef, QuerySet

from annotation.models import Draft, Submission
from audit.append_only import EXPIRED
from audit.models import StateChange
from crowd.enums import MailState, MessageState
from crowd.models import Assignment, Mail, Message, ReceivedMessage
from database.in_batches import Rows, in_batches
from projects.domain.deliver_webhooks import delete_old_deliveries

DELETED = "deleted"  # the subject of a message without its text


def delete_expired(*, now: datetime) -> dict[str, int]:
    """Delete what has expired. Return the numbers of rows."""
    counts = {
        "drafts": 0,
        "answers": 0,
        "inputs": 0,
        "messages": 0,
        "state_changes": 0,
        "deliveries": 0,
    }
    if days := settings.COPIES_DAYS:
        recorded = Assignment.objects.filter(recorded_at__lt=now - timedelta(days=days))
        counts["drafts"] = in_batches(_drafts_of(recorded), lambda rows: rows.delete())
        counts["answers"] = in_batches(
            recorded.exclude(answer={}), lambda rows: rows.update(answer={})
        )
        old = Submission.objects.filter(assignment__in=recorded).exclude(inputs={})
        counts["inputs"] = in_batches(old, lambda rows: rows.update(inputs={}))
    if days := settings.MESSAGES_DAYS:
        counts["messages"] = _delete_texts(now - timedelta(days=days))
    if days := settings.LOG_DAYS:
        changes = StateChange.objects.filter(at__lt=now - timedelta(days=days))
        counts["state_changes"] = in_batches(changes, _delete_changes)
    counts["deliveries"] = delete_old_deliveries(now=now)
    return counts


def _drafts_of(recorded: QuerySet[Assignment]) -> QuerySet[Draft]:
    same = recorded.filter(
        external_id=OuterRef("assignment_ref"), worker__external_id=OuterRef("worker_ref")
    )
    return Draft.objects.filter(Exists(same))


def _delete_texts(before: datetime) -> int:
    """Clear the texts and addresses. The rows stay, because they say what was sent and received."""
    done = [MessageState.SENT, MessageState.FAILED]
    sent = Message.objects.filter(state__in=done, written_at__lt=before)
    sent = sent.exclude(mail__state__in=[MailState.PENDING, MailState.SENDING])
    received = ReceivedMessage.objects.filter(sent_at__lt=before)
    old_mail = Mail.objects.filter(message__in=sent)
    in_batches(old_mail.exclude(address=""), lambda rows: rows.update(address=""))
    return sum(
        in_batches(rows.exclude(text=""), lambda rows: rows.update(subject=DELETED, text=""))
        for rows in (sent, received)
    )


def _delete_changes(changes: Rows) -> None:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:  # the trigger allows it until the transaction's end
            cursor.execute("SELECT set_config(%s, 'on', true)", [EXPIRED])
    changes.delete()
