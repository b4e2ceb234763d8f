"""Fetch the messages that workers wrote at the marketplace, for the project that they concern."""

from datetime import datetime
from itertools import takewhile

from django.db import transaction

from crowd.domain.provider.providers import hit_provider_of
from crowd.domain.workers.register_worker import register_worker
from crowd.enums import DEFAULT_PROVIDER
from crowd.models import Assignment, Hit, Inbox, Message, ReceivedMessage, Worker
from crowd.providers.base import ListedMessage, OutcomeUnknownError, ProviderRefusedError

REPLY = "Re: "


def fetch_messages(*, now: datetime, provider: str = DEFAULT_PROVIDER) -> int:
    """Store the messages after the last one fetched. Return how many.

    Nothing is stored if the marketplace can't be reached, because the next sweep tries again.
    """
    market = hit_provider_of(provider)
    if market.inbox_elsewhere or not Hit.objects.filter(hit_type__provider=provider).exists():
        return 0
    inbox, _ = Inbox.objects.get_or_create(provider=provider)
    try:
        listed = market.list_messages()
        new = list(takewhile(lambda row: row.external_id != inbox.last_message, listed))
    except (OutcomeUnknownError, ProviderRefusedError):
        return 0
    with transaction.atomic():
        for row in reversed(new):
            _store(row, provider, now)
        if new:
            Inbox.objects.filter(pk=inbox.pk).update(last_message=new[0].external_id)
    return len(new)


def _store(row: ListedMessage, provider: str, now: datetime) -> None:
    worker = register_worker(provider=provider, external_id=row.worker, now=now)
    ReceivedMessage.objects.get_or_create(
        external_id=row.external_id,
        defaults={
            "worker": worker,
            "budget_id": budget_of(worker=worker, subject=row.subject, hit=row.hit),
            "subject": row.subject[:200],
            "text": row.text,
            "sent_at": row.sent_at,
        },
    )


def budget_of(*, worker: Worker, subject: str, hit: str) -> int:
    """Return the id of the budget whose project a message concerns.

    It is the project of the HIT, of the message that it answers, of the worker's last assignment or
    message, or else the project in which somebody worked last, or that published last.
    """
    assignments = Assignment.objects.order_by("-pk").values_list("hit__budget", flat=True)
    sent = Message.objects.filter(worker=worker).exclude(budget=None).order_by("-pk")
    published = Hit.objects.filter(hit_type__provider=worker.provider).order_by("-pk")
    candidates = [
        published.filter(external_id=hit).values_list("budget", flat=True),
        sent.filter(subject=subject.removeprefix(REPLY)).values_list("budget", flat=True),
        assignments.filter(worker=worker),
        sent.values_list("budget", flat=True),
        assignments.filter(
            worker__provider=worker.provider, worker__is_simulated=worker.is_simulated
        ),
        published.values_list("budget", flat=True),
    ]
    return next(pk for rows in candidates for pk in rows[:1] if pk is not None)
