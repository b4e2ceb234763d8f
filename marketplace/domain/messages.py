"""Messages to workers from requesters and from the marketplace itself."""

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
class NotificationFailed:
    """A worker who was not notified. `code` is HardFailure if a retry cannot succeed."""

    worker_code: str
    code: str
    reason: str


def notify_workers(
    *, requester: Requester, subject: str, text: str, worker_codes: Sequence[str], now: datetime
) -> list[NotificationFailed]:
    """Send a message to workers whose work the requester has decided. Return the failures."""
    check_length("Subject", subject, LONGEST_SUBJECT)
    check_length("MessageText", text, LONGEST_TEXT)
    if not 1 <= len(worker_codes) <= MOST_WORKERS:
        raise InvalidParameterError(f"WorkerIds must contain 1 to {MOST_WORKERS} worker ids.")
    codes = list(dict.fromkeys(worker_codes))
    workers = WorkerAccount.objects.filter(code__in=codes).in_bulk(field_name="code")
    known = _decided_before(requester, list(workers.values()))
    recipients = [workers[code] for code in codes if code in workers and workers[code].pk in known]
    Message.objects.bulk_create(
        Message(worker=worker, requester=requester, subject=subject, text=text, sent_at=now)
        for worker in recipients
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


def _failure(code: str, worker: WorkerAccount | None, known: set[int]) -> NotificationFailed | None:
    if worker is None:
        return NotificationFailed(code, "HardFailure", f"Worker {code} does not exist.")
    if worker.pk not in known:
        return NotificationFailed(
            code, "HardFailure", "You have not approved or rejected work of this worker before."
        )
    if not worker.active:
        return NotificationFailed(code, "HardFailure", "This worker's account is closed.")
    return None
