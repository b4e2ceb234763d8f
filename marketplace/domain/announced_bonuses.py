"""Bonuses that a requester has announced and not paid, because they are in review or declined."""

from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet, Sum

from marketplace.domain.bonuses import LARGEST_CENTS, LONGEST_REASON, SMALLEST_CENTS, find_payable
from marketplace.domain.errors import InvalidParameterError
from marketplace.domain.money import format_cents
from marketplace.enums import BonusStatus
from marketplace.models import AnnouncedBonus, Requester, WorkerAccount

LONGEST_URL = 2_048


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
    if not SMALLEST_CENTS <= amount_cents <= LARGEST_CENTS:
        raise InvalidParameterError(
            f"BonusAmount must be between {format_cents(SMALLEST_CENTS)} and "
            f"{format_cents(LARGEST_CENTS)}."
        )
    if len(reason) > LONGEST_REASON:
        raise InvalidParameterError(f"Reason must have at most {LONGEST_REASON} characters.")
    if appeal_url and not appeal_url.startswith(("https://", "http://")):
        raise InvalidParameterError("AppealURL must start with https:// or http://.")
    if len(appeal_url) > LONGEST_URL:
        raise InvalidParameterError(f"AppealURL must have at most {LONGEST_URL} characters.")
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
