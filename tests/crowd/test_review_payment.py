"""Bonuses that need review are reserved, counted by the budget, and paid at most once."""

from datetime import timedelta

import pytest

from audit.domain.change_state import TransitionNotAllowedError
from crowd.domain.money.decide_assignment import BonusAward, approve_assignment
from crowd.domain.money.hit_reservations import release_unused
from crowd.domain.money.ledger import reserved_cents_left, set_cap
from crowd.domain.money.review_payment import accept_payment, decline_payment
from crowd.domain.money.send_payments import release_held_payments, send_due_payments
from crowd.enums import PaymentState
from crowd.models import Budget, Hit, Payment
from tests.crowd.factories import NOW, make_assignment, make_budget, make_live_hit

pytestmark = pytest.mark.django_db

# The reward is 5 and its fee 1, the allowance 18 and its fee 4, so 28 cents for each of two assignments.
PLACE_CENTS = 28


def held_bonus(cents: int, *, cap: int | None = None) -> tuple[Hit, Payment]:
    """Create a HIT with one approved assignment whose bonus needs review."""
    hit = make_live_hit(budget=make_budget(cap_cents=cap))
    award = BonusAward(cents, "Thank you!", needs_review=True)
    approve_assignment(assignment=make_assignment(hit), bonus=award, actor="test", now=NOW)
    return hit, Payment.objects.get(kind="bonus")


def reserved(hit: Hit) -> int:
    return Budget.objects.get(pk=hit.budget_id).reserved_cents


def award(cents: int) -> BonusAward:
    return BonusAward(cents, "A part of it.")


def test_held_bonus_is_reserved_and_not_sent(wire):
    hit, payment = held_bonus(10)
    assert payment.state == PaymentState.REVIEW
    # The reward and the bonus with their fees, and the other assignment.
    assert reserved(hit) == 6 + 12 + PLACE_CENTS
    assert reserved_cents_left(hits=[hit]) == {hit.pk: PLACE_CENTS}
    Payment.objects.filter(kind="reward").update(state="confirmed", confirmed_at=NOW)
    send_due_payments(clock=lambda: NOW)
    payment.refresh_from_db()
    assert (payment.state, payment.attempted_at) == (PaymentState.REVIEW, None)


def test_end_of_the_hit_leaves_the_held_bonus_reserved():
    hit, _ = held_bonus(10)
    release_unused(hits=[hit], now=NOW)
    assert reserved(hit) == 6 + 12


@pytest.mark.parametrize(("cents", "fee"), [(10, 2), (4, 1), (1, 1)])
def test_accepted_part_is_sent_and_the_rest_released(cents, fee):
    hit, payment = held_bonus(10)
    accept_payment(payment=payment, award=award(cents), actor="ada", now=NOW)
    payment.refresh_from_db()
    assert (payment.state, payment.amount_cents, payment.fee_cents) == ("pending", cents, fee)
    assert reserved(hit) == 6 + cents + fee + PLACE_CENTS
    assert reserved_cents_left(hits=[hit]) == {hit.pk: PLACE_CENTS}


def test_declined_bonus_releases_its_money():
    hit, payment = held_bonus(10)
    decline_payment(payment=payment, actor="ada", reason="Copies.", now=NOW)
    payment.refresh_from_db()
    assert payment.state == PaymentState.DECLINED
    assert reserved(hit) == 6 + PLACE_CENTS
    assert reserved_cents_left(hits=[hit]) == {hit.pk: PLACE_CENTS}
    # A second approval creates no other bonus.
    assignment = payment.assignment
    approve_assignment(assignment=assignment, bonus=award(10), actor="test", now=NOW)
    assert Payment.objects.filter(kind="bonus").count() == 1


@pytest.mark.parametrize("cents", [0, 11])
def test_amount_outside_the_held_bonus_is_refused(cents):
    hit, payment = held_bonus(10)
    with pytest.raises(ValueError, match="from 1 to 10 cents"):
        accept_payment(payment=payment, award=award(cents), actor="ada", now=NOW)
    assert reserved(hit) == 6 + 12 + PLACE_CENTS


def test_second_decision_is_refused():
    _, payment = held_bonus(10)
    accept_payment(payment=payment, award=award(10), actor="ada", now=NOW)
    with pytest.raises(TransitionNotAllowedError):
        decline_payment(payment=payment, actor="ada", reason="No.", now=NOW)
    with pytest.raises(TransitionNotAllowedError):
        accept_payment(payment=payment, award=award(10), actor="ada", now=NOW)
    assert Payment.objects.get(kind="bonus").state == PaymentState.PENDING


def test_bonus_above_the_cap_needs_budget_and_then_review():
    hit, payment = held_bonus(100, cap=2 * PLACE_CENTS)
    assert payment.state == PaymentState.HELD
    set_cap(budget=hit.budget, cap_cents=None)
    assert release_held_payments(now=NOW) == 1
    payment.refresh_from_db()
    assert payment.state == PaymentState.REVIEW
    assert reserved(hit) == 6 + 120 + PLACE_CENTS
    accept_payment(payment=payment, award=award(50), actor="ada", now=NOW + timedelta(hours=1))
    assert reserved(hit) == 6 + 60 + PLACE_CENTS
    assert reserved_cents_left(hits=[hit]) == {hit.pk: PLACE_CENTS}


def test_accepted_bonus_above_the_cap_is_sent_once_there_is_budget():
    hit, payment = held_bonus(100, cap=2 * PLACE_CENTS)
    before = reserved(hit)
    accept_payment(payment=payment, award=award(10), actor="ada", now=NOW)
    assert Payment.objects.get(kind="bonus").state == PaymentState.HELD
    assert release_held_payments(now=NOW) == 1
    assert Payment.objects.get(kind="bonus").state == PaymentState.PENDING
    assert reserved(hit) == before + 12


def test_declined_bonus_above_the_cap_releases_nothing():
    hit, payment = held_bonus(100, cap=2 * PLACE_CENTS)
    before, left = reserved(hit), reserved_cents_left(hits=[hit])
    decline_payment(payment=payment, actor="ada", reason="Copies.", now=NOW)
    assert (reserved(hit), reserved_cents_left(hits=[hit])) == (before, left)
    assert release_held_payments(now=NOW) == 0
