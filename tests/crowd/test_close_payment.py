"""A payment that the marketplace rejected is closed once, with a reason, and moves no money."""

import pytest

from audit.domain.change_state import TransitionNotAllowedError
from audit.models import StateChange
from crowd.domain.hits.create_hits import create_pending_hits
from crowd.domain.hits.queries import failures_of, pending_work
from crowd.domain.hits.sync_hits import sync_due_hits
from crowd.domain.money.close_payment import close_payment
from crowd.domain.money.decide_assignment import approve_assignment
from crowd.domain.money.ledger import reserved_cents_left
from crowd.domain.money.send_payments import release_held_payments, send_due_payments
from crowd.enums import PaymentState
from crowd.models import Budget, LedgerEntry, Payment, QualificationType
from marketplace import models as theirs
from operations.domain.alerts import current_problems
from operations.enums import AlertKind
from tests.crowd.factories import NOW, make_hits
from tests.crowd.in_process import finish, join


@pytest.fixture
def refused(wire, clock) -> Payment:
    """Return a reward that the marketplace refused."""
    (hit,) = make_hits(1, max_assignments=1)
    create_pending_hits(clock=clock)
    hit.refresh_from_db()
    finish(hit, join(1))
    clock.skip(minutes=2)
    sync_due_hits(clock=clock)
    payment_of = Payment.objects.select_related("assignment__hit__budget")
    approve_assignment(assignment=hit.assignments.get(), bonus=None, actor="ada", now=clock())
    theirs.Assignment.objects.update(status="Returned")
    assert send_due_payments(clock=clock) == 0
    payment = payment_of.get()
    assert payment.state == PaymentState.FAILED
    return payment


def close(payment: Payment, reason: str = "Paid by bank transfer.") -> None:
    close_payment(payment=payment, actor="ada", reason=reason, now=NOW)


def money() -> tuple[object, ...]:
    return (
        *Budget.objects.values_list("reserved_cents", "spent_cents").get(),
        LedgerEntry.objects.count(),
    )


def test_closed_payment_ends_the_alert_and_moves_no_money(refused, clock):
    budget, hit = refused.assignment.hit.budget, refused.assignment.hit
    before = (money(), reserved_cents_left(hits=[hit]))
    assert AlertKind.REFUSED_PAYMENTS in {problem.kind for problem in current_problems(now=NOW)}
    close(refused)
    assert AlertKind.REFUSED_PAYMENTS not in {problem.kind for problem in current_problems(now=NOW)}
    assert (money(), reserved_cents_left(hits=[hit])) == before
    none = QualificationType.objects.none()
    assert pending_work(budget=budget, qualifications=none).payments == {}
    assert failures_of(budget=budget, qualifications=none)["payments"] == []
    change = StateChange.objects.get(aggregate="crowd.Payment", new="closed")
    assert (change.old, change.actor, change.reason) == ("failed", "ada", "Paid by bank transfer.")


def test_closed_payment_is_never_sent_and_closed_once(refused, wire, clock):
    close(refused)
    close(refused, "Again.")
    wire.calls.clear()
    assert release_held_payments(now=clock()) == 0
    assert send_due_payments(clock=clock) == 0
    # A repeated decision finds the payment and creates no other.
    approve_assignment(assignment=refused.assignment, bonus=None, actor="ada", now=clock())
    assert send_due_payments(clock=clock) == 0
    assert wire.calls == []
    assert [payment.state for payment in Payment.objects.all()] == [PaymentState.CLOSED]
    assert StateChange.objects.filter(new="closed").count() == 1


@pytest.mark.parametrize("state", [PaymentState.PENDING, PaymentState.SENT, PaymentState.HELD])
def test_payment_that_may_still_be_paid_is_not_closed(refused, state):
    Payment.objects.update(state=state)
    with pytest.raises(TransitionNotAllowedError):
        close(refused)
    assert Payment.objects.get().state == state
