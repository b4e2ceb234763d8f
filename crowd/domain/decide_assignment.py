"""A requester's word on an assignment: what it earns, or why not. Written first, sent by a sweep."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from audit.domain.change_state import Moves, change_state, log_state_change
from crowd.domain.fees import fee_cents
from crowd.domain.ledger import BudgetExceeded, offer_cents_left, release, reserve
from crowd.domain.offer_money import slot_of
from crowd.enums import AssignmentState, HitState, PaymentKind, PaymentState
from crowd.models import Assignment, Hit, Payment
from crowd.providers.limits import FEEDBACK, check_text

MOVES: Moves = {
    AssignmentState.SUBMITTED: [
        AssignmentState.APPROVED,
        AssignmentState.REJECTING,
        AssignmentState.REJECTED,  # at the marketplace, by somebody else
    ],
    # A rejection may come too late (approved there by then), or be refused and decided anew.
    AssignmentState.REJECTING: [
        AssignmentState.REJECTED,
        AssignmentState.APPROVED,
        AssignmentState.SUBMITTED,
    ],
    # MTurk lets a rejection be overridden for 30 days.
    AssignmentState.REJECTED: [AssignmentState.APPROVED],
}


@dataclass(frozen=True, slots=True)
class BonusAward:
    """What is paid beyond the reward. `reason` is read by the worker: it holds the calculation."""

    amount_cents: int
    reason: str


def payment_token(assignment: Assignment, kind: str) -> str:
    """The same for the same debt, always: <= 64 characters, and unlike any other."""
    return f"ts-{kind}-{assignment.worker_id}-{assignment.external_id}"[:64]


@transaction.atomic
def approve_assignment(
    *, assignment: Assignment, bonus: BonusAward | None, actor: str, now: datetime
) -> None:
    """Owe the worker the reward and the bonus. A repeat changes nothing; what was approved at the
    marketplace, which knows no bonus, is owed its bonus by the first call that names one. Raises
    MoveRefused.

    The money set aside for the assignment is given back, and exactly what is owed is set aside
    instead; a bonus that the budget's cap doesn't allow is held until the cap is raised.
    """
    assignment = Assignment.objects.select_for_update().get(pk=assignment.pk)
    hit = Hit.objects.select_related("hit_type").get(pk=assignment.hit_id)
    owed = set(assignment.payments.values_list("kind", flat=True))
    if assignment.state != AssignmentState.APPROVED:  # it may have been approved at the marketplace
        change_state(
            instance=assignment,
            new=AssignmentState.APPROVED,
            moves=MOVES,
            actor=actor,
            now=now,
            decided_at=now,
        )
    release_slot(assignment=assignment, hit=hit, now=now)
    look_no_more(hit=hit)
    for debt in _debts(hit, bonus):
        if debt.kind in owed:
            continue
        debt.assignment, debt.intended_at = assignment, now
        debt.token = payment_token(assignment, debt.kind)
        debt.save()
        set_aside_payment(payment=debt, hit=hit, now=now)


def _debts(hit: Hit, bonus: BonusAward | None) -> list[Payment]:
    reward = hit.hit_type.reward_cents
    fee = fee_cents(reward, max_assignments=hit.max_assignments)
    debts = [Payment(kind=PaymentKind.REWARD, amount_cents=reward, fee_cents=fee)]
    if bonus and bonus.amount_cents:
        fee = fee_cents(bonus.amount_cents)
        debts.append(
            Payment(
                kind=PaymentKind.BONUS,
                amount_cents=bonus.amount_cents,
                fee_cents=fee,
                reason=bonus.reason,
            )
        )
    return debts


@transaction.atomic
def reject_assignment(*, assignment: Assignment, reason: str, actor: str, now: datetime) -> None:
    """Refuse the work, with the reason that the worker will read. Raises MoveRefused, ValueError."""
    if not reason.strip():
        raise ValueError("A rejection needs a reason: the worker will read it.")
    check_text("reason", reason, longest=FEEDBACK)
    change_state(
        instance=assignment,
        new=AssignmentState.REJECTING,
        moves=MOVES,
        actor=actor,
        now=now,
        reason=reason,
        decision_reason=reason,
        refused_at=now,
        error="",
    )
    hit = Hit.objects.select_related("hit_type").get(pk=assignment.hit_id)
    release_slot(assignment=assignment, hit=hit, now=now)
    look_no_more(hit=hit)


def look_no_more(*, hit: Hit) -> None:
    """A finished HIT is looked at again only for the sake of what nobody has decided."""
    if not hit.assignments.filter(state=AssignmentState.SUBMITTED).exists():
        Hit.objects.filter(pk=hit.pk, state=HitState.FINISHED).update(sync_due_at=None)


@transaction.atomic
def take_their_decision(*, assignment: Assignment, theirs: str, now: datetime) -> None:
    """Follow what was decided at the marketplace: by its own rule after the delay, on appeal, or by
    somebody else who uses the account. What was approved there is paid there, whatever we think of
    it, so the reward is owed; a bonus waits for our own word."""
    row = Assignment.objects.select_for_update().get(pk=assignment.pk)
    if theirs == AssignmentState.APPROVED and not row.payments.exists():
        _approved_there(row, now)
    elif theirs == AssignmentState.REJECTED and row.state == AssignmentState.SUBMITTED:
        change_state(
            instance=row,
            new=AssignmentState.REJECTED,
            moves=MOVES,
            actor="marketplace",
            now=now,
            decided_at=now,
            refused_at=now,
            decision_reason="rejected at the marketplace",
        )
        hit = Hit.objects.select_related("hit_type").get(pk=row.hit_id)
        release_slot(assignment=row, hit=hit, now=now)
        look_no_more(hit=hit)


def _approved_there(row: Assignment, now: datetime) -> None:
    if row.state == AssignmentState.REJECTING:
        late = "The marketplace had approved the work before the rejection arrived; it is paid."
        Assignment.objects.filter(pk=row.pk).update(error=late)
    approve_assignment(assignment=row, bonus=None, actor="marketplace", now=now)


def release_slot(*, assignment: Assignment, hit: Hit, now: datetime) -> None:
    """Give back what publishing set aside for this assignment.

    Work handed in after the HIT expired finds nothing left to give back: it is payable all the same.
    """
    amount, fees = slot_of(hit)
    if offer_cents_left(hits=[hit]).get(hit.pk, 0) < amount + fees:
        return
    release(
        hit=hit,
        key=f"release:assignment:{assignment.pk}",
        amount_cents=amount,
        fee_cents=fees,
        now=now,
    )


def set_aside_payment(*, payment: Payment, hit: Hit, now: datetime) -> bool:
    """Reserve what the payment costs; without room under the cap it is held. Says which."""
    try:
        reserve(
            hit=hit,
            key=f"reserve:{payment.token}",
            amount_cents=payment.amount_cents,
            fee_cents=payment.fee_cents,
            now=now,
            payment=payment,
        )
    except BudgetExceeded:
        wanted = PaymentState.HELD
    else:
        wanted = PaymentState.PENDING
    if payment.state != wanted:
        log_state_change(instance=payment, old=payment.state, new=wanted, actor="budget", now=now)
        payment.state = wanted
        payment.save(update_fields=["state"])
    return wanted == PaymentState.PENDING
