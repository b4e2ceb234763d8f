"""Accepting HITs, also by many workers at the same time."""

import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from marketplace.domain.errors import RefusalError
from marketplace.domain.identifiers import new_code
from marketplace.domain.work import accept_hit
from marketplace.domain.work.accept_hit import MAX_IN_PROGRESS
from marketplace.models import Assignment, Hit, Requester, WorkerAccount

from .conftest import accept, log_in, make_requester, make_worker, submit
from .test_ledger import publish_in_domain

pytestmark = pytest.mark.django_db


def fill(hit: Hit, count: int, **values) -> None:
    """Add open HITs of the same type, with their cost on hold."""
    Requester.objects.update(held_cents=F("held_cents") + 6 * count)
    Hit.objects.bulk_create(
        Hit(
            code=new_code(),
            requester_id=hit.requester_id,
            hit_type_id=hit.hit_type_id,
            external_url=hit.external_url,
            max_assignments=1,
            available=1,
            reward_cents=5,
            fee_cents=1,
            held_cents=6,
            expires_at=hit.expires_at,
            **values,
        )
        for _ in range(count)
    )


def take(worker: WorkerAccount, hit: Hit) -> str | None:
    return accept_hit.accept_next(
        worker=worker, hit_type_code=hit.hit_type.code, now=timezone.now()
    )


def test_hits_are_offered_in_order_of_publication(worker):
    lab = make_requester()[0]
    published = [publish_in_domain(lab, assignments=2) for _ in range(4)]
    other = make_worker("bob")
    hits = [Assignment.objects.get(code=take(worker, published[0])).hit_id for _ in range(4)]
    hits_of_other = [
        Assignment.objects.get(code=take(other, published[0])).hit_id for _ in range(4)
    ]
    assert hits == hits_of_other == [hit.pk for hit in published]


def test_place_freed_behind_the_worker_is_offered(worker):
    lab = make_requester()[0]
    first, second = publish_in_domain(lab), publish_in_domain(lab)
    other = make_worker("bob")
    code = take(other, first)
    take(worker, second)
    assert take(worker, first) is None
    from marketplace.domain.work import work

    work.return_assignment(worker=other, assignment_code=code, now=timezone.now())
    assert Assignment.objects.get(code=take(worker, first)).hit_id == first.pk


def test_returned_hit_is_offered_to_the_same_worker_later(worker):
    from marketplace.domain.work import work

    hit = publish_in_domain(make_requester()[0])
    work.return_assignment(worker=worker, assignment_code=take(worker, hit), now=timezone.now())
    assert take(worker, hit) is None
    Assignment.objects.update(closed_at=timezone.now() - timedelta(minutes=11))
    assert take(worker, hit) is not None


def test_returned_hit_can_be_accepted_again_by_code(publish, browser):
    hit = publish()
    assignment = accept(browser, hit)
    browser.post(f"/hits/work/{assignment}/return/")
    again = browser.post(f"/hits/{hit['HITId']}/accept/").url
    assert again.startswith("/hits/work/")
    assert again != f"/hits/work/{assignment}/"


def test_submitted_hit_cannot_be_accepted_by_code(publish, browser):
    hit = publish(MaxAssignments=3)
    submit(browser, accept(browser, hit))
    page = browser.post(f"/hits/{hit['HITId']}/accept/", follow=True)
    assert "You already did this task" in page.content.decode()


def test_full_or_expired_hit_cannot_be_accepted_by_code(publish, browser, mturk):
    hit = publish()
    accept(log_in(make_worker("bob")), hit)
    assert browser.post(f"/hits/{hit['HITId']}/accept/").url == "/hits/"
    ended = publish()
    Hit.objects.filter(code=ended["HITId"]).update(expires_at=timezone.now())
    assert browser.post(f"/hits/{ended['HITId']}/accept/").url == "/hits/"
    assert browser.post("/hits/3NOSUCH/accept/").url == "/hits/"
    assert browser.post("/hits/groups/3NOSUCH/accept/").url == "/hits/"


def test_worker_has_at_most_twenty_five_in_progress(worker):
    hit = publish_in_domain(make_requester()[0])
    fill(hit, 30)
    for _ in range(25):
        assert take(worker, hit)
    with pytest.raises(RefusalError, match="25 tasks in progress"):
        take(worker, hit)


def test_number_of_queries_does_not_grow_with_the_hits(worker, browser):
    hit = publish_in_domain(make_requester()[0])
    counts = []
    for number in (10, 1000):
        fill(hit, number)
        with CaptureQueriesContext(connection) as queries:
            browser.post(f"/hits/groups/{hit.hit_type.code}/accept/")
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_expired_hits_are_closed_on_acceptance(worker):
    hit = publish_in_domain(make_requester()[0])
    fill(hit, 5)
    Hit.objects.update(expires_at=timezone.now())
    assert take(worker, hit) is None
    assert not Hit.objects.filter(open=True).exists()


needs_threads = pytest.mark.skipif(
    "connection.vendor == 'sqlite' and connection.is_in_memory_db()",
    reason="the test database is SQLite in memory, which threads share as one connection",
)


def at_once(count: int, act) -> list:
    """Run `act(i)` in `count` threads that start together. Return their results and errors."""
    results: list = [None] * count
    gate = threading.Barrier(count)

    def run(index: int) -> None:
        gate.wait()
        try:
            results[index] = act(index)
        except Exception as error:
            results[index] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(index,)) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@needs_threads
@pytest.mark.django_db(transaction=True)
def test_concurrent_workers_accept_each_place_once():
    hit = publish_in_domain(make_requester()[0])
    fill(hit, 95)
    workers = [make_worker(f"worker{n}") for n in range(32)]
    results = at_once(32, lambda n: [take(workers[n], hit) for _ in range(3)])
    codes = [code for codes in results for code in codes]
    assert None not in codes
    assert len(set(codes)) == 96
    assert Assignment.objects.values("hit").distinct().count() == 96
    assert not Hit.objects.filter(available__gt=0).exists()


@needs_threads
@pytest.mark.django_db(transaction=True)
def test_last_places_of_a_hit_are_accepted_concurrently():
    hit = publish_in_domain(make_requester()[0], assignments=9)
    workers = [make_worker(f"worker{n}") for n in range(12)]
    codes = at_once(12, lambda n: take(workers[n], hit))
    assert len([code for code in codes if code]) == 9
    assert codes.count(None) == 3


@needs_threads
@pytest.mark.django_db(transaction=True)
def test_worker_with_many_windows_accepts_each_hit_once(worker):
    lab = make_requester()[0]
    published = [publish_in_domain(lab, assignments=5) for _ in range(4)]
    results = at_once(8, lambda n: take(worker, published[0]))
    assert len([code for code in results if isinstance(code, str)]) == 4
    assert Assignment.objects.values("hit").distinct().count() == 4


@needs_threads
@pytest.mark.django_db(transaction=True)
def test_concurrent_uses_of_a_token_publish_once():
    lab = make_requester()[0]
    publish_in_domain(lab)
    results = at_once(8, lambda n: publish_in_domain(lab, token="item-7"))
    assert len([hit for hit in results if isinstance(hit, Hit)]) == 1
    assert Hit.objects.count() == 2


@needs_threads
@pytest.mark.django_db(transaction=True)
def test_worker_with_many_windows_cannot_exceed_the_limit(worker):
    hit = publish_in_domain(make_requester()[0])
    fill(hit, 40)
    for _ in range(MAX_IN_PROGRESS - 1):
        assert take(worker, hit)
    results = at_once(8, lambda n: take(worker, hit))
    assert len([code for code in results if isinstance(code, str)]) == 1
    assert Assignment.objects.filter(status="Accepted").count() == MAX_IN_PROGRESS
