"""Messages to workers, sent in groups; who wasn't reached is kept, with the marketplace's reason."""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from itertools import groupby

from django.db.models import Q

from crowd.domain.lease import take_leases
from crowd.domain.marketplace import marketplace_of
from crowd.enums import MessageState
from crowd.models import Budget, Message, Worker
from crowd.providers.base import NotTold, ProviderInDoubt, ProviderRefused
from crowd.providers.limits import MESSAGE, SUBJECT, check_text

GROUP = 100  # the most that one call takes
FIRST_RETRY = timedelta(minutes=10)
MOST_ATTEMPTS = 8  # the last after about a day


def write_messages(
    *, budget: Budget | None, workers: Iterable[Worker], subject: str, text: str, now: datetime
) -> list[Message]:
    """One message of the budget's project to each of the workers, to be sent by the sweep. Raises
    OutOfLimits for a subject or a text that the marketplace would not take."""
    check_text("subject", subject, longest=SUBJECT)
    check_text("text", text, longest=MESSAGE)
    return Message.objects.bulk_create(
        Message(worker=one, budget=budget, subject=subject, text=text, written_at=now)
        for one in workers
    )


def resend_message(*, message: Message, now: datetime) -> bool:
    """Try once more to deliver what failed for good; says whether it had failed."""
    return bool(
        Message.objects.filter(pk=message.pk, state=MessageState.FAILED).update(
            state=MessageState.PENDING, attempts=0, retry_at=now, leased_until=None
        )
    )


def send_due_messages(*, clock: Callable[[], datetime], limit: int = GROUP) -> int:
    """Send up to `limit` messages; returns how many are off the list, delivered or failed for good."""
    now = clock()
    due = Message.objects.filter(
        Q(retry_at=None) | Q(retry_at__lte=now), state=MessageState.PENDING
    ).select_related("worker")
    taken = sorted(take_leases(due, now=now, limit=min(limit, GROUP)), key=_call)
    return sum(_send(list(group), clock()) for _, group in groupby(taken, key=_call))


def _call(message: Message) -> tuple[str, str, str]:
    """Messages of one call have this in common."""
    return message.worker.provider, message.subject, message.text


def _send(group: list[Message], now: datetime) -> int:
    provider, subject, text = _call(group[0])
    to = {one.worker.external_id: one for one in group}
    # One worker may be told the same thing twice: then by two calls.
    later = [one for one in group if to[one.worker.external_id] is not one]
    Message.objects.filter(pk__in=[one.pk for one in later]).update(leased_until=None)
    try:
        failures = marketplace_of(provider).notify(subject=subject, text=text, workers=list(to))
    except ProviderInDoubt as doubt:
        failures = [NotTold(worker, False, str(doubt)) for worker in to]
    except ProviderRefused as refused:
        failures = [NotTold(worker, True, str(refused)) for worker in to]
    done = len(to)
    for failure in failures:
        if message := to.pop(failure.worker, None):
            done -= not _keep_failure(message, failure, now)
    Message.objects.filter(pk__in=[one.pk for one in to.values()]).update(
        state=MessageState.SENT, sent_at=now, leased_until=None, error=""
    )
    return done


def _keep_failure(message: Message, failure: NotTold, now: datetime) -> bool:
    """Note why it wasn't delivered, and when to try again; says whether that is never."""
    attempts = message.attempts + 1
    given_up = failure.hard or attempts >= MOST_ATTEMPTS
    Message.objects.filter(pk=message.pk).update(
        state=MessageState.FAILED if given_up else MessageState.PENDING,
        attempts=attempts,
        retry_at=None if given_up else now + FIRST_RETRY * 2 ** (attempts - 1),
        leased_until=None,
        error=failure.reason,
    )
    return given_up
