"""Claims of pages whose address no marketplace signed, such as those of Amazon's frames."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.utils import timezone

from crowd.domain.hits.create_hits import create_pending_hits
from crowd.domain.workers.confirm_claim import MAX_CALLS_PER_SECOND, can_be_asked, is_confirmed
from crowd.domain.workers.qualifications import define_qualification, requirement_for
from crowd.models import Hit, HitType, QualificationGrant
from tests.crowd.factories import make_assignment, make_hits, make_worker
from tests.crowd.in_process import accept, join, submit

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def elsewhere(settings, wire):
    """Treat the marketplace as one that signs nothing, like Amazon's."""
    settings.MTURK_IS_OURS = False
    cache.clear()


@pytest.fixture
def hit(wire) -> Hit:
    make_hits(1)
    create_pending_hits(clock=timezone.now)
    wire.calls.clear()
    return Hit.objects.get()


def ask(hit: Hit, *, worker: str = "W1", now=None) -> bool:
    return is_confirmed(hit=hit, assignment="A1", worker=worker, now=now or timezone.now())


def test_claim_counts_once_a_worker_accepted_the_hit(hit):
    assert not ask(hit)
    person = join(1)
    assignment = accept(hit, person)
    cache.clear()  # after three seconds
    assert ask(hit)
    submit(hit, person, assignment)
    cache.clear()
    assert not ask(hit)


def test_answer_is_remembered(hit, wire):
    accept(hit, join(1))
    assert [ask(hit, worker=f"W{number}") for number in range(20)] == [True] * 20
    assert wire.calls == ["GetHIT"]


def test_calls_are_limited_over_all_hits(wire):
    make_hits(3 * MAX_CALLS_PER_SECOND)
    create_pending_hits(clock=timezone.now)
    wire.calls.clear()
    now = timezone.now()
    answers = [ask(hit, now=now) for hit in Hit.objects.all()]
    assert not any(answers)
    assert len(wire.calls) == MAX_CALLS_PER_SECOND
    last = Hit.objects.last()
    accept(last, join(1))
    assert ask(last, now=now + timedelta(seconds=1))


def test_outage_confirms_nothing_and_is_not_repeated_by_each_page(hit, wire):
    accept(hit, join(1))
    wire.faults = lambda operation: "throttle=1"
    assert [ask(hit) for _ in range(5)] == [False] * 5
    assert wire.calls == ["GetHIT"]
    wire.faults = lambda operation: ""
    cache.clear()  # after some seconds
    assert ask(hit)


def test_worker_must_hold_the_required_qualification(hit, wire):
    pool = define_qualification(provider="mturk", code="pool", name="p", description="d")
    HitType.objects.update(qualifications=[requirement_for(qualification=pool)])
    hit = Hit.objects.get()
    accept(hit, join(1))
    member, other = make_worker(), make_worker()
    QualificationGrant.objects.create(
        qualification_type=pool, worker=member, changed_at=timezone.now()
    )
    confirmed = [
        ask(hit, worker=worker) for worker in (member.external_id, other.external_id, "W9")
    ]
    assert confirmed == [True, False, False]


def test_listed_assignment_is_confirmed_for_its_worker_and_hit_only(hit, wire, settings):
    settings.MTURK_IS_OURS = True
    assignment, other = make_assignment(hit), make_worker()
    pages = [
        (hit, assignment.external_id, assignment.worker.external_id),
        (hit, assignment.external_id, other.external_id),
        (hit, "A9", assignment.worker.external_id),
        (make_hits(1)[0], assignment.external_id, assignment.worker.external_id),
    ]
    now = timezone.now()
    confirmed = [
        is_confirmed(hit=page, assignment=claimed, worker=worker, now=now)
        for page, claimed, worker in pages
    ]
    assert confirmed == [True, False, False, False]


def test_marketplaces_that_sign_are_not_asked(hit, wire, settings):
    accept(hit, join(1))
    assert can_be_asked("mturk")
    settings.MTURK_IS_OURS = True
    assert [can_be_asked(provider) for provider in ("mturk", "prolific")] == [False, False]
    assert not ask(hit)
    assert wire.calls == []
