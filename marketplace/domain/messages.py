"""Messages to workers from requesters and from the marketplace itself."""

from collections.abc import Sequence
from datetime import datetime

from marketplace.domain.errors import InvalidParameterError
from marketplace.enums import AssignmentStatus
from marketplace.models import Assignment, Message, Requester, WorkerAccount

LONGEST_SUBJECT = 200
MOST_WORKERS = 100


def notify_workers(
    *, requester: Requester, subject: str, text: str, worker_codes: Sequence[str], now: datetime
) -> dict[str, str]:
    """Message workers whose work was decided. Return the problems of the others, by worker id."""
    if not 1 <= len(worker_codes) <= MOST_WORKERS:
        raise InvalidParameterError(f"WorkerIds must contain 1 to {MOST_WORKERS} worker ids.")
    codes = list(dict.fromkeys(worker_codes))
    workers = WorkerAccount.objects.filter(code__in=codes).in_bulk(field_name="code")
    known = _decided_before(requester, list(workers.values()))
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
    """Create a message. The subject is cut to LONGEST_SUBJECT characters."""
    Message.objects.create(
        worker_id=worker_id,
        requester=requester,
        subject=subject[:LONGEST_SUBJECT],
        text=text,
        sent_at=now,
    )


def _decided_before(requester: Requester, workers: Sequence[WorkerAccount]) -> set[int]:
    return set(
        Assignment.objects.filter(
            hit__requester=requester,
            worker__in=workers,
            status__in=(AssignmentStatus.APPROVED, AssignmentStatus.REJECTED),
        )
        .values_list("worker_id", flat=True)
        .distinct()
    )


def _problem(code: str, worker: WorkerAccount | None, known: set[int]) -> str:
    if worker is None:
        return f"Worker {code} does not exist."
    if worker.pk not in known:
        return "You have not approved or rejected work of this worker before."
    return "" if worker.active else "This worker's account is closed."
