"""Bonuses that a requester pays in addition to the reward of a submitted assignment."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction

from marketplace.domain import ledger
from marketplace.domain.errors import InvalidParameterError, WrongStateError
from marketplace.domain.find import find
from marketplace.domain.identifiers import new_code
from marketplace.domain.money import fee_cents, format_cents
from marketplace.domain.tokens import use_token
from marketplace.enums import SHOWN
from marketplace.models import Assignment, Bonus, Requester

PAYABLE_WITHIN = timedelta(days=183)
MIN_CENTS = 1
MAX_CENTS = 1_000_000
MAX_REASON_LENGTH = 4_096


@transaction.atomic
def send_bonus(
    *,
    requester: Requester,
    worker_code: str,
    assignment_code: str,
    amount_cents: int,
    reason: str,
    token: str | None,
    now: datetime,
) -> Bonus:
    """Pay a bonus and its fee. Raise TokenUsedError for a repeated token."""
    if not MIN_CENTS <= amount_cents <= MAX_CENTS:
        raise InvalidParameterError(
            f"BonusAmount must be between {format_cents(MIN_CENTS)} and {format_cents(MAX_CENTS)}."
        )
    if not reason.strip() or len(reason) > MAX_REASON_LENGTH:
        raise InvalidParameterError(f"Reason must have 1 to {MAX_REASON_LENGTH} characters.")
    assignment = find_payable(requester, worker_code, assignment_code, now)
    code = new_code()
    use_token(requester=requester, operation="SendBonus", token=token, result=code, now=now)
    bonus = Bonus.objects.create(
        code=code,
        requester=requester,
        assignment=assignment,
        worker_id=assignment.worker_id,
        amount_cents=amount_cents,
        fee_cents=fee_cents(amount_cents, settings.MARKETPLACE_FEE_RATE),
        reason=reason,
        created_at=now,
    )
    ledger.pay_bonus(bonus=bonus, hit=assignment.hit, now=now)
    return bonus


def find_payable(
    requester: Requester, worker_code: str, assignment_code: str, now: datetime
) -> Assignment:
    """Return the requester's assignment for which a bonus can be paid. Raise RefusalError."""
    own = Assignment.objects.select_related("hit", "worker").filter(hit__requester=requester)
    assignment = find(own.defer("answer", "hit__question"), "Assignment", assignment_code)
    if assignment.worker.code != worker_code:
        raise InvalidParameterError(
            f"Assignment {assignment_code} does not belong to worker {worker_code}."
        )
    if assignment.status not in SHOWN or assignment.submitted_at is None:
        raise WrongStateError("Assignment", allowed=", ".join(SHOWN), current=assignment.status)
    if now - assignment.submitted_at > PAYABLE_WITHIN:
        raise InvalidParameterError("A bonus can only be paid within six months of the submission.")
    return assignment
