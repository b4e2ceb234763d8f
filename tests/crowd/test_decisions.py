"""Conflicting decisions of the site and the marketplace, such as a rejection that comes too late."""

from datetime import timedelta

import pytest
from django.utils import timezone

from crowd.domain.hits.create_hits import create_pending_hits
from crowd.domain.hits.sync_hits import schedule_sync, sync_due_hits
from crowd.domain.money.decide_assignment import BonusAward, approve_assignment, reject_assignment
from crowd.domain.money.send_payments import send_due_payments, send_due_rejections
from crowd.enums import AssignmentState, HitState, PaymentState
from crowd.models import Assignment, Hit, Payment
from marketplace import models as market_models
from marketplace.domain.work import maintenance, review
from tests.crowd.factories import make_hits
from tests.crowd.in_process import finish, join
from tests.crowd.test_ledger import PLACE_CENTS, balance, cached


@pytest.fixture
def assignment(wire, clock) -> Assignment:
    (hit,) = make_hits(1, max_assignments=1)
    create_pending_hits(clock=clock)
    hit.refresh_from_db()
    finish(hit, join(1))
    clock.skip(minutes=2)
    sync_due_hits(clock=clock)
    return Assignment.objects.get()


def approve_automatically() -> None:
    """Let the marketplace approve automatically after the delay."""
    market_models.Assignment.objects.update(auto_approve_at=timezone.now())
    assert maintenance.approve_due(now=timezone.now() + timedelta(seconds=1)) == 1


def marketplace_spending() -> int:
    entries = market_models.LedgerEntry.objects.exclude(kind="deposit")
    return -sum(entries.values_list("amount_cents", flat=True))


def test_late_rejection_is_paid_and_not_repeated(assignment, wire, clock):
    reject_assignment(assignment=assignment, reason="Another verb.", actor="me", now=clock())
    approve_automatically()
    assert send_due_rejections(clock=clock) == 1
    assignment.refresh_from_db()
    assert assignment.state == AssignmentState.APPROVED
    assert "before the rejection arrived" in assignment.error
    wire.calls.clear()
    assert send_due_rejections(clock=clock) == 0
    assert wire.calls == []
    assert send_due_payments(clock=clock) == 1
    assert cached(assignment.hit.budget) == balance(assignment.hit.budget) == (0, 6)
    assert marketplace_spending() == 6


def test_refused_rejection_returns_to_review(assignment, clock):
    reject_assignment(assignment=assignment, reason="x" * 1024, actor="me", now=clock())
    # Longer than the site allows, as for an account with lower limits than MTurk's.
    Assignment.objects.filter(pk=assignment.pk).update(decision_reason="x" * 1025)
    assert send_due_rejections(clock=clock) == 1
    assignment.refresh_from_db()
    assert assignment.state == AssignmentState.SUBMITTED
    assert assignment.error == "reason: 1025 characters. The limit is 1024."
    approve_assignment(assignment=assignment, bonus=None, actor="me", now=clock())
    assert send_due_payments(clock=clock) == 1
    assert cached(assignment.hit.budget) == (0, 6)


@pytest.mark.parametrize("arrived", [True, False])
def test_overturned_rejection_is_paid_once(assignment, clock, arrived):
    reject_assignment(assignment=assignment, reason="Another verb.", actor="me", now=clock())
    if arrived:
        assert send_due_rejections(clock=clock) == 1
    bonus = BonusAward(11, "4 questions")
    approve_assignment(assignment=assignment, bonus=bonus, actor="me", now=clock())
    assert send_due_payments(clock=clock) == 2
    assert market_models.Assignment.objects.get().status == "Approved"
    assert marketplace_spending() == 6 + 13
    assert cached(assignment.hit.budget) == (0, 6 + 13)


def test_rejection_overturned_in_flight_is_paid(assignment, wire, clock):
    reject_assignment(assignment=assignment, reason="Another verb.", actor="me", now=clock())

    def overturn_meanwhile(operation):
        if operation == "RejectAssignment":
            approve_assignment(assignment=assignment, bonus=None, actor="me", now=clock())
        return ""

    wire.faults = overturn_meanwhile
    assert send_due_rejections(clock=clock) == 0
    assert send_due_payments(clock=clock) == 1
    assert market_models.Assignment.objects.get().status == "Approved"


def test_auto_approval_is_recorded(assignment, clock):
    hit = Hit.objects.get()
    assert hit.state == HitState.FINISHED
    assert hit.sync_due_at > assignment.submitted_at + timedelta(days=1)
    approve_automatically()
    clock.skip(days=1, hours=1)
    sync_due_hits(clock=clock)
    send_due_payments(clock=clock)
    assert cached(hit.budget) == (0, marketplace_spending()) == (0, 6)
    hit.refresh_from_db()
    assert hit.sync_due_at is None
    # A later approval on the site still pays the bonus, once.
    for _ in range(2):
        bonus = BonusAward(11, "4 questions")
        approve_assignment(assignment=assignment, bonus=bonus, actor="me", now=clock())
    send_due_payments(clock=clock)
    assert cached(hit.budget) == (0, marketplace_spending()) == (0, 6 + 13)


def test_appeal_won_at_the_marketplace_is_recorded(assignment, clock):
    reject_assignment(assignment=assignment, reason="Another verb.", actor="me", now=clock())
    send_due_rejections(clock=clock)
    review.overturn(
        assignment_pk=market_models.Assignment.objects.get().pk,
        note="appeal",
        now=timezone.now(),
    )
    hit = Hit.objects.get()
    assert hit.sync_due_at is None
    schedule_sync(external_ids=[hit.external_id], now=clock())
    sync_due_hits(clock=clock)
    send_due_payments(clock=clock)
    assert Payment.objects.get().state == PaymentState.CONFIRMED
    assert cached(hit.budget) == (0, marketplace_spending()) == (0, 6)


def test_rejection_at_the_marketplace_releases_its_reservation(assignment, clock):
    hit = Hit.objects.get()
    assert cached(hit.budget) == (PLACE_CENTS, 0)
    row = market_models.Assignment.objects.get()
    review.reject(
        requester=row.hit.requester, assignment_code=row.code, feedback="no", now=timezone.now()
    )
    schedule_sync(external_ids=[hit.external_id], now=clock())
    sync_due_hits(clock=clock)
    assignment.refresh_from_db()
    assert assignment.state == AssignmentState.REJECTED
    assert cached(hit.budget) == balance(hit.budget) == (0, 0)


def test_bonus_of_an_older_backup_is_not_paid_again(assignment, clock):
    """The database comes from a backup without the attempt, and the token is no longer stored."""
    bonus = BonusAward(11, "4 questions")
    approve_assignment(assignment=assignment, bonus=bonus, actor="me", now=clock())
    send_due_payments(clock=clock)
    Payment.objects.update(state=PaymentState.PENDING, confirmed_at=None, attempted_at=None)
    market_models.RequestToken.objects.all().delete()
    clock.skip(days=2)
    assert send_due_payments(clock=clock) == 2
    assert market_models.Bonus.objects.count() == 1
