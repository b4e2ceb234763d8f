"""Threads of messages between a project and its workers."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from heapq import nlargest

from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet, Subquery

from crowd.domain.workers.receive_messages import REPLY
from crowd.domain.workers.write_mail import also_by_mail
from crowd.domain.workers.write_messages import MAX_SUBJECT_LENGTH, write_messages
from crowd.models import Message, ReceivedMessage, Worker
from projects.models import Project

MAX_ENTRIES = 100


@dataclass(frozen=True, slots=True)
class Entry:
    """A message of a thread. `sent` is the project's message, or None if the worker wrote."""

    at: datetime
    subject: str
    text: str
    sent: Message | None = None
    is_new: bool = False


def received_by(project: Project) -> QuerySet[ReceivedMessage]:
    return ReceivedMessage.objects.filter(budget=project.budget_id)


def unread_count(*, project: Project) -> int:
    return received_by(project).filter(read_at=None).count()


def workers_who_wrote(*, project: Project, only_unread: bool = False) -> QuerySet[Worker]:
    """Return the workers who wrote, the newest message first, with what the inbox shows of each."""
    wrote = received_by(project).filter(worker=OuterRef("pk"))
    own = Q(received_messages__budget=project.budget_id)
    newest = wrote.order_by("-sent_at", "-pk")
    answers = Message.objects.filter(worker=OuterRef("pk"), budget=project.budget_id)
    return (
        Worker.objects.filter(Exists(wrote.filter(read_at=None) if only_unread else wrote))
        .annotate(
            written_at=Max("received_messages__sent_at", filter=own),
            unread=Count(
                "received_messages", filter=own & Q(received_messages__read_at=None), distinct=True
            ),
            last_subject=Subquery(newest.values("subject")[:1]),
            last_text=Subquery(newest.values("text")[:1]),
            answered_at=Subquery(answers.order_by("-pk").values("written_at")[:1]),
        )
        .annotate(is_answered=Q(answered_at__gt=F("written_at")))
        .order_by("-written_at", "-pk")
    )


def thread_of(*, project: Project, worker: Worker) -> list[Entry]:
    """Return the newest messages of both sides, newest first."""
    sent = Message.objects.filter(worker=worker, budget=project.budget_id)
    received = received_by(project).filter(worker=worker)
    entries: list[Entry] = [
        Entry(at=row.written_at, subject=row.subject, text=row.text, sent=row)
        for row in sent.order_by("-pk")[:MAX_ENTRIES]
    ]
    entries += [
        Entry(at=row.sent_at, subject=row.subject, text=row.text, is_new=row.read_at is None)
        for row in received.order_by("-sent_at", "-pk")[:MAX_ENTRIES]
    ]
    return nlargest(MAX_ENTRIES, entries, key=lambda entry: entry.at)


def mark_as_read(*, project: Project, worker: Worker, now: datetime) -> None:
    received_by(project).filter(worker=worker, read_at=None).update(read_at=now)


def answer_subject(entries: Iterable[Entry]) -> str:
    """Return the subject of an answer to the worker's newest message, or an empty string."""
    last = next((entry.subject for entry in entries if entry.sent is None), "")
    return (last if not last or last.startswith(REPLY) else REPLY + last)[:MAX_SUBJECT_LENGTH]


def write_to_worker(
    *, project: Project, worker: Worker, subject: str, text: str, now: datetime
) -> Message:
    """Queue a message, with an email copy if the worker gave an address. Raise OutOfLimitsError."""
    [message] = write_messages(
        budget=project.budget, workers=[worker], subject=subject, text=text, now=now
    )
    also_by_mail(message=message)
    return message
