"""Rounds dealt in hands: every item asked of as many workers, each worker asked for one hand."""

import threading
from collections import Counter

import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.take_hand import take_hand
from annotation.domain.worker_page import BadPage
from annotation.models import HandTaken, Item, Task
from crowd.models import Hit, QualificationGrant
from qualification.domain.publish_round import deal_hands, publish_round, round_cents
from qualification.enums import EnrolmentState, RoundEntry
from qualification.models import Enrolment, Round
from tests.crowd.factories import NOW, make_worker
from tests.qualification.factories import EXPERT, hand_in, make_rounds, open_round, record

pytestmark = pytest.mark.django_db


class RoundOf:
    """As much of a round as dealing reads."""

    def __init__(self, items, items_per_worker):
        self.items_per_worker = items_per_worker
        self.round_items = self
        self._items = list(range(items))

    def select_related(self, _):
        return self

    def order_by(self, _):
        return self._items


@given(st.integers(1, 60), st.integers(1, 70), st.integers(1, 200))
def test_items_are_covered_evenly_and_hands_are_small_enough(items, share, seats):
    hands = deal_hands(round=RoundOf(items, share), seats=seats)
    covered = Counter(dict.fromkeys(range(items), 0))
    for hand in hands:
        covered.update(dict.fromkeys(hand.items, hand.seats))
        assert len(hand.items) <= max(share, 1) or hand.number is None
    assert sum(hand.seats for hand in hands) == seats
    assert max(covered.values()) - min(covered.values()) <= 1


def make_dealt_round(*, entry=RoundEntry.INVITED, pairs=3, share=2) -> Round:
    """Six items in three hands of two."""
    one = make_rounds(pairs=pairs, rounds=1)[0]
    one.items_per_worker, one.entry = share, entry
    one.save()
    return one


def test_invited_workers_are_let_into_their_hand_alone():
    one = make_dealt_round()
    workers = [make_worker() for _ in range(7)]
    intake = open_round(one, workers)
    hands = Counter(one.enrolments.values_list("hand", flat=True))
    assert sorted(hands.values()) == [2, 2, 3]
    for task in Task.objects.filter(batch=intake.batch).select_related("hit__hit_type"):
        asked = task.hit.hit_type.qualifications[-1]
        held = QualificationGrant.objects.filter(value__in=asked["integers"])
        seated = one.enrolments.filter(hand=task.hand).values_list("worker", flat=True)
        assert set(held.values_list("worker", flat=True)) == set(seated)
        assert task.hit.max_assignments == len(seated)
    assert Item.objects.filter(tasks__batch=intake.batch).distinct().count() == 6


def test_money_is_set_aside_for_the_hands_and_not_for_the_whole_round():
    one = make_dealt_round()
    expected = round_cents(round=one, seats=7)
    open_round(one, [make_worker() for _ in range(7)])
    one.project.budget.refresh_from_db()
    assert one.project.budget.reserved_cents == expected
    one.items_per_worker = None
    assert round_cents(round=one, seats=7) == 3 * expected


def test_worker_is_evaluated_on_their_hand():
    one = make_dealt_round()
    worker = make_worker()
    intake = open_round(one, [worker])
    for task in intake.batch.tasks.all():
        hand_in(task, worker, EXPERT)
    record()
    enrolment = one.enrolments.get()
    figures = enrolment.evaluations.get().figures
    assert (enrolment.state, enrolment.hand) == (EnrolmentState.FINISHED, 1)
    assert (figures["items"], figures["answered"], figures["UA"]["f1"]) == (2, 2, 1)


def test_open_screening_takes_a_comer_into_the_hand_that_they_begin():
    one = make_dealt_round(entry=RoundEntry.OPEN)
    intake = publish_round(round=one, actor="tests", now=NOW, seats=6)
    titles = Hit.objects.filter(task__batch=intake.batch).values_list("hit_type__title", flat=True)
    assert len(set(titles)) == 3
    worker = make_worker()
    for task in intake.batch.tasks.filter(hand=2):
        hand_in(task, worker, EXPERT)
    record()
    enrolment = Enrolment.objects.get(worker=worker)
    assert (enrolment.hand, enrolment.state) == (2, EnrolmentState.FINISHED)


def test_page_of_another_hand_is_refused():
    one = make_dealt_round(entry=RoundEntry.OPEN)
    intake = publish_round(round=one, actor="tests", now=NOW, seats=6)
    first, second = intake.batch.tasks.get_queryset().filter(hand=1)[0], None
    second = intake.batch.tasks.filter(hand=2)[0]
    take_hand(task=first, worker_ref="A1")
    take_hand(task=first, worker_ref="A1")
    take_hand(task=second, worker_ref="A2")
    with pytest.raises(BadPage, match="part 1"):
        take_hand(task=second, worker_ref="A1")


@pytest.mark.django_db(transaction=True)
def test_whoever_opens_every_hand_at_once_gets_one():
    one = make_dealt_round(entry=RoundEntry.OPEN, share=1)
    intake = publish_round(round=one, actor="tests", now=NOW, seats=12)
    tasks = list(intake.batch.tasks.select_related("batch"))
    assert len({task.hand for task in tasks}) == 6
    let_in, start = [], threading.Barrier(len(tasks) * 2)

    def open_task(task, worker):
        start.wait()
        try:
            take_hand(task=task, worker_ref=worker)
            let_in.append((worker, task.hand))
        except BadPage:
            pass
        finally:
            connection.close()

    threads = [
        threading.Thread(target=open_task, args=(task, worker))
        for task in tasks
        for worker in ("A1", "A2")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(worker for worker, _ in let_in) == ["A1", "A2"]
    assert set(HandTaken.objects.values_list("worker_ref", "hand")) == set(let_in)
