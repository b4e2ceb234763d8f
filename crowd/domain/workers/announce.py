"""Tell workers of new work, without a message to those who can't read it."""

from collections.abc import Iterable
from datetime import datetime

from django.db.models import QuerySet

from crowd.domain.provider.providers import providers_with_sessions
from crowd.domain.workers.register_worker import ERASED, PSEUDONYMISED
from crowd.domain.workers.write_mail import also_by_mail
from crowd.domain.workers.write_messages import MAX_SUBJECT_LENGTH, write_messages
from crowd.models import Budget, MailAddress, Message, Worker


def reachable(workers: QuerySet[Worker]) -> QuerySet[Worker]:
    """Return the workers to whom a message can be delivered.

    Simulated workers read none. A provider with studies delivers messages only about a study that the
    worker took part in, and announces new studies itself.
    """
    people = workers.filter(is_simulated=False)
    for prefix in (PSEUDONYMISED, ERASED):
        people = people.exclude(external_id__startswith=prefix)
    strangers = people.filter(provider__in=providers_with_sessions(True), sessions=None)
    return people.exclude(pk__in=strangers.values("pk"))


def announce(
    *, budget: Budget | None, workers: Iterable[Worker], subject: str, text: str, now: datetime
) -> list[Message]:
    """Queue a message to each worker, with copies by email for those who gave an address."""
    written = write_messages(
        budget=budget, workers=workers, subject=subject[:MAX_SUBJECT_LENGTH], text=text, now=now
    )
    with_address = set(
        MailAddress.objects.filter(
            worker__in=[message.worker_id for message in written]
        ).values_list("worker", flat=True)
    )
    for message in written:
        if message.worker_id in with_address:
            also_by_mail(message=message)
    return written
