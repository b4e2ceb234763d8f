"""The site against the built-in marketplace, over real HTTP with injected faults."""

from collections import Counter
from datetime import timedelta

import pytest
from django.db.models import Sum
from django.utils import timezone

from crowd.domain.hits.create_hits import create_pending_hits
from crowd.domain.hits.sync_hits import request_sync, sync_due_hits
from crowd.domain.money.decide_assignment import BonusAward, approve_assignment, reject_assignment
from crowd.domain.money.send_payments import send_due_payments, send_due_rejections
from crowd.domain.provider.providers import hit_provider_of
from crowd.domain.workers.qualifications import (
    define_qualification,
    grant_qualification,
    requirement_for,
    send_due_grants,
)
from crowd.domain.workers.register_worker import register_worker
from crowd.enums import AssignmentState, HitState, PaymentState
from crowd.models import Assignment, Hit, LedgerEntry, Payment
from crowd.providers.mturk import client as mturk
from marketplace import models as market_models
from marketplace.domain.accounts import accounts
from marketplace.domain.work import accept_hit, work
from tests.crowd.factories import make_budget, make_hits

pytestmark = pytest.mark.django_db(transaction=True)

FAULTS = [
    "",
    "throttle=0.2,seed=1",
    "fail=0.2,seed=2",
    "timeout_after_success=0.3,seed=3",
    "throttle=0.1,fail=0.1,timeout_after_success=0.2,lag=1,seed=4",
]


@pytest.fixture
def market(live_server, settings):
    """Return the provider, connected to the built-in marketplace on a live server."""
    settings.MTURK_ENDPOINT_URL = f"{live_server.url}/mturk/"
    settings.MARKETPLACE_URL = live_server.url
    settings.MARKETPLACE_BUILTIN_KEY = (
        settings.MTURK_ACCESS_KEY_ID,
        settings.MTURK_SECRET_ACCESS_KEY,
    )
    mturk.connect.cache_clear()
    yield hit_provider_of("mturk")
    mturk.connect.cache_clear()


class Times:
    """A clock that can be moved ahead, past leases and pauses."""

    def __init__(self) -> None:
        self._ahead = timedelta()

    def __call__(self):
        return timezone.now() + self._ahead

    def skip(self, **span: float) -> None:
        self._ahead += timedelta(**span)


def join(number: int) -> market_models.WorkerAccount:
    (invitation,) = accounts.invite(count=1, now=timezone.now())
    return accounts.sign_up(
        invitation_code=invitation.code,
        username=f"worker-{number}",
        email=f"worker-{number}@example.org",
        password="correct horse battery",
        country="US",
        subdivision="",
        is_adult=True,
        now=timezone.now(),
    )


def finish(hit: Hit, worker: market_models.WorkerAccount) -> None:
    """Accept and submit an assignment of the HIT as the worker."""
    assert hit.external_id
    code = accept_hit.accept_hit(worker=worker, hit_code=hit.external_id, now=timezone.now())
    work.submit(
        worker_code=worker.code,
        assignment_code=code,
        fields=[("content", '{"a": "<&é>"}')],
        now=timezone.now(),
    )
    request_sync(hit_id=hit.pk, now=timezone.now())


def until(is_done, sweep, clock, *, times: int = 60) -> None:
    for _ in range(times):
        if is_done():
            return
        sweep(clock=clock)
        clock.skip(minutes=6)
    pytest.fail("The sweep did not reach the expected state.")


@pytest.mark.parametrize("faults", FAULTS)
def test_hits_are_created_paid_and_booked_exactly_once(market, settings, faults):
    budget, clock = make_budget(), Times()
    hits = make_hits(4, budget=budget)
    workers = [join(1), join(2)]
    settings.MARKETPLACE_FAULTS = faults

    live = Hit.objects.filter(state=HitState.LIVE)
    until(lambda: live.count() == 4, create_pending_hits, clock)
    assert Counter(market_models.Hit.objects.values_list("annotation", flat=True)) == {
        hit.token: 1 for hit in hits
    }

    for hit in live:
        for worker in workers:
            finish(hit, worker)
    clock.skip(hours=1)
    until(lambda: Assignment.objects.count() == 8, sync_due_hits, clock)
    assert {row.answer["content"] for row in Assignment.objects.all()} == {'{"a": "<&é>"}'}

    for assignment in Assignment.objects.all():
        bonus = BonusAward(11, f"4 questions, {assignment.pk}")
        approve_assignment(assignment=assignment, bonus=bonus, actor="me", now=clock())
    confirmed = Payment.objects.filter(state=PaymentState.CONFIRMED)
    until(lambda: confirmed.count() == 16, send_due_payments, clock)

    ours = LedgerEntry.objects.filter(kind="settle").aggregate(
        amount=Sum("amount_cents"), fee=Sum("fee_cents")
    )
    assert ours == {"amount": 8 * (5 + 11), "fee": 8 * (1 + 2)}
    assert market_models.Bonus.objects.count() == 8
    assert market_models.Bonus.objects.aggregate(n=Sum("amount_cents"))["n"] == 8 * 11
    budget.refresh_from_db()
    assert (budget.reserved_cents, budget.spent_cents) == (0, 8 * 19)
    house = market_models.Requester.objects.get()
    opening = int(settings.MARKETPLACE_OPENING_BALANCE * 100)
    assert opening - market.balance_cents() == 8 * 19
    assert house.hits.count() == 4


def test_existing_hit_is_reused_after_its_token_expired(market):
    clock = Times()
    (hit,) = make_hits(1)
    create_pending_hits(clock=clock)
    hit.refresh_from_db()
    external_id = hit.external_id
    # The database comes from a backup. The HIT was requested, but the response was never stored.
    Hit.objects.update(
        state=HitState.PENDING,
        external_id=None,
        attempted_at=clock() - timedelta(days=2),
        leased_until=None,
    )
    market_models.RequestToken.objects.all().delete()
    create_pending_hits(clock=clock)
    hit.refresh_from_db()
    assert (hit.external_id, market_models.Hit.objects.count()) == (external_id, 1)


def test_work_finished_before_the_hit_is_known_is_synced(market):
    """The process that created the HIT ended before it stored the response, and workers accepted it."""
    clock = Times()
    (hit,) = make_hits(1)
    create_pending_hits(clock=clock)
    external_id = Hit.objects.get().external_id
    Hit.objects.update(state=HitState.PENDING, external_id=None, sync_due_at=None)
    hit.external_id = external_id
    finish(hit, join(1))
    finish(hit, join(2))
    assert sync_due_hits(clock=clock) == 0  # the HIT is not known here yet
    create_pending_hits(clock=clock)
    assert sync_due_hits(clock=clock) == 2
    assert Hit.objects.get().state == HitState.FINISHED


def test_bonus_is_not_sent_again_after_its_token_expired(market):
    clock = Times()
    (hit,) = make_hits(1)
    create_pending_hits(clock=clock)
    hit.refresh_from_db()
    finish(hit, join(1))
    clock.skip(hours=1)
    sync_due_hits(clock=clock)
    assignment = Assignment.objects.get()
    approve_assignment(
        assignment=assignment, bonus=BonusAward(11, "4 questions"), actor="me", now=clock()
    )
    send_due_payments(clock=clock)
    Payment.objects.filter(kind="bonus").update(
        state=PaymentState.SENT, confirmed_at=None, attempted_at=clock() - timedelta(days=2)
    )
    market_models.RequestToken.objects.all().delete()
    clock.skip(minutes=6)
    send_due_payments(clock=clock)
    assert market_models.Bonus.objects.count() == 1
    assert Payment.objects.get(kind="bonus").state == PaymentState.CONFIRMED


def test_rejection_reaches_the_worker_with_its_reason(market):
    clock = Times()
    (hit,) = make_hits(1)
    create_pending_hits(clock=clock)
    hit.refresh_from_db()
    finish(hit, join(1))
    clock.skip(hours=1)
    sync_due_hits(clock=clock)
    assignment = Assignment.objects.get()
    reject_assignment(assignment=assignment, reason="About another verb.", actor="me", now=clock())
    assert send_due_rejections(clock=clock) == 1
    assignment.refresh_from_db()
    assert assignment.state == AssignmentState.REJECTED
    assert market_models.Assignment.objects.get().feedback == "About another verb."


def test_refused_hit_releases_its_reservation(market):
    budget, clock = make_budget(), Times()
    (hit,) = make_hits(1, budget=budget)
    Hit.objects.update(url="nowhere")  # the marketplace requires a URL
    create_pending_hits(clock=clock)
    hit.refresh_from_db()
    budget.refresh_from_db()
    assert hit.state == HitState.FAILED
    assert "invalidparametervalue" in hit.error
    assert budget.reserved_cents == 0


def test_empty_account_delays_hits_and_loses_none(market, settings):
    clock = Times()
    make_hits(2)
    market.balance_cents()
    market_models.Requester.objects.update(balance_cents=0)
    assert create_pending_hits(clock=clock) == 0
    assert set(Hit.objects.values_list("state", flat=True)) == {HitState.PENDING}
    market_models.Requester.objects.update(balance_cents=100_000)
    clock.skip(minutes=6)
    assert create_pending_hits(clock=clock) == 2


def test_concurrent_sweeps_create_each_hit_once(market):
    """The second sweep leaves the leased rows alone."""
    from jobs.domain.lease import take_leases

    make_hits(3)
    pending = Hit.objects.filter(state=HitState.PENDING)
    now = timezone.now()
    first = take_leases(pending, now=now, limit=2)
    second = take_leases(pending, now=now, limit=10)
    assert [len(first), len(second)] == [2, 1]
    assert not {hit.pk for hit in first} & {hit.pk for hit in second}
    later = now + timedelta(minutes=6)
    assert len(take_leases(pending, now=later, limit=10)) == 3


def test_expired_hit_releases_unearned_money(market):
    budget, clock = make_budget(), Times()
    (hit,) = make_hits(1, budget=budget)
    create_pending_hits(clock=clock)
    hit.refresh_from_db()
    finish(hit, join(1))
    clock.skip(days=2)
    sync_due_hits(clock=clock)
    hit.refresh_from_db()
    budget.refresh_from_db()
    assert hit.state == HitState.EXPIRED
    assert budget.reserved_cents == 28  # the submitted assignment


def test_grants_exclude_generators_from_their_own_cases(market):
    """The requirement excludes their numbers with NotIn, so the HIT is not shown to them."""
    clock = Times()
    pool = define_qualification(
        provider="mturk", code="p-consolidator", name="Consolidators", description="Trained."
    )
    excluded_account, other_account = join(1), join(2)
    for account in (excluded_account, other_account):
        worker = register_worker(provider="mturk", external_id=account.code, now=clock())
        grant_qualification(qualification=pool, worker=worker, now=clock())
    assert send_due_grants(clock=clock) == 2
    assert sorted(pool.grants.values_list("value", flat=True)) == [1, 2]
    excluded = register_worker(provider="mturk", external_id=excluded_account.code, now=clock())
    (hit,) = make_hits(1)
    hit.hit_type.qualifications = [requirement_for(qualification=pool, without=[excluded])]
    hit.hit_type.save()
    create_pending_hits(clock=clock)
    hit_type = market_models.HitType.objects.get()
    assert (
        accept_hit.accept_next(worker=other_account, hit_type_code=hit_type.code, now=clock())
        is not None
    )
    with pytest.raises(Exception, match=r"(?i)qualif"):
        accept_hit.accept_next(worker=excluded_account, hit_type_code=hit_type.code, now=clock())
