"""Messages to workers from requesters and from the marketplace itself."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

from django.utils import translation

from marketplace.domain.errors import InvalidParameterError
from marketplace.enums import AssignmentStatus, GrantStatus
from marketplace.models import Assignment, Grant, Message, Requester, WorkerAccount

MAX_SUBJECT_LENGTH = 200
MAX_WORKERS = 100


def notify_workers(
    *, requester: Requester, subject: str, text: str, worker_codes: Sequence[str], now: datetime
) -> dict[str, str]:
    """Message the workers whom the requester knows. Return the problems of the others."""
    if not 1 <= len(worker_codes) <= MAX_WORKERS:
        raise InvalidParameterError(f"WorkerIds must contain 1 to {MAX_WORKERS} worker ids.")
    codes = list(dict.fromkeys(worker_codes))
    workers = WorkerAccount.objects.filter(code__in=codes).in_bulk(field_name="code")
    known = _known_to(requester, list(workers.values()))
    problems = {code: _problem(code, workers.get(code), known) for code in codes}
    Message.objects.bulk_create(
        Message(worker=workers[code], requester=requester, subject=subject, text=text, sent_at=now)
        for code, problem in problems.items()
        if not problem
    )
    return {code: problem for code, problem in problems.items() if problem}


def write(
    *, worker_id: int, requester: Requester | None, subject: str, text: str, now: datetime
) -> None:
    """Create a message. The subject is cut to MAX_SUBJECT_LENGTH characters."""
    Message.objects.create(
        worker_id=worker_id,
        requester=requester,
        subject=subject[:MAX_SUBJECT_LENGTH],
        text=text,
        sent_at=now,
    )


@contextmanager
def worker_language(worker_id: int) -> Iterator[None]:
    """Translate texts within the context into the language of the worker's account."""
    language = WorkerAccount.objects.values_list("language", flat=True).get(pk=worker_id)
    with translation.override(language):
        yield


def _known_to(requester: Requester, workers: Sequence[WorkerAccount]) -> set[int]:
    """Return the ids of the workers whom the requester may message.

    The requester decided on their work or granted them a qualification, or they wrote a message.
    """
    decided = Assignment.objects.filter(
        hit__requester=requester,
        worker__in=workers,
        status__in=(AssignmentStatus.APPROVED, AssignmentStatus.REJECTED),
    )
    qualified = Grant.objects.filter(
        qualification_type__requester=requester, worker__in=workers, status=GrantStatus.GRANTED
    )
    wrote = Message.objects.filter(requester=requester, worker__in=workers, from_worker=True)
    return {
        pk for rows in (decided, qualified, wrote) for pk in rows.values_list("worker", flat=True)
    }


def _problem(code: str, worker: WorkerAccount | None, known: set[int]) -> str:
    if worker is None:
        return f"Worker {code} does not exist."
    if worker.pk not in known:
        return "You have not decided on work of this worker, or granted them a qualification."
    return "" if worker.active else "This worker's account is closed."
