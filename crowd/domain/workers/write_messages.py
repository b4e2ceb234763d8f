"""Send messages to workers in groups, and record the marketplace's delivery failures."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, Q

from crowd.domain.provider.providers import capabilities_of, provider_of
from crowd.enums import GrantState, MessageState
from crowd.models import Budget, Message, QualificationGrant, Worker
from crowd.providers.base import NotificationFailed, OutcomeUnknownError, ProviderRefusedError
from crowd.providers.limits import MESSAGE, SUBJECT, check_text
from jobs.domain.sweep import for_each_group

MAX_SUBJECT_LENGTH, MAX_TEXT_LENGTH = SUBJECT, MESSAGE
GROUP = 100  # maximum of one call
FIRST_RETRY = timedelta(minutes=10)
MAX_ATTEMPTS = 8  # the last one after about a day


def write_messages(
    *, budget: Budget | None, workers: Iterable[Worker], subject: str, text: str, now: datetime
) -> list[Message]:
    """Queue a message of the budget's project to each of the workers. Raises OutOfLimitsError."""
    check_text("subject", subject, longest=SUBJECT)
    check_text("text", text, longest=MESSAGE)
    return Message.objects.bulk_create(
        Message(worker=worker, budget=budget, subject=subject, text=text, written_at=now)
        for worker in workers
    )


def send_due_messages(*, clock: Callable[[], datetime], limit: int = GROUP) -> int:
    """Send up to `limit` messages. Return how many will not be retried, delivered or not.

    A message follows the qualifications that are still to be granted to its worker. It may be about
    tasks that need them, and a marketplace may deliver messages only to qualified workers.
    """
    now = clock()
    coming = QualificationGrant.objects.filter(worker=OuterRef("worker"), state=GrantState.PENDING)
    due = Message.objects.filter(
        ~Exists(coming), Q(retry_at=None) | Q(retry_at__lte=now), state=MessageState.PENDING
    ).select_related("worker")
    return for_each_group(
        sweep="send messages",
        rows=due,
        key=_call_key,
        process=_send,
        clock=clock,
        limit=min(limit, GROUP),
        leased=True,
    )


def _call_key(message: Message) -> tuple[str, str, str, str]:
    """Return the values that the messages of one call share."""
    return message.worker.provider, _posting(message.worker), message.subject, message.text


def _posting(worker: Worker) -> str:
    """Return the study of the worker's last session, which a provider with sessions requires."""
    if not capabilities_of(worker.provider).has_sessions:
        return ""
    session = worker.sessions.select_related("study").order_by("-pk").first()
    return (session and session.study.external_id) or ""


def _send(group: Sequence[Message], now: datetime) -> int:
    provider, posting, subject, text = _call_key(group[0])
    by_worker = {message.worker.external_id: message for message in group}
    # A second message with the same text to the same worker is left to another call.
    later = [
        message.pk for message in group if by_worker[message.worker.external_id] is not message
    ]
    Message.objects.filter(pk__in=later).update(leased_until=None)
    try:
        failures = provider_of(provider).notify(
            subject=subject, text=text, workers=list(by_worker), posting=posting
        )
    except OutcomeUnknownError as error:
        failures = [NotificationFailed(worker, False, str(error)) for worker in by_worker]
    except ProviderRefusedError as refused:
        failures = [NotificationFailed(worker, True, str(refused)) for worker in by_worker]
    done = len(by_worker)
    for failure in failures:
        if message := by_worker.pop(failure.worker, None):
            done -= not _record_failure(message, failure, now)
    Message.objects.filter(pk__in=[message.pk for message in by_worker.values()]).update(
        state=MessageState.SENT, sent_at=now, leased_until=None, error=""
    )
    return done


def _record_failure(message: Message, failure: NotificationFailed, now: datetime) -> bool:
    """Record a delivery failure. Return True if the message will not be retried."""
    attempts = message.attempts + 1
    given_up = failure.hard or attempts >= MAX_ATTEMPTS
    Message.objects.filter(pk=message.pk).update(
        state=MessageState.FAILED if given_up else MessageState.PENDING,
        attempts=attempts,
        retry_at=None if given_up else now + FIRST_RETRY * 2 ** (attempts - 1),
        leased_until=None,
        error=failure.reason,
    )
    return given_up
