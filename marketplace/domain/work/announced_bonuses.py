"""Bonuses that a requester has announced and not paid, because they are in review or declined."""

from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet, Sum

from marketplace.domain.errors import InvalidParameterError
from marketplace.domain.money import format_cents
from marketplace.domain.work.bonuses import MAX_CENTS, MAX_REASON_LENGTH, MIN_CENTS, find_payable
from marketplace.enums import BonusStatus
from marketplace.models import AnnouncedBonus, Requester, WorkerAccount

MAX_URL_LENGTH = 2_048


@transaction.atomic
def update_bonus_status(
    *,
    requester: Requester,
    worker_code: str,
    assignment_code: str,
    amount_cents: int,
    status: str,
    reason: str = "",
    appeal_url: str = "",
    now: datetime,
) -> None:
    """Show the worker the bonus of an assignment, or stop showing it once it is accepted.

    An assignment has one announced bonus, and a repeat replaces it. No money moves.
    """
    assignment = find_payable(requester, worker_code, assignment_code, now)
    if not MIN_CENTS <= amount_cents <= MAX_CENTS:
        raise InvalidParameterError(
            f"BonusAmount must be between {format_cents(MIN_CENTS)} and {format_cents(MAX_CENTS)}."
        )
    if len(reason) > MAX_REASON_LENGTH:
        raise InvalidParameterError(f"Reason must have at most {MAX_REASON_LENGTH} characters.")
    if appeal_url and not appeal_url.startswith(("https://", "http://")):
        raise InvalidParameterError("AppealURL must start with https:// or http://.")
    if len(appeal_url) > MAX_URL_LENGTH:
        raise InvalidParameterError(f"AppealURL must have at most {MAX_URL_LENGTH} characters.")
    if status == BonusStatus.ACCEPTED:
        AnnouncedBonus.objects.filter(assignment=assignment).delete()
        return
    AnnouncedBonus.objects.update_or_create(
        assignment=assignment,
        defaults={
            "amount_cents": amount_cents,
            "status": status,
            "reason": reason,
            "appeal_url": appeal_url,
            "updated_at": now,
        },
    )


def in_review_cents(worker: WorkerAccount) -> int:
    """Return the total of the worker's bonuses in review."""
    rows: QuerySet[AnnouncedBonus] = AnnouncedBonus.objects.filter(
        assignment__worker=worker, status=BonusStatus.REVIEWING
    )
    return int(rows.aggregate(cents=Sum("amount_cents", default=0))["cents"])
