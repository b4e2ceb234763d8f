"""What a worker is told: by requesters, and by the marketplace itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from marketplace.domain.errors import InvalidParameterError
from marketplace.domain.hit_types import check_length
from marketplace.enums import AssignmentStatus
from marketplace.models import Assignment, Message, Requester, WorkerAccount

LONGEST_SUBJECT = 200
LONGEST_TEXT = 4_096
MOST_WORKERS = 100


@dataclass(frozen=True, slots=True)
class NotTold:
    """`code` is HardFailure when trying again will not help."""

    worker_code: str
    code: str
    reason: str


def notify_workers(
    *, requester: Requester, subject: str, text: str, worker_codes: Sequence[str], now: datetime
) -> list[NotTold]:
    """Writes to workers whose work this requester has decided on before; says who was left out."""
    check_length("Subject", subject, LONGEST_SUBJECT)
    check_length("MessageText", text, LONGEST_TEXT)
    if not 1 <= len(worker_codes) <= MOST_WORKERS:
        raise InvalidParameterError(f"WorkerIds takes 1 to {MOST_WORKERS} worker ids.")
    codes = list(dict.fromkeys(worker_codes))
    workers = WorkerAccount.objects.filter(code__in=codes).in_bulk(field_name="code")
    known = _decided_before(requester, list(workers.values()))
    told = [workers[code] for code in codes if code in workers and workers[code].pk in known]
    Message.objects.bulk_create(
        Message(worker=worker, requester=requester, subject=subject, text=text, sent_at=now)
        for worker in told
        if worker.active
    )
    return [
        failure
        for code in codes
        if (failure := _failure(code, workers.get(code), known)) is not None
    ]


def write(
    *, worker_id: int, requester: Requester | None, subject: str, text: str, now: datetime
) -> None:
    """One message; the subject is cut to what the column holds."""
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


def _failure(code: str, worker: WorkerAccount | None, known: set[int]) -> NotTold | None:
    if worker is None:
        return NotTold(code, "HardFailure", f"There is no worker {code}.")
    if worker.pk not in known:
        return NotTold(
            code, "HardFailure", "You have not approved or rejected work of this worker before."
        )
    if not worker.active:
        return NotTold(code, "HardFailure", "This worker's account is closed.")
    return None
