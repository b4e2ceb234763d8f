"""Messages from workers to requesters, and the thread of both."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext

from marketplace.domain.errors import InvalidParameterError, RefusalError
from marketplace.domain.notifications.messages import MAX_SUBJECT_LENGTH
from marketplace.models import Hit, Message, Requester, WorkerAccount

MAX_TEXT_LENGTH = 2000
#: Of a worker to all requesters, in PERIOD.
MAX_MESSAGES = 20
PERIOD = timedelta(days=1)
REPLY = "Re: "


@transaction.atomic
def write_to_requester(
    *, worker: WorkerAccount, requester: Requester, text: str, hit: Hit | None = None, now: datetime
) -> Message:
    """Create a message about a HIT, or about the requester's last message.

    Raise RefusalError after MAX_MESSAGES in PERIOD.
    """
    if not text.strip() or len(text) > MAX_TEXT_LENGTH:
        raise InvalidParameterError(
            gettext("Write a message of up to %(max_text_length)s characters.")
            % {"max_text_length": MAX_TEXT_LENGTH}
        )
    # The lock on the worker makes the count exact.
    WorkerAccount.objects.select_for_update().get(pk=worker.pk)
    sent = Message.objects.filter(worker=worker, from_worker=True, sent_at__gt=now - PERIOD)
    if sent.count() >= MAX_MESSAGES:
        limit = gettext(
            "You can write up to %(max_messages)s messages a day. Try again tomorrow."
        ) % {"max_messages": MAX_MESSAGES}
        raise RefusalError("LimitExceeded", limit)
    return Message.objects.create(
        worker=worker,
        requester=requester,
        hit=hit,
        subject=_subject(worker, requester, hit)[:MAX_SUBJECT_LENGTH],
        text=text.strip(),
        sent_at=now,
        from_worker=True,
    )


def _subject(worker: WorkerAccount, requester: Requester, hit: Hit | None) -> str:
    if hit is not None:
        return f"About “{hit.hit_type.title}”"
    last = thread_of(worker=worker, requester=requester).filter(from_worker=False).first()
    if last is None:
        return "Message from a worker"
    return last.subject if last.subject.startswith(REPLY) else REPLY + last.subject


def thread_of(*, worker: WorkerAccount, requester: Requester) -> QuerySet[Message]:
    """Return the messages between the worker and the requester, newest first."""
    return Message.objects.filter(worker=worker, requester=requester).order_by("-pk")
