"""Campaigns with random faults, in an order that depends on a seed.

The site runs its sweeps against the built-in marketplace in this process. Requests are throttled or
refused, or lost before or after they were processed. A process is killed between call and response.
Lists lag. Notifications arrive late, twice and out of order, and clocks jump. Workers, requesters and the
automatic rules of the marketplace make conflicting decisions. In the end, the ledgers of both sides must
agree.
"""

import json
import random
from collections import Counter
from contextlib import suppress
from datetime import timedelta

import pytest
from django.db.models import Sum
from django.utils import timezone

from audit.domain.change_state import TransitionNotAllowedError
from crowd.domain.handle_notifications import receive_notification
from crowd.domain.hits.create_hits import create_pending_hits
from crowd.domain.hits.manage_hits import (
    HitChangeError,
    add_assignments,
    expire_hits,
    extend_hit,
    pause_hits,
    resume_hits,
    send_due_ends,
    send_due_increases,
)
from crowd.domain.hits.sync_hits import schedule_sync, sync_due_hits
from crowd.domain.money.decide_assignment import BonusAward, approve_assignment, reject_assignment
from crowd.domain.money.ledger import BudgetExceededError
from crowd.domain.money.send_payments import (
    release_held_payments,
    send_due_payments,
    send_due_rejections,
)
from crowd.enums import AssignmentState, HitState, PaymentState
from crowd.models import Assignment, Budget, Hit, LedgerEntry, Payment
from marketplace import models as market_models
from marketplace.domain.errors import RefusalError
from marketplace.domain.notifications.notifications import document
from marketplace.domain.work import maintenance, work
from tests.crowd.factories import make_budget, make_hits
from tests.crowd.in_process import Killed, accept, finish, join
from tests.crowd.test_ledger import balance, cached

SWEEPS = (
    create_pending_hits,
    send_due_increases,
    send_due_ends,
    sync_due_hits,
    sync_due_hits,  # this sweep and the next are chosen more often, because payments need synced work
    send_due_payments,
    send_due_payments,  # and a double payment is the worst error
    send_due_rejections,
)
FAULTS = ("throttle=1", "fail=1", "timeout_after_success=1")
LAG = "lag=3600"  # every row is newer than this, so the list is empty
STEPS = 160


class Campaign:
    def __init__(self, seed: int, wire, clock) -> None:
        self.dice = random.Random(seed)
        self.wire, self.clock = wire, clock
        self.fault_rate = self.dice.uniform(0.1, 0.5)
        self.workers = [join(number) for number in range(3)]
        self.budget = make_budget(cap_cents=self.dice.choice([None, 400, 900]))
        for _ in range(self.dice.randint(2, 4)):
            with suppress(BudgetExceededError):
                make_hits(1, budget=self.budget, max_assignments=self.dice.randint(1, 3))
        if self.dice.random() < 0.5:  # otherwise they are created during the faults
            create_pending_hits(clock=clock)
        wire.faults = self.fault

    def fault(self, operation: str) -> str:
        if self.dice.random() >= self.fault_rate:
            return ""
        choices = (*FAULTS, LAG) if operation.startswith("List") else FAULTS
        return self.dice.choice(choices)

    # --- random events

    def sweep(self) -> None:
        self.wire.kill_next = self.dice.random() < 0.15
        with suppress(Killed):
            self.dice.choice(SWEEPS)(clock=self.clock, limit=self.dice.randint(1, 5))
        self.wire.kill_next = False

    def jump(self) -> None:
        self.clock.skip(minutes=self.dice.choice([1, 2, 20, 90, 1500]))

    def work(self) -> None:
        if hit := self.pick(Hit.objects.exclude(external_id=None)):
            with suppress(RefusalError):
                finish(hit, self.dice.choice(self.workers))

    def work_and_return(self) -> None:
        if hit := self.pick(Hit.objects.exclude(external_id=None)):
            worker = self.dice.choice(self.workers)
            with suppress(RefusalError):
                code = accept(hit, worker)
                work.return_assignment(worker=worker, assignment_code=code, now=timezone.now())

    def approve(self) -> None:
        if assignment := self.pick(Assignment.objects.exclude(state=AssignmentState.APPROVED)):
            self.approve_with_bonus(assignment)

    def approve_with_bonus(self, assignment: Assignment) -> None:
        bonus = BonusAward(self.dice.randint(1, 30), "questions") if assignment.pk % 4 else None
        approve_assignment(assignment=assignment, bonus=bonus, actor="me", now=self.clock())

    def reject(self) -> None:
        if assignment := self.pick(Assignment.objects.filter(state=AssignmentState.SUBMITTED)):
            with suppress(TransitionNotAllowedError):
                reject_assignment(assignment=assignment, reason="no", actor="me", now=self.clock())

    def approve_automatically(self) -> None:
        if assignment := self.pick(market_models.Assignment.objects.filter(status="Submitted")):
            market_models.Assignment.objects.filter(pk=assignment.pk).update(
                auto_approve_at=timezone.now()
            )
            maintenance.approve_due(now=timezone.now() + timedelta(seconds=1))

    def pause_or_resume(self) -> None:
        act = self.dice.choice([pause_hits, resume_hits])
        act(hits=Hit.objects.filter(pk__in=self.pick_hits()), now=self.clock())

    def expire(self) -> None:
        expire_hits(
            hits=Hit.objects.filter(pk__in=self.pick_hits()[:1]), actor="me", now=self.clock()
        )

    def extend(self) -> None:
        if hit := self.pick(Hit.objects.all()):
            with suppress(BudgetExceededError):
                end = self.clock() + timedelta(days=self.dice.randint(1, 20))
                extend_hit(hit=hit, ends_at=end, now=self.clock())

    def add(self) -> None:
        if hit := self.pick(Hit.objects.all()):
            with suppress(BudgetExceededError, HitChangeError):
                add_assignments(hit=hit, number=1, now=self.clock())

    def notify(self) -> None:
        rows = list(market_models.Notification.objects.all())
        for row in self.dice.choices(rows, k=3) if rows else []:
            body = json.dumps(document(row)).encode()
            receive_notification(body=body, headers={}, now=self.clock())

    def pick(self, rows):
        candidates = list(rows.order_by("pk"))
        return self.dice.choice(candidates) if candidates else None

    def pick_hits(self) -> list[int]:
        pks = list(Hit.objects.order_by("pk").values_list("pk", flat=True))
        return self.dice.sample(pks, k=self.dice.randint(0, len(pks)))

    # --- the campaign

    def run(self) -> None:
        acts = (
            [self.sweep] * 16
            + [self.work] * 4
            + [self.approve] * 4
            + [self.jump, self.notify] * 2
            + [self.work_and_return, self.reject, self.approve_automatically, self.pause_or_resume]
            + [self.expire, self.extend, self.add]
        )
        for _ in range(STEPS):
            self.dice.choice(acts)()

    def end(self) -> None:
        """Stop the faults, end all offers and decide all assignments."""
        self.wire.faults = lambda operation: ""
        Budget.objects.update(cap_cents=None)
        self.settle()
        resume_hits(hits=Hit.objects.all(), now=self.clock())
        expire_hits(hits=Hit.objects.all(), actor="me", now=self.clock())
        self.settle()
        self.clock.skip(days=400)
        for _ in range(2):
            self.settle()
            for assignment in Assignment.objects.filter(state=AssignmentState.SUBMITTED):
                self.approve_with_bonus(assignment)
        self.settle()

    def settle(self) -> None:
        for _ in range(6):
            ids = Hit.objects.exclude(external_id=None).values_list("external_id", flat=True)
            schedule_sync(external_ids=ids, now=self.clock())
            self.clock.skip(minutes=3)
            release_held_payments(now=self.clock())
            for sweep in SWEEPS:
                sweep(clock=self.clock, limit=100)


def check(campaign: Campaign) -> None:
    check_hits()
    check_assignments()
    check_ledgers(campaign.budget)


def check_hits() -> None:
    tokens = Counter(market_models.Hit.objects.values_list("annotation", flat=True))
    assert not Hit.objects.filter(state__in=[HitState.PENDING, HitState.LIVE, HitState.FAILED])
    created = Hit.objects.exclude(state=HitState.WITHDRAWN)
    assert tokens == dict.fromkeys(created.values_list("token", flat=True), 1)
    sizes = market_models.Hit.objects.values_list("code", "max_assignments")
    assert dict(sizes) == dict(created.values_list("external_id", "max_assignments"))


def check_assignments() -> None:
    submitted = market_models.Assignment.objects.exclude(submitted_at=None)
    states = {row.code: row.status.lower() for row in submitted}
    ours = {assignment.external_id: assignment.state for assignment in Assignment.objects.all()}
    assert ours == states
    assert set(ours.values()) <= {"approved", "rejected"}
    rewards = Counter(
        Payment.objects.filter(kind="reward").values_list("assignment__external_id", flat=True)
    )
    assert rewards == {code: 1 for code, state in states.items() if state == "approved"}
    assert set(Payment.objects.values_list("state", flat=True)) <= {PaymentState.CONFIRMED}


def check_ledgers(budget: Budget) -> None:
    bonuses = Payment.objects.filter(kind="bonus")
    assert sorted(bonuses.values_list("assignment__external_id", "amount_cents")) == sorted(
        market_models.Bonus.objects.values_list("assignment__code", "amount_cents")
    )
    entries = market_models.LedgerEntry.objects.exclude(kind="deposit")
    paid_at_marketplace = -(entries.aggregate(cents=Sum("amount_cents"))["cents"] or 0)
    settled = LedgerEntry.objects.filter(kind="settle")
    paid_here = sum(entry.amount_cents + entry.fee_cents for entry in settled)
    assert paid_here == paid_at_marketplace
    assert cached(budget) == balance(budget) == (0, paid_here)


def run_campaign(seed: int, wire, clock) -> None:
    campaign = Campaign(seed, wire, clock)
    campaign.run()
    campaign.end()
    check(campaign)


@pytest.mark.parametrize("seed", range(2))
def test_ledgers_agree_after_a_campaign_of_faults(wire, clock, settings, seed):
    settings.MTURK_NOTIFICATIONS = "webhook"
    run_campaign(seed, wire, clock)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 208))
def test_ledgers_agree_after_any_campaign_of_faults(wire, clock, settings, seed):
    settings.MTURK_NOTIFICATIONS = "webhook"
    run_campaign(seed, wire, clock)
