"""Approve or reject assignments. Decisions are stored here and sent by a sweep."""

from dataclasses import asdict, dataclass
from datetime import datetime

from django.db import transaction

from audit.domain.change_state import Transitions, change_state, log_state_change
from crowd.domain.money.hit_reservations import place_cents_of
from crowd.domain.money.ledger import (
    BudgetExceededError,
    Movement,
    release,
    reserve,
    reserved_cents_left,
)
from crowd.domain.provider.fees import fee_cents
from crowd.domain.provider.providers import capabilities_of
from crowd.enums import (
    WORK_CATEGORIES,
    AssignmentState,
    HitState,
    PaymentKind,
    PaymentState,
    Provider,
)
from crowd.models import Assignment, Hit, LedgerEntry, Payment
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
    # A rejection can be overridden while the provider allows it.
    AssignmentState.REJECTED: [AssignmentState.APPROVED],
}


@dataclass(frozen=True, slots=True)
class BonusAward:
    """A payment beyond the reward. `reason` shows the worker the calculation.

    With `needs_review`, it is reserved but not sent until a person accepts it.
    """

    amount_cents: int
    reason: str
    needs_review: bool = False


def payment_token(assignment: Assignment, kind: str) -> str:
    """Return the idempotency token of a payment (at most 64 characters)."""
    return f"ts-{kind}-{assignment.worker_id}-{assignment.external_id}"[:64]


@transaction.atomic
def approve_assignment(
    *, assignment: Assignment, bonus: BonusAward | None, actor: str, now: datetime
) -> None:
    """Approve the assignment and create its payments. A repeat creates no payment of the same kind.

    A repeat can add a bonus, for example after an approval at the marketplace, which has no bonus.
    Raises TransitionNotAllowedError.
    """
    assignment = Assignment.objects.select_for_update().get(pk=assignment.pk)
    hit = Hit.objects.select_related("hit_type").get(pk=assignment.hit_id)
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
    stop_polling(hit=hit)
    new = _new_payments(hit, bonus)
    payments = [payment for payment in new if payment.kind not in existing_kinds]
    for payment in payments:
        payment.assignment, payment.intended_at = assignment, now
        payment.token = payment_token(assignment, payment.kind)
    _reserve_payments(assignment, hit, payments, now)


def _new_payments(hit: Hit, bonus: BonusAward | None) -> list[Payment]:
    reward = hit.hit_type.reward_cents
    provider = hit.hit_type.provider
    fee = fee_cents(reward, provider=provider, max_assignments=hit.max_assignments)
    payments = [Payment(kind=PaymentKind.REWARD, amount_cents=reward, fee_cents=fee)]
    if bonus and bonus.amount_cents:
        fee = fee_cents(bonus.amount_cents, provider=provider)
        payment = Payment(kind=PaymentKind.BONUS, fee_cents=fee, **asdict(bonus))
        payment.state = state_once_reserved(payment)
        payments.append(payment)
    return payments


def _reserve_payments(
    assignment: Assignment, hit: Hit, payments: list[Payment], now: datetime
) -> None:
    """Save the payments. They use the assignment's reservation, and the rest of it is released.

    Payments that it does not cover are reserved separately. One that would exceed the cap is put on hold
    until the cap is raised.
    """
    reserved = place_cents_of(hit) if has_reservation(assignment, hit) else (0, 0)
    rest_amount = reserved[0] - sum(payment.amount_cents for payment in payments)
    rest_fee = reserved[1] - sum(payment.fee_cents for payment in payments)
    is_covered = rest_amount >= 0 and rest_fee >= 0
    if reserved != (0, 0):
        amount, fee = (rest_amount, rest_fee) if is_covered else reserved
        _release_reservation(assignment, hit, amount, fee, now)
    for payment in payments:
        payment.save()
        if not is_covered:
            set_aside_payment(payment=payment, hit=hit, now=now)


def check_reason(reason: str, *, provider: str) -> None:
    """Raise ValueError if the reason is too short for the provider, or empty."""
    least = capabilities_of(provider).min_rejection_reason
    length = len(" ".join(reason.split()))
    if not length:
        raise ValueError("Enter a reason. The worker will read it.")
    if length < least:
        raise ValueError(
            f"The reason has {length} characters. {Provider(provider).label} requires {least}. "
            "Explain what was wrong and what was expected."
        )
    check_text("reason", reason, longest=FEEDBACK)


def check_category(category: str, *, provider: str) -> None:
    """Raise ValueError if the provider asks for a category, and this is none for work."""
    if not capabilities_of(provider).has_rejection_categories:
        return
    if category not in dict(WORK_CATEGORIES):
        names = ", ".join(name for name, _ in WORK_CATEGORIES)
        raise ValueError(f"Choose why the work is rejected: {names}.")


@transaction.atomic
def reject_assignment(
    *, assignment: Assignment, reason: str, category: str = "", actor: str, now: datetime
) -> None:
    """Reject the assignment, with a reason for the worker, and a category if the provider asks for it.

    Raises TransitionNotAllowedError, ValueError.
    """
    hit = Hit.objects.select_related("hit_type").get(pk=assignment.hit_id)
    provider = hit.hit_type.provider
    check_reason(reason, provider=provider)
    check_category(category, provider=provider)
    change_state(
        instance=assignment,
        new=AssignmentState.REJECTING,
        transitions=TRANSITIONS,
        actor=actor,
        now=now,
        reason=reason,
        decision_reason=reason,
        decision_category=category,
        refused_at=now,
        error="",
    )
    release_place(assignment=assignment, hit=hit, now=now)
    stop_polling(hit=hit)


def stop_polling(*, hit: Hit) -> None:
    """Stop syncing a finished HIT once all of its assignments are decided."""
    if not hit.assignments.filter(state=AssignmentState.SUBMITTED).exists():
        Hit.objects.filter(pk=hit.pk, state=HitState.FINISHED).update(sync_due_at=None)


@transaction.atomic
def apply_provider_decision(*, assignment: Assignment, provider_state: str, now: datetime) -> None:
    """Apply a decision made at the marketplace, such as an automatic approval.

    An assignment approved there is paid there, so its reward is booked. A bonus requires our own
    approval.
    """
    row = Assignment.objects.select_for_update().get(pk=assignment.pk)
    if provider_state == AssignmentState.APPROVED and not row.payments.exists():
        if row.state == AssignmentState.REJECTING:
            row.error = "The work was approved there before the rejection arrived. It will be paid."
            row.save(update_fields=["error"])
        approve_assignment(assignment=row, bonus=None, actor="marketplace", now=now)
    elif provider_state == AssignmentState.REJECTED and row.state == AssignmentState.SUBMITTED:
        change_state(
            instance=row,
            new=AssignmentState.REJECTED,
            transitions=TRANSITIONS,
            actor="marketplace",
            now=now,
            decided_at=now,
            refused_at=now,
            decision_reason="rejected at the crowd provider",
        )
        hit = Hit.objects.select_related("hit_type").get(pk=row.hit_id)
        release_place(assignment=row, hit=hit, now=now)
        stop_polling(hit=hit)


def release_place(*, assignment: Assignment, hit: Hit, now: datetime) -> None:
    """Release the amount that was reserved for this assignment on publication.

    Nothing is left to release if the work was submitted after the HIT expired. It is paid anyway.
    """
    if has_reservation(assignment, hit):
        _release_reservation(assignment, hit, *place_cents_of(hit), now)


def has_reservation(assignment: Assignment, hit: Hit) -> bool:
    """Return True if the amount that was reserved for the assignment is neither used nor released."""
    is_released = LedgerEntry.objects.filter(key=_release_key(assignment)).exists()
    if is_released or assignment.payments.exists():
        return False
    return reserved_cents_left(hits=[hit]).get(hit.pk, 0) >= sum(place_cents_of(hit))


def _release_reservation(
    assignment: Assignment, hit: Hit, amount_cents: int, fee_cents: int, now: datetime
) -> None:
    if amount_cents or fee_cents:
        movement = Movement(hit, _release_key(assignment), amount_cents, fee_cents)
        release(movement=movement, now=now)


def _release_key(assignment: Assignment) -> str:
    return f"release:assignment:{assignment.pk}"


def set_aside_payment(*, payment: Payment, hit: Hit, now: datetime) -> bool:
    """Reserve the payment's cost, or hold the payment if that exceeds the cap.

    Return True if the cost was reserved.
    """
    key = f"reserve:{payment.token}"
    movement = Movement(hit, key, payment.amount_cents, payment.fee_cents, payment)
    try:
        reserve(movement=movement, now=now)
    except BudgetExceededError:
        state = PaymentState.HELD
    else:
        state = state_once_reserved(payment)
    if payment.state != state:
        log_state_change(instance=payment, old=payment.state, new=state, actor="budget", now=now)
        payment.state = state
        payment.save(update_fields=["state"])
    return state != PaymentState.HELD


def state_once_reserved(payment: Payment) -> PaymentState:
    """Return the state of a payment whose cost is reserved."""
    return PaymentState.REVIEW if payment.needs_review else PaymentState.PENDING
