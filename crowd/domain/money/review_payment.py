"""Accept or decline payments that wait for review."""

from datetime import datetime

from django.db import transaction

from audit.domain.change_state import TransitionNotAllowedError, log_state_change
from crowd.domain.money.decide_assignment import (
    BonusAward,
    payment_token,
    set_aside_payment,
    state_once_reserved,
)
from crowd.domain.money.ledger import Movement, release
from crowd.domain.provider.fees import fee_cents
from crowd.enums import PaymentState
from crowd.models import Hit, Payment


@transaction.atomic
def accept_payment(*, payment: Payment, award: BonusAward, actor: str, now: datetime) -> None:
    """Let the payment be sent with the award's amount and reason, and release the rest.

    A payment that waits for budget still does. Raise TransitionNotAllowedError if the payment does
    not wait for review, and ValueError for an amount of 0 or above that of the payment.
    """
    row = _lock(payment, PaymentState.PENDING)
    if not 0 < award.amount_cents <= row.amount_cents:
        raise ValueError(f"The amount must be from 1 to {row.amount_cents} cents.")
    provider = row.assignment.hit.hit_type.provider
    fee = fee_cents(award.amount_cents, provider=provider)
    if row.state == PaymentState.REVIEW:
        rest = row.amount_cents - award.amount_cents, row.fee_cents - fee
        _release(row, f"release:part:{row.token}", *rest, now)
    row.amount_cents, row.fee_cents, row.reason = award.amount_cents, fee, award.reason
    row.needs_review = False
    old, row.state = row.state, _state_after(row)
    row.save(update_fields=["amount_cents", "fee_cents", "reason", "needs_review", "state"])
    log_state_change(instance=row, old=old, new=row.state, actor=actor, now=now)


@transaction.atomic
def decline_payment(*, payment: Payment, actor: str, reason: str, now: datetime) -> None:
    """Never send the payment, and release its reservation.

    Raise TransitionNotAllowedError if the payment does not wait for review.
    """
    row = _lock(payment, PaymentState.DECLINED)
    old = row.state
    if old == PaymentState.REVIEW:
        _release(row, f"release:{row.token}", row.amount_cents, row.fee_cents, now)
    row.state = PaymentState.DECLINED
    row.save(update_fields=["state"])
    log_state_change(instance=row, old=old, new=row.state, actor=actor, now=now, reason=reason)


@transaction.atomic
def reinstate_payment(*, payment: Payment, actor: str, now: datetime) -> None:
    """Let a declined payment be sent after all, once its cost is reserved again.

    Its token is new, because the ledger has a release under the old one. It was never sent. Raise
    TransitionNotAllowedError if the payment is not declined.
    """
    row = Payment.objects.select_for_update().select_related("assignment").get(pk=payment.pk)
    if row.state != PaymentState.DECLINED:
        raise TransitionNotAllowedError(row, row.state, PaymentState.PENDING)
    row.token = payment_token(row.assignment, "appeal")
    row.needs_review = False
    row.state = PaymentState.HELD
    row.save(update_fields=["token", "needs_review", "state"])
    log_state_change(
        instance=row, old=PaymentState.DECLINED, new=PaymentState.HELD, actor=actor, now=now
    )
    hit = Hit.objects.get(pk=row.assignment.hit_id)
    set_aside_payment(payment=row, hit=hit, now=now)


@transaction.atomic
def pay_rest(*, payment: Payment, award: BonusAward, actor: str, now: datetime) -> None:
    """Pay the rest of a bonus that was accepted in part, once its cost is reserved.

    A repeat does nothing.
    """
    row = Payment.objects.select_related("assignment__hit__hit_type").get(pk=payment.pk)
    hit = row.assignment.hit
    rest, created = Payment.objects.get_or_create(
        token=payment_token(row.assignment, "appeal"),
        defaults={
            "assignment": row.assignment,
            "kind": row.kind,
            "amount_cents": award.amount_cents,
            "fee_cents": fee_cents(award.amount_cents, provider=hit.hit_type.provider),
            "reason": award.reason,
            "state": PaymentState.HELD,
            "intended_at": now,
        },
    )
    if created:
        log_state_change(instance=rest, old="", new=rest.state, actor=actor, now=now)
        set_aside_payment(payment=rest, hit=hit, now=now)


def _lock(payment: Payment, new: str) -> Payment:
    row = Payment.objects.select_for_update().get(pk=payment.pk)
    if not row.needs_review or row.state not in (PaymentState.REVIEW, PaymentState.HELD):
        raise TransitionNotAllowedError(row, row.state, new)
    return row


def _state_after(payment: Payment) -> str:
    """Return the state of an accepted payment, which may still wait for budget."""
    is_reserved = payment.state == PaymentState.REVIEW
    return state_once_reserved(payment) if is_reserved else payment.state


def _release(payment: Payment, key: str, amount_cents: int, fee_cents: int, now: datetime) -> None:
    """Release a part of the payment's reservation."""
    if amount_cents or fee_cents:
        hit = Hit.objects.get(pk=payment.assignment.hit_id)
        # Without the payment, so that the sums by HIT count the money as released.
        release(movement=Movement(hit, key, amount_cents, fee_cents), now=now)
