"""Send payments, each exactly once, and rejections.

Payments of sessions are sent by `crowd.domain.sessions.settle_sessions`.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db import transaction

from audit.domain.change_state import TransitionNotAllowedError, change_state, log_state_change
from crowd.domain.money.decide_assignment import (
    TRANSITIONS,
    apply_provider_decision,
    set_aside_payment,
)
from crowd.domain.money.ledger import Movement, release, settle
from crowd.domain.provider.providers import hit_provider_of
from crowd.enums import AssignmentState, PaymentKind, PaymentState
from crowd.models import Assignment, Payment
from crowd.providers.base import TOKEN_MEMORY, Bonus, OutcomeUnknownError, ProviderRefusedError
from jobs.domain.lease import BATCH_SIZE
from jobs.domain.sweep import for_each_row


def send_due_payments(*, clock: Callable[[], datetime], limit: int = BATCH_SIZE) -> int:
    """Send up to `limit` payments. Return how many are now confirmed."""
    due = Payment.objects.filter(
        state__in=[PaymentState.PENDING, PaymentState.SENT], assignment__session=None
    ).select_related("assignment__hit__hit_type", "assignment__worker")
    return for_each_row(
        sweep="send payments",
        rows=due,
        process=lambda payment, now: send_payment(payment=payment, now=now),
        clock=clock,
        limit=limit,
        leased=True,
    )


def send_payment(*, payment: Payment, now: datetime) -> bool:
    """Send a payment, with the same token each time. Return True if it is confirmed."""
    market = hit_provider_of(payment.assignment.hit.hit_type.provider)
    attempted = payment.attempted_at
    Payment.objects.filter(
        pk=payment.pk, state__in=[PaymentState.PENDING, PaymentState.SENT]
    ).update(state=PaymentState.SENT, attempted_at=attempted or now)
    try:
        if payment.kind == PaymentKind.REWARD:
            overrides = payment.assignment.refused_at is not None
            market.approve(payment.assignment.external_id, override=overrides)
        elif not (_token_may_have_expired(payment, now) and market.find_bonus(_bonus(payment))):
            market.send_bonus(_bonus(payment))
    except OutcomeUnknownError as error:
        Payment.objects.filter(pk=payment.pk).update(error=str(error), leased_until=None)
        return False
    except ProviderRefusedError as refused:
        _fail(payment, str(refused), now)
        return False
    return _confirm(payment, now)


def _token_may_have_expired(payment: Payment, now: datetime) -> bool:
    """Return True if the first attempt, perhaps lost in a restore, is older than TOKEN_MEMORY."""
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
    """Mark the payment as failed and release its reservation."""
    row = Payment.objects.select_for_update().get(pk=payment.pk)
    if row.state != PaymentState.SENT:
        return
    row.state, row.error, row.leased_until = PaymentState.FAILED, error, None
    row.save(update_fields=["state", "error", "leased_until"])
    hit, key = payment.assignment.hit, f"release:{row.token}"
    release(movement=Movement(hit, key, row.amount_cents, row.fee_cents, row), now=now)
    log_state_change(
        instance=row, old="sent", new="failed", actor="marketplace", now=now, reason=error
    )


def release_held_payments(*, now: datetime) -> int:
    """Reserve the cost of held payments, oldest first in each budget. Return how many."""
    full: set[tuple[int, int | None]] = set()

    @transaction.atomic
    def release_held(held: Payment, now: datetime) -> bool:
        hit = held.assignment.hit
        budget = (hit.budget_id, hit.sub_budget_id)
        if budget in full:
            return False
        payment = Payment.objects.select_for_update().get(pk=held.pk)
        if payment.state != PaymentState.HELD:
            return False
        if set_aside_payment(payment=payment, hit=hit, now=now):
            return True
        full.add(budget)
        return False

    rows = Payment.objects.filter(state=PaymentState.HELD).select_related("assignment__hit")
    return for_each_row(
        sweep="release held payments",
        rows=rows.order_by("pk"),
        process=release_held,
        clock=lambda: now,
    )


def send_due_rejections(*, clock: Callable[[], datetime], limit: int = BATCH_SIZE) -> int:
    """Send up to `limit` rejections. Return how many assignments changed."""
    due = Assignment.objects.filter(state=AssignmentState.REJECTING).select_related("hit__hit_type")
    return for_each_row(
        sweep="send rejections", rows=due, process=_reject, clock=clock, limit=limit, leased=True
    )


def _reject(assignment: Assignment, now: datetime) -> bool:
    if assignment.session_id is not None:  # the provider only knows the session
        return _move(assignment, AssignmentState.REJECTED, now, decided_at=now)
    market = hit_provider_of(assignment.hit.hit_type.provider)
    try:
        market.reject(assignment.external_id, reason=assignment.decision_reason)
    except OutcomeUnknownError:
        return False
    except ProviderRefusedError as refused:
        return _reconcile(assignment, refused, now)
    return _move(assignment, AssignmentState.REJECTED, now, decided_at=now)


def _reconcile(assignment: Assignment, refused: ProviderRefusedError, now: datetime) -> bool:
    """Pay for work approved there, or leave the decision open. Return True if it changed."""
    market = hit_provider_of(assignment.hit.hit_type.provider)
    try:
        provider_state = market.state_of(assignment.external_id)
    except OutcomeUnknownError:
        return False
    except ProviderRefusedError:
        provider_state = AssignmentState.SUBMITTED
    if provider_state == AssignmentState.APPROVED:
        apply_provider_decision(assignment=assignment, provider_state=provider_state, now=now)
        return True
    return _move(assignment, AssignmentState.SUBMITTED, now, error=str(refused))


def _move(assignment: Assignment, new: str, now: datetime, **fields: Any) -> bool:
    try:
        change_state(
            instance=assignment,
            new=new,
            transitions=TRANSITIONS,
            actor="marketplace",
            now=now,
            leased_until=None,
            **fields,
        )
    except TransitionNotAllowedError:
        return False  # approved meanwhile, which overrides the rejection
    return True
