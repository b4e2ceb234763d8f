"""The ledger, whose sums match the state, whose caps hold and whose entries are immutable."""

import pytest
from django.db import DatabaseError, IntegrityError, transaction
from django.db.models import Sum
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from crowd.domain.money.decide_assignment import BonusAward, approve_assignment, reject_assignment
from crowd.domain.money.ledger import (
    BudgetExceededError,
    Movement,
    reserve,
    reserved_cents_left,
    settle,
)
from crowd.domain.money.send_payments import release_held_payments
from crowd.enums import AssignmentState, LedgerKind, PaymentState
from crowd.models import Budget, LedgerEntry, Payment
from tests.crowd.factories import NOW, make_assignment, make_budget, make_hits, make_live_hit

# Reward of 5, fee of 1, allowance of 18 and fee of 4 for one assignment of the default HIT.
PLACE_CENTS = 28


def balance(budget: Budget) -> tuple[int, int]:
    """Return the reserved and the spent cents, computed from the entries alone."""
    sums = dict.fromkeys(LedgerKind.values, 0)
    for entry in LedgerEntry.objects.filter(budget=budget):
        sums[entry.kind] += entry.amount_cents + entry.fee_cents
    return sums["reserve"] - sums["release"] - sums["settle"], sums["settle"]


def cached(budget: Budget) -> tuple[int, int]:
    budget.refresh_from_db()
    return budget.reserved_cents, budget.spent_cents


def confirm(payment: Payment) -> None:
    payment.state, payment.confirmed_at = PaymentState.CONFIRMED, NOW
    payment.save()
    settle(payment=payment, hit=payment.assignment.hit, now=NOW)


@pytest.mark.django_db
def test_publishing_reserves_reward_allowance_and_fees():
    budget = make_budget()
    make_hits(3, budget=budget)
    assert cached(budget) == balance(budget) == (3 * 2 * PLACE_CENTS, 0)


@pytest.mark.django_db
def test_publishing_above_the_cap_creates_nothing():
    budget = make_budget(cap_cents=3 * 2 * PLACE_CENTS - 1)
    with pytest.raises(BudgetExceededError, match=r"1\.67 dollars left; this needs 1\.68"):
        make_hits(3, budget=budget)
    assert cached(budget) == (0, 0)
    assert not budget.hits.exists()


@pytest.mark.django_db
def test_approval_reserves_only_the_amount_due():
    hit = make_live_hit()
    approve_assignment(
        assignment=make_assignment(hit), bonus=BonusAward(11, "4 questions"), actor="me", now=NOW
    )
    owed = (5 + 1) + (11 + 2)
    assert cached(hit.budget) == balance(hit.budget) == (PLACE_CENTS + owed, 0)
    for payment in Payment.objects.all():
        confirm(payment)
    assert cached(hit.budget) == balance(hit.budget) == (PLACE_CENTS, owed)


@pytest.mark.django_db
def test_approving_twice_pays_once():
    assignment = make_assignment()
    for _ in range(2):
        approve_assignment(
            assignment=assignment, bonus=BonusAward(11, "4 questions"), actor="me", now=NOW
        )
    assert sorted(Payment.objects.values_list("kind", "amount_cents")) == [
        ("bonus", 11),
        ("reward", 5),
    ]
    assert cached(assignment.hit.budget) == balance(assignment.hit.budget)


@pytest.mark.django_db
def test_settling_twice_adds_one_entry():
    assignment = make_assignment()
    approve_assignment(assignment=assignment, bonus=None, actor="me", now=NOW)
    payment = Payment.objects.get()
    confirm(payment)
    settle(payment=payment, hit=assignment.hit, now=NOW)
    assert cached(assignment.hit.budget) == (PLACE_CENTS, 6)


@pytest.mark.django_db
def test_generation_with_a_bonus_has_entries_for_each_payment_and_the_rest():
    assignment = make_assignment()
    approve_assignment(
        assignment=assignment, bonus=BonusAward(7, "4 questions"), actor="me", now=NOW
    )
    for payment in Payment.objects.all():
        settle(payment=payment, hit=assignment.hit, now=NOW)
    entries = LedgerEntry.objects.exclude(key__startswith="reserve:hit").order_by("pk")
    # Reward 5 + fee 1 and bonus 7 + fee 1, out of reserved 23 + 5.
    assert list(entries.values_list("kind", "amount_cents", "fee_cents")) == [
        ("release", 11, 3),
        ("settle", 5, 1),
        ("settle", 7, 1),
    ]


@pytest.mark.django_db
def test_bonus_above_the_cap_is_held_and_paid_once_there_is_budget():
    budget = make_budget(cap_cents=2 * PLACE_CENTS)
    assignment = make_assignment(make_live_hit(budget=budget))
    approve_assignment(
        assignment=assignment, bonus=BonusAward(500, "a great deal"), actor="me", now=NOW
    )
    bonus = Payment.objects.get(kind="bonus")
    assert bonus.state == PaymentState.HELD
    assert release_held_payments(now=NOW) == 0
    Budget.objects.filter(pk=budget.pk).update(cap_cents=10_000)
    assert release_held_payments(now=NOW) == 1
    bonus.refresh_from_db()
    assert bonus.state == PaymentState.PENDING
    assert cached(budget) == balance(budget) == (PLACE_CENTS + 6 + 600, 0)


@pytest.mark.django_db
def test_rejection_releases_its_reservation_and_needs_a_reason():
    hit = make_live_hit()
    assignment = make_assignment(hit)
    with pytest.raises(ValueError, match="Enter a reason"):
        reject_assignment(assignment=assignment, reason=" ", actor="me", now=NOW)
    reject_assignment(assignment=assignment, reason="Only the first verb.", actor="me", now=NOW)
    assignment.refresh_from_db()
    assert assignment.state == AssignmentState.REJECTING
    assert cached(hit.budget) == balance(hit.budget) == (PLACE_CENTS, 0)


@pytest.mark.django_db
def test_late_work_is_payable_after_the_release():
    hit = make_live_hit()
    left = reserved_cents_left(hits=[hit])[hit.pk]
    LedgerEntry.objects.create(
        budget=hit.budget, kind="release", amount_cents=left, fee_cents=0, key="x", hit=hit, at=NOW
    )
    Budget.objects.update(reserved_cents=0)
    approve_assignment(assignment=make_assignment(hit), bonus=None, actor="me", now=NOW)
    assert cached(hit.budget) == balance(hit.budget) == (6, 0)


@pytest.mark.django_db
def test_entries_cannot_be_changed():
    (hit,) = make_hits()
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        LedgerEntry.objects.filter(hit=hit).update(amount_cents=0)


@pytest.mark.django_db
def test_database_enforces_the_cap():
    budget = make_budget(cap_cents=100)
    with pytest.raises(IntegrityError), transaction.atomic():
        Budget.objects.filter(pk=budget.pk).update(spent_cents=60, reserved_cents=41)


class AnyOrderOfOperations(TestCase):
    @given(
        cap=st.integers(2 * PLACE_CENTS, 400),
        steps=st.lists(
            st.tuples(
                st.sampled_from(["publish", "approve", "reject", "confirm", "raise", "extra"]),
                st.integers(0, 60),
            ),
            max_size=25,
        ),
    )
    def test_sums_equal_state_and_no_cap_is_exceeded(self, cap, steps):
        budget = make_budget(cap_cents=cap)
        assignments = []
        for step, number in steps:
            try:
                with transaction.atomic():
                    assignments += self._take(step, number, budget, assignments)
            except BudgetExceededError:
                pass
            reserved, spent = cached(budget)
            assert (reserved, spent) == balance(budget)
            assert reserved >= 0
            assert reserved + spent <= budget.cap_cents
        settled = LedgerEntry.objects.filter(budget=budget, kind="settle")
        confirmed = Payment.objects.filter(
            assignment__hit__budget=budget, state=PaymentState.CONFIRMED
        )
        total = settled.aggregate(a=Sum("amount_cents", default=0))["a"]
        assert total == confirmed.aggregate(a=Sum("amount_cents", default=0))["a"]

    def _take(self, step, number, budget, assignments):
        if step == "publish":
            hit = make_live_hit(budget=budget)
            return [make_assignment(hit), make_assignment(hit)]
        if step == "raise":
            Budget.objects.filter(pk=budget.pk).update(cap_cents=budget.cap_cents + number)
            release_held_payments(now=NOW)
        elif step == "confirm":
            for payment in Payment.objects.filter(
                assignment__hit__budget=budget, state=PaymentState.PENDING
            )[:1]:
                confirm(payment)
        elif step == "extra" and assignments:
            hit = assignments[0].hit
            reserve(movement=Movement(hit, f"extra-{number}", number, 0), now=NOW)
        elif assignments:
            self._decide(step, assignments[number % len(assignments)], number)
        return []

    def _decide(self, step, assignment, number):
        assignment.refresh_from_db()
        if assignment.state != AssignmentState.SUBMITTED:
            return
        if step == "approve":
            bonus = BonusAward(number, "units") if number else None
            approve_assignment(assignment=assignment, bonus=bonus, actor="me", now=NOW)
        else:
            reject_assignment(assignment=assignment, reason="no", actor="me", now=NOW)
