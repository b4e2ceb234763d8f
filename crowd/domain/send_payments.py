"""What is owed, sent: each payment exactly once, whatever fails on the way."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db import transaction

from audit.domain.change_state import MoveRefused, change_state, log_state_change
from crowd.domain.create_hits import TOKEN_MEMORY
from crowd.domain.decide_assignment import MOVES, set_aside_payment, take_their_decision
from crowd.domain.lease import BITE, take_leases
from crowd.domain.ledger import release, settle
from crowd.domain.marketplace import marketplace_of
from crowd.enums import AssignmentState, PaymentKind, PaymentState
from crowd.models import Assignment, Hit, Payment
from crowd.providers.base import Bonus, ProviderInDoubt, ProviderRefused


def send_due_payments(*, clock: Callable[[], datetime], limit: int = BITE) -> int:
    """Send up to `limit` payments; returns how many are now confirmed."""
    due = Payment.objects.filter(
        state__in=[PaymentState.PENDING, PaymentState.SENT]
    ).select_related("assignment__hit__hit_type", "assignment__worker")
    return sum(
        send_payment(payment=payment, now=clock())
        for payment in take_leases(due, now=clock(), limit=limit)
    )


def send_payment(*, payment: Payment, now: datetime) -> bool:
    """Send one payment; says whether it is confirmed. In doubt it is sent again under its token."""
    market = marketplace_of(payment.assignment.hit.hit_type.provider)
    attempted = payment.attempted_at
    Payment.objects.filter(
        pk=payment.pk, state__in=[PaymentState.PENDING, PaymentState.SENT]
    ).update(state=PaymentState.SENT, attempted_at=attempted or now)
    try:
        if payment.kind == PaymentKind.REWARD:
            overrides = payment.assignment.refused_at is not None
            market.approve(payment.assignment.external_id, override=overrides)
        elif not (_token_forgotten(payment, now) and market.find_bonus(_bonus(payment))):
            market.send_bonus(_bonus(payment))
    except ProviderInDoubt as doubt:
        Payment.objects.filter(pk=payment.pk).update(error=str(doubt), leased_until=None)
        return False
    except ProviderRefused as refused:
        _fail(payment, str(refused), now)
        return False
    return _confirm(payment, now)


def _token_forgotten(payment: Payment, now: datetime) -> bool:
    """Whether an attempt may have been made so long ago that its token protects us no more: by us or,
    where the database was restored from a backup, in the history that it has lost."""
    earliest = min(payment.attempted_at or now, payment.assignment.submitted_at)
    return now - earliest >= TOKEN_MEMORY


def _bonus(payment: Payment) -> Bonus:
    return Bonus(
        token=payment.token,
        worker=payment.assignment.worker.external_id,
        assignment=payment.assignment.external_id,
        amount_cents=payment.amount_cents,
        reason=payment.reason,
    )


@transaction.atomic
def _confirm(payment: Payment, now: datetime) -> bool:
    row = Payment.objects.select_for_update().get(pk=payment.pk)
    if row.state != PaymentState.SENT:
        return False
    row.state, row.confirmed_at, row.leased_until, row.error = PaymentState.CONFIRMED, now, None, ""
    row.save(update_fields=["state", "confirmed_at", "leased_until", "error"])
    settle(payment=row, hit=payment.assignment.hit, now=now)
    return True


@transaction.atomic
def _fail(payment: Payment, error: str, now: datetime) -> None:
    """Refused for good: the money is free again, and the debt stays visible as failed."""
    row = Payment.objects.select_for_update().get(pk=payment.pk)
    if row.state != PaymentState.SENT:
        return
    row.state, row.error, row.leased_until = PaymentState.FAILED, error, None
    row.save(update_fields=["state", "error", "leased_until"])
    release(
        hit=payment.assignment.hit,
        key=f"release:{row.token}",
        amount_cents=row.amount_cents,
        fee_cents=row.fee_cents,
        now=now,
        payment=row,
    )
    log_state_change(
        instance=row, old="sent", new="failed", actor="marketplace", now=now, reason=error
    )


def release_held_payments(*, now: datetime, limit: int = BITE) -> int:
    """Set aside the money for payments that waited for budget, oldest first; returns how many."""
    freed = 0
    for pk in (
        Payment.objects.filter(state=PaymentState.HELD)
        .order_by("pk")
        .values_list("pk", flat=True)[:limit]
    ):
        with transaction.atomic():
            payment = Payment.objects.select_for_update().get(pk=pk)
            hit = Hit.objects.get(assignments=payment.assignment_id)
            if payment.state != PaymentState.HELD:
                continue
            if not set_aside_payment(payment=payment, hit=hit, now=now):
                return freed
            freed += 1
    return freed


def send_due_rejections(*, clock: Callable[[], datetime], limit: int = BITE) -> int:
    """Tell the marketplace of rejections; returns how many it took."""
    due = Assignment.objects.filter(state=AssignmentState.REJECTING).select_related("hit__hit_type")
    return sum(_reject(one, clock()) for one in take_leases(due, now=clock(), limit=limit))


def _reject(assignment: Assignment, now: datetime) -> bool:
    market = marketplace_of(assignment.hit.hit_type.provider)
    try:
        market.reject(assignment.external_id, reason=assignment.decision_reason)
    except ProviderInDoubt:
        return False
    except ProviderRefused as refused:
        return _reconcile(assignment, refused, now)
    return _move(assignment, AssignmentState.REJECTED, now, decided_at=now)


def _reconcile(assignment: Assignment, refused: ProviderRefused, now: datetime) -> bool:
    """The rejection will never be taken: if the work is approved there it is paid; otherwise a person
    decides again, and sees why. Says whether anything moved."""
    market = marketplace_of(assignment.hit.hit_type.provider)
    try:
        theirs = market.state_of(assignment.external_id)
    except ProviderInDoubt:
        return False
    except ProviderRefused:
        theirs = AssignmentState.SUBMITTED
    if theirs == AssignmentState.APPROVED:
        take_their_decision(assignment=assignment, theirs=theirs, now=now)
        return True
    return _move(assignment, AssignmentState.SUBMITTED, now, error=str(refused))


def _move(assignment: Assignment, new: str, now: datetime, **fields: Any) -> bool:
    try:
        change_state(
            instance=assignment,
            new=new,
            moves=MOVES,
            actor="marketplace",
            now=now,
            leased_until=None,
            **fields,
        )
    except MoveRefused:
        return False  # overturned while the rejection was on its way: the approval overrides it
    return True
