"""Approve or reject assignments. Decisions are stored here and sent by a sweep."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from audit.domain.change_state import Transitions, change_state, log_state_change
from crowd.domain.fees import fee_cents
from crowd.domain.hit_reservations import slot_of
from crowd.domain.ledger import BudgetExceededError, offer_cents_left, release, reserve
from crowd.enums import AssignmentState, HitState, PaymentKind, PaymentState
from crowd.models import Assignment, Hit, Payment
from crowd.providers.limits import FEEDBACK, check_text

TRANSITIONS: Transitions = {
    AssignmentState.SUBMITTED: [
        AssignmentState.APPROVED,
        AssignmentState.REJECTING,
        AssignmentState.REJECTED,  # decided at the marketplace
    ],
    # A rejection may arrive after an approval at the marketplace, or be refused and decided again.
    AssignmentState.REJECTING: [
        AssignmentState.REJECTED,
        AssignmentState.APPROVED,
        AssignmentState.SUBMITTED,
    ],
    # MTurk allows a rejection to be overridden for 30 days.
    AssignmentState.REJECTED: [AssignmentState.APPROVED],
}


@dataclass(frozen=True, slots=True)
class BonusAward:
    """A payment beyond the reward. `reason` shows the worker the calculation."""

    amount_cents: int
    reason: str


def payment_token(assignment: Assignment, kind: str) -> str:
    """Return the idempotency token of a payment (at most 64 characters)."""
    return f"ts-{kind}-{assignment.worker_id}-{assignment.external_id}"[:64]


@transaction.atomic
def approve_assignment(
    *, assignment: Assignment, bonus: BonusAward | None, actor: str, now: datetime
) -> None:
    """Approve the assignment and create its payments. A repeat creates no payment of the same kind.

    The exact amounts replace the assignment's reservation. A payment beyond the cap is held until
    the cap is raised. A repeat can add a bonus, such as after an approval at the marketplace.
    Raises TransitionNotAllowedError.
    """
    assignment = Assignment.objects.select_for_update().get(pk=assignment.pk)
    existing_kinds = set(assignment.payments.values_list("kind", flat=True))
    if assignment.state != AssignmentState.APPROVED:  # or approved at the marketplace
        change_state(
            instance=assignment,
            new=AssignmentState.APPROVED,
            transitions=TRANSITIONS,
            actor=actor,
            now=now,
            decided_at=now,
        )
    hit = release_slot(assignment=assignment, now=now)
    for payment in _new_payments(hit, bonus):
        if payment.kind in existing_kinds:
            continue
        payment.assignment, payment.intended_at = assignment, now
        payment.token = payment_token(assignment, payment.kind)
        payment.save()
        set_aside_payment(payment=payment, hit=hit, now=now)


def _new_payments(hit: Hit, bonus: BonusAward | None) -> list[Payment]:
    reward = hit.hit_type.reward_cents
    fee = fee_cents(reward, max_assignments=hit.max_assignments)
    payments = [Payment(kind=PaymentKind.REWARD, amount_cents=reward, fee_cents=fee)]
    if bonus and bonus.amount_cents:
        fee = fee_cents(bonus.amount_cents)
        payments.append(
            Payment(
                kind=PaymentKind.BONUS,
                amount_cents=bonus.amount_cents,
                fee_cents=fee,
                reason=bonus.reason,
            )
        )
    return payments


@transaction.atomic
def reject_assignment(*, assignment: Assignment, reason: str, actor: str, now: datetime) -> None:
    """Reject the assignment with a reason. Raises TransitionNotAllowedError, ValueError."""
    if not reason.strip():
        raise ValueError("Enter a reason for the rejection. The worker will read it.")
    check_text("reason", reason, longest=FEEDBACK)
    change_state(
        instance=assignment,
        new=AssignmentState.REJECTING,
        transitions=TRANSITIONS,
        actor=actor,
        now=now,
        reason=reason,
        decision_reason=reason,
        refused_at=now,
        error="",
    )
    release_slot(assignment=assignment, now=now)


@transaction.atomic
def apply_provider_decision(*, assignment: Assignment, theirs: str, now: datetime) -> None:
    """Apply a decision made there. An approval pays the reward. A bonus needs our own approval."""
    row = Assignment.objects.select_for_update().get(pk=assignment.pk)
    if theirs == AssignmentState.APPROVED and not row.payments.exists():
        if row.state == AssignmentState.REJECTING:
            error = (
                "The marketplace approved the work before the rejection arrived. It will be paid."
            )
            Assignment.objects.filter(pk=row.pk).update(error=error)
        approve_assignment(assignment=row, bonus=None, actor="marketplace", now=now)
    elif theirs == AssignmentState.REJECTED and row.state == AssignmentState.SUBMITTED:
        change_state(
            instance=row,
            new=AssignmentState.REJECTED,
            transitions=TRANSITIONS,
            actor="marketplace",
            now=now,
            decided_at=now,
            refused_at=now,
            decision_reason="rejected at the marketplace",
        )
        release_slot(assignment=row, now=now)


def release_slot(*, assignment: Assignment, now: datetime) -> Hit:
    """Release the amount that was reserved for this assignment on publication. Return its HIT.

    Nothing is left to release if the work was submitted after the HIT expired. It is paid anyway.
    A finished HIT is no longer synced once all of its assignments are decided.
    """
    hit = Hit.objects.select_related("hit_type").get(pk=assignment.hit_id)
    amount, fees = slot_of(hit)
    if offer_cents_left(hits=[hit]).get(hit.pk, 0) >= amount + fees:
        release(
            hit=hit,
            key=f"release:assignment:{assignment.pk}",
            amount_cents=amount,
            fee_cents=fees,
            now=now,
        )
    if not hit.assignments.filter(state=AssignmentState.SUBMITTED).exists():
        Hit.objects.filter(pk=hit.pk, state=HitState.FINISHED).update(sync_due_at=None)
    return hit


def set_aside_payment(*, payment: Payment, hit: Hit, now: datetime) -> bool:
    """Reserve the payment's cost and return True, or hold the payment if that exceeds the cap."""
    try:
        reserve(
            hit=hit,
            key=f"reserve:{payment.token}",
            amount_cents=payment.amount_cents,
            fee_cents=payment.fee_cents,
            now=now,
            payment=payment,
        )
    except BudgetExceededError:
        state = PaymentState.HELD
    else:
        state = PaymentState.PENDING
    if payment.state != state:
        log_state_change(instance=payment, old=payment.state, new=state, actor="budget", now=now)
        payment.state = state
        payment.save(update_fields=["state"])
    return state == PaymentState.PENDING
