"""Close payments that the marketplace rejected."""

from datetime import datetime

from audit.domain.change_state import Transitions, change_state
from crowd.enums import PaymentState
from crowd.models import Payment

TRANSITIONS: Transitions = {PaymentState.FAILED: [PaymentState.CLOSED]}


def close_payment(*, payment: Payment, actor: str, reason: str, now: datetime) -> None:
    """Record that nothing is left to do about a rejected payment. A repeat does nothing.

    No money moves: the rejection released the reservation, and a closed payment is never sent. Raise
    TransitionNotAllowedError if the payment has not failed.
    """
    change_state(
        instance=payment,
        new=PaymentState.CLOSED,
        transitions=TRANSITIONS,
        actor=actor,
        now=now,
        reason=reason,
    )
