"""The ledger: entries, balance, holds and payments always agree."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.models import F, Sum
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from jobs.models import SweepFailure
from marketplace.domain import access_keys, ledger
from marketplace.domain.errors import InvalidParameterError, RefusalError
from marketplace.domain.hits import hits
from marketplace.domain.hits.hit_types import register_hit_type
from marketplace.domain.money import fee_cents, fee_rate, format_cents, parse_amount
from marketplace.domain.tokens import TokenUsedError
from marketplace.domain.work import accept_hit, bonuses, maintenance, review, work
from marketplace.domain.work.review_policies.parameters import (
    KNOWN_ANSWERS,
    PLURALITY,
    attach,
    parse_policy,
)
from marketplace.enums import ReviewPolicyLevel
from marketplace.models import Assignment, Hit, HitType, LedgerEntry, Requester

from .conftest import make_requester, make_worker, question

RATE = Decimal("0.20")


@given(st.integers(0, 10**9))
def test_amounts_survive_formatting_and_parsing(cents):
    assert parse_amount(format_cents(cents), field="Reward") == cents


@pytest.mark.parametrize("text", ["", "0.125", "-1", "+1", "1,5", " 1", "1e2", ".5", "٣", "1" * 10])
def test_malformed_amount_is_refused(text):
    with pytest.raises(InvalidParameterError):
        parse_amount(text, field="Reward")


@pytest.mark.parametrize(
    ("amount", "fee"), [(0, 1), (1, 1), (2, 1), (5, 1), (7, 1), (8, 2), (12, 2), (13, 3), (100, 20)]
)
def test_fee_is_rounded_half_up_and_at_least_a_cent(amount, fee):
    assert fee_cents(amount, RATE) == fee


def test_half_a_cent_is_rounded_up():
    assert fee_cents(25, Decimal("0.10")) == 3
    assert fee_cents(15, Decimal("0.10")) == 2


@given(st.integers(0, 10**7))
def test_fee_grows_with_the_amount_and_stays_near_the_rate(amount):
    fee = fee_cents(amount, RATE)
    assert fee <= fee_cents(amount + 1, RATE)
    assert fee == 1 or abs(fee - amount * RATE) <= Decimal("0.5")


def test_ten_assignments_cost_the_higher_rate():
    rates = {"few": Decimal("0.2"), "many": Decimal("0.4")}
    assert fee_rate(9, **rates) == rates["few"]
    assert fee_rate(10, **rates) == rates["many"]


@pytest.mark.django_db
def test_entries_cannot_be_changed():
    make_requester()
    entry = LedgerEntry.objects.get()
    entry.amount_cents = 1
    with pytest.raises(TypeError):
        entry.save()
    with pytest.raises(TypeError):
        entry.delete()
    with pytest.raises(TypeError):
        LedgerEntry.objects.update(amount_cents=1)
    with pytest.raises(TypeError):
        LedgerEntry.objects.all().delete()
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE marketplace_ledgerentry SET amount_cents = 1")
    assert LedgerEntry.objects.get().amount_cents == 100_000


@pytest.mark.django_db
def test_held_money_cannot_be_withdrawn():
    lab = make_requester(dollars=1)[0]
    publish_in_domain(lab, reward_cents=50)
    with pytest.raises(RefusalError):
        ledger.deposit(requester=lab, amount_cents=-50, note="", now=timezone.now())
    ledger.deposit(requester=lab, amount_cents=-40, note="", now=timezone.now())
    lab.refresh_from_db()
    assert (lab.balance_cents, lab.held_cents, lab.available_cents) == (60, 60, 0)


@pytest.mark.django_db
def test_database_refuses_to_overspend():
    lab = make_requester(dollars=1)[0]
    with pytest.raises(DatabaseError), transaction.atomic():
        Requester.objects.filter(pk=lab.pk).update(held_cents=101)
    with pytest.raises(DatabaseError), transaction.atomic():
        Requester.objects.filter(pk=lab.pk).update(balance_cents=-1)


@pytest.mark.django_db
def test_database_refuses_inconsistent_counters():
    hit = publish_in_domain(make_requester()[0])
    for counters in (
        {"available": 2},
        {"pending": 1},
        {"available": 0},
        {"open": True, "available": 0},
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            Hit.objects.filter(pk=hit.pk).update(**counters)


def make_hit_type(lab, reward_cents, now) -> HitType:
    values = HitType(
        requester=lab,
        title="t",
        description="d",
        reward_cents=reward_cents,
        duration_seconds=600,
        auto_approval_seconds=86_400,
    )
    return register_hit_type(values, now=now)


def publish_in_domain(lab, *, reward_cents=5, assignments=1, token=None, now=None) -> Hit:
    now = now or timezone.now()
    return hits.create_hit(
        hit_type=make_hit_type(lab, reward_cents, now),
        question=question(),
        max_assignments=assignments,
        lifetime_seconds=3600,
        token=token,
        now=now,
    )


#: Policies that reject, extend and approve.
POLICIES = [
    (
        ReviewPolicyLevel.ASSIGNMENT,
        KNOWN_ANSWERS,
        [
            {"Key": "AnswerKey", "MapEntries": [{"Key": "answer", "Values": ["x"]}]},
            {"Key": "RejectIfKnownAnswerScoreIsLessThan", "Values": ["100"]},
            {"Key": "ExtendIfKnownAnswerScoreIsLessThan", "Values": ["100"]},
            {"Key": "ExtendMaximumAssignments", "Values": ["25"]},
            {"Key": "ExtendMinimumTimeInSeconds", "Values": ["7200"]},
        ],
    ),
    (
        ReviewPolicyLevel.HIT,
        PLURALITY,
        [
            {"Key": "QuestionIds", "Values": ["answer"]},
            {"Key": "QuestionAgreementThreshold", "Values": ["50"]},
            {"Key": "ApproveIfWorkerAgreementScoreIsAtLeast", "Values": ["100"]},
        ],
    ),
]


class Campaign(RuleBasedStateMachine):
    """A requester, two workers and a clock that act at random. The money always agrees."""

    @initialize()
    def open(self) -> None:
        self.now = timezone.now()
        self.lab = access_keys.open_account(name="lab", balance_cents=120, now=self.now)
        self.workers = [make_worker("ann"), make_worker("bob")]
        self.accepted: list[tuple[int, str]] = []
        self.submitted: list[tuple[int, str]] = []
        self.tokens = 0
        for reward in (5, 13):
            self.publish(reward, 2)

    @rule(reward=st.sampled_from([0, 5, 13]), assignments=st.sampled_from([1, 2, 10]))
    def publish(self, reward, assignments) -> None:
        self._try(publish_in_domain, self.lab, reward_cents=reward, assignments=assignments)

    @rule(reward=st.sampled_from([5, 13]), assignments=st.sampled_from([1, 2, 9]))
    def publish_with_policies(self, reward, assignments) -> None:
        with transaction.atomic():
            hit = self._try(
                publish_in_domain, self.lab, reward_cents=reward, assignments=assignments
            )
            if hit:
                attach([parse_policy(*policy) for policy in POLICIES], hit)

    @rule(index=st.integers(0, 1))
    def accept(self, index) -> None:
        hit = Hit.objects.filter(open=True).first()
        if hit is None:
            return
        worker, kind = self.workers[index], hit.hit_type.code
        worker.refresh_from_db()
        code = self._try(accept_hit.accept_next, worker=worker, hit_type_code=kind)
        if code:
            self.accepted.append((index, code))

    @rule(
        index=st.integers(0, 1),
        accepts_first=st.booleans(),
        answer=st.sampled_from(["x", "y"]),
        data=st.data(),
    )
    def submit(self, index, accepts_first, answer, data) -> None:
        if accepts_first:
            self.accept(index)
        if not self.accepted:
            return
        index, code = (
            self.accepted[-1] if accepts_first else data.draw(st.sampled_from(self.accepted))
        )
        worker = self.workers[index].code
        fields = [("answer", answer)]
        self._try(work.submit, worker_code=worker, assignment_code=code, fields=fields)
        if Assignment.objects.get(code=code).status == "Submitted":
            self.submitted.append((index, code))

    @precondition(lambda self: self.accepted)
    @rule(data=st.data())
    def give_back(self, data) -> None:
        index, code = data.draw(st.sampled_from(self.accepted))
        self._try(work.return_assignment, worker=self.workers[index], assignment_code=code)

    @precondition(lambda self: self.submitted)
    @rule(data=st.data(), override=st.booleans())
    def approve(self, data, override) -> None:
        _, code = data.draw(st.sampled_from(self.submitted))
        decision = {"assignment_code": code, "feedback": "", "override": override}
        self._try(review.approve, requester=self.lab, **decision)

    @precondition(lambda self: self.submitted)
    @rule(data=st.data())
    def reject(self, data) -> None:
        _, code = data.draw(st.sampled_from(self.submitted))
        self._try(review.reject, requester=self.lab, assignment_code=code, feedback="no")

    @precondition(lambda self: self.submitted)
    @rule(data=st.data(), cents=st.integers(1, 9), repeat=st.booleans())
    def bonus(self, data, cents, repeat) -> None:
        index, code = data.draw(st.sampled_from(self.submitted))
        self.tokens += 1
        bonus = {
            "requester": self.lab,
            "worker_code": self.workers[index].code,
            "assignment_code": code,
            "amount_cents": cents,
            "reason": "r",
            "token": f"t{self.tokens}",
        }
        payment = self._try(bonuses.send_bonus, **bonus)
        if payment and repeat:
            with pytest.raises(TokenUsedError):
                bonuses.send_bonus(**bonus, now=self.now)

    @precondition(lambda self: Hit.objects.exists())
    @rule(data=st.data(), seconds=st.sampled_from([-1, 60, 7200]))
    def move_the_end(self, data, seconds) -> None:
        hit = data.draw(st.sampled_from(list(Hit.objects.order_by("pk"))))
        end = self.now + timedelta(seconds=seconds)
        update = {"hit_code": hit.code, "expires_at": end}
        self._try(hits.update_expiration, requester=self.lab, **update)

    @precondition(lambda self: Hit.objects.exists())
    @rule(data=st.data(), number=st.integers(1, 3))
    def extend(self, data, number) -> None:
        hit = data.draw(st.sampled_from(list(Hit.objects.order_by("pk"))))
        request = {"hit_code": hit.code, "number": number, "token": None}
        self._try(hits.add_assignments, requester=self.lab, **request)

    @precondition(lambda self: Hit.objects.exists())
    @rule(data=st.data(), reward=st.sampled_from([1, 20]))
    def change_type(self, data, reward) -> None:
        hit = data.draw(st.sampled_from(list(Hit.objects.order_by("pk"))))
        kind = make_hit_type(self.lab, reward, self.now)
        self._try(hits.change_type, requester=self.lab, hit_code=hit.code, hit_type=kind)

    @precondition(lambda self: Hit.objects.exists())
    @rule(data=st.data())
    def delete(self, data) -> None:
        hit = data.draw(st.sampled_from(list(Hit.objects.order_by("pk"))))
        self._try(hits.delete_hit, requester=self.lab, hit_code=hit.code)

    @rule(minutes=st.sampled_from([1, 11, 61, 1500]))
    def wait(self, minutes) -> None:
        self.now += timedelta(minutes=minutes)
        maintenance.run_due(now=self.now)

    @rule(cents=st.integers(-50, 50).filter(bool))
    def deposit(self, cents) -> None:
        self._try(ledger.deposit, requester=self.lab, amount_cents=cents, note="n")

    @invariant()
    def no_row_fails(self) -> None:
        assert not SweepFailure.objects.exists()

    @invariant()
    def money_agrees(self) -> None:
        if not hasattr(self, "lab"):
            return
        lab = Requester.objects.get()
        sums = LedgerEntry.objects.aggregate(amount=Sum("amount_cents"), held=Sum("held_cents"))
        assert sums == {"amount": lab.balance_cents, "held": lab.held_cents}
        assert 0 <= lab.held_cents <= lab.balance_cents
        held_by_hits = Hit.objects.aggregate(held=Sum("held_cents"))["held"] or 0
        assert held_by_hits == lab.held_cents

    @invariant()
    def every_hit_holds_its_possible_cost(self) -> None:
        for hit in Hit.objects.all():
            undecided = Assignment.objects.filter(hit=hit, status__in=("Accepted", "Submitted"))
            needed = sum(a.cost_cents for a in undecided)
            if not hit.expiry_noted and hit.disposed_at is None:
                needed += hit.available * hit.cost_cents
            assert hit.held_cents == needed
            by_status = [undecided.filter(status=s).count() for s in ("Accepted", "Submitted")]
            assert by_status == [hit.pending, hit.submitted]

    @invariant()
    def every_approval_is_paid_exactly_once(self) -> None:
        approved = set(
            Assignment.objects.filter(status="Approved").values_list("pk", "reward_cents")
        )
        payments = LedgerEntry.objects.filter(kind="reward").values_list(
            "assignment_id", -F("amount_cents")
        )
        assert sorted(payments) == sorted(approved)

    def _try(self, act, *args, **kwargs):
        """Run an action that takes effect completely or is refused without a trace."""
        before = LedgerEntry.objects.count()
        try:
            with transaction.atomic():
                return act(*args, **kwargs, now=self.now)
        except RefusalError:
            assert LedgerEntry.objects.count() == before
            return None


class TestCampaign(TestCase):
    @pytest.mark.hypothesis
    def test_money_always_agrees(self):
        from hypothesis.stateful import run_state_machine_as_test

        class Rolled(Campaign):
            def __init__(self) -> None:
                super().__init__()
                self.point = transaction.atomic()
                self.point.__enter__()

            def teardown(self) -> None:
                transaction.set_rollback(True)
                self.point.__exit__(None, None, None)

        run_state_machine_as_test(
            Rolled,
            settings=settings(
                stateful_step_count=30,
                suppress_health_check=list(HealthCheck),
            ),
        )


@pytest.mark.django_db
def test_hit_is_returned_when_its_place_is_no_longer_affordable():
    campaign = Campaign()
    campaign.open()
    campaign.accept(0)
    index, code = campaign.accepted[0]
    hit = Hit.objects.get(assignments__code=code)
    kind = make_hit_type(campaign.lab, 20, campaign.now)
    hits.change_type(requester=campaign.lab, hit_code=hit.code, hit_type=kind, now=campaign.now)
    Requester.objects.update(balance_cents=F("held_cents"))
    before = Hit.objects.get(pk=hit.pk)
    work.return_assignment(worker=campaign.workers[index], assignment_code=code, now=campaign.now)
    after = Hit.objects.get(pk=hit.pk)
    assert (after.max_assignments, after.pending) == (before.max_assignments - 1, 0)
    assert after.open == (after.available > 0)
    campaign.every_hit_holds_its_possible_cost()
