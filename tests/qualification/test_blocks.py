"""Tests of rounds split into blocks.

Every item is offered to equally many workers, and each worker gets one block.
"""

import threading
from collections import Counter
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.work.drafts import PageState, save_draft
from annotation.domain.work.open_page import assign_block
from annotation.domain.work.unused_blocks import delete_unused_blocks
from annotation.domain.work.worker_page import InvalidPageError, PageToken
from annotation.models import BlockAssignment, Draft, Item, Task
from annotation.tasks import delete_unconfirmed_drafts
from crowd.domain.provider.hold_publishing import hold_publishing
from crowd.models import Hit, HitType, QualificationGrant
from qualification.domain.rounds.publish_round import publish_round, round_cents, split_into_blocks
from qualification.enums import EnrolmentState, RoundEntry
from qualification.models import Enrolment, Round
from tests.crowd.factories import NOW, make_assignment, make_worker
from tests.qualification.factories import EXPERT, make_rounds, open_round, record, submit_work

pytestmark = pytest.mark.django_db


class FakeRound:
    """The part of a round that splitting into blocks reads."""

    def __init__(self, items, items_per_worker):
        self.items_per_worker = items_per_worker
        self.round_items = self
        self._items = list(range(items))

    def select_related(self, _):
        return self

    def order_by(self, _):
        return self._items


@given(st.integers(1, 60), st.integers(1, 70), st.integers(1, 200))
def test_blocks_cover_items_evenly_and_are_small_enough(items, share, slots):
    blocks = split_into_blocks(round=FakeRound(items, share), places=slots)
    covered = Counter(dict.fromkeys(range(items), 0))
    for block in blocks:
        covered.update(dict.fromkeys(block.items, block.places))
        assert len(block.items) <= max(share, 1) or block.number is None
    assert sum(block.places for block in blocks) == slots
    assert max(covered.values()) - min(covered.values()) <= 1


def make_block_round(*, entry=RoundEntry.INVITED, pairs=3, share=2) -> Round:
    """Create a round of six items, by default in three blocks of two."""
    training_round = make_rounds(pairs=pairs, rounds=1)[0]
    training_round.items_per_worker, training_round.entry = share, entry
    training_round.save()
    return training_round


def test_invited_workers_are_admitted_only_to_their_block():
    training_round = make_block_round()
    workers = [make_worker() for _ in range(7)]
    cohort = open_round(training_round, workers)
    blocks = Counter(training_round.enrolments.values_list("block", flat=True))
    assert sorted(blocks.values()) == [2, 2, 3]
    for task in Task.objects.filter(batch=cohort.batch).select_related("hit__hit_type"):
        requirement = task.hit.hit_type.qualifications[-1]
        grants = QualificationGrant.objects.filter(value__in=requirement["integers"])
        enrolled = training_round.enrolments.filter(block=task.block).values_list(
            "worker", flat=True
        )
        assert set(grants.values_list("worker", flat=True)) == set(enrolled)
        assert task.hit.max_assignments == len(enrolled)
    assert Item.objects.filter(tasks__batch=cohort.batch).distinct().count() == 6


def test_budget_is_reserved_for_the_blocks_and_not_for_the_whole_round():
    training_round = make_block_round()
    expected = round_cents(round=training_round, places=7)
    open_round(training_round, [make_worker() for _ in range(7)])
    training_round.project.budget.refresh_from_db()
    assert training_round.project.budget.reserved_cents == expected
    training_round.items_per_worker = None
    assert round_cents(round=training_round, places=7) == 3 * expected


def test_worker_is_evaluated_on_their_block():
    training_round = make_block_round()
    worker = make_worker()
    cohort = open_round(training_round, [worker])
    for task in cohort.batch.tasks.all():
        submit_work(task, worker, EXPERT)
    record()
    enrolment = training_round.enrolments.get()
    figures = enrolment.evaluations.get().figures
    assert (enrolment.state, enrolment.block) == (EnrolmentState.FINISHED, 1)
    assert (figures["items"], figures["answered"], figures["UA"]["f1"]) == (2, 2, 1)


def test_open_screening_enrols_a_worker_in_the_block_they_start():
    training_round = make_block_round(entry=RoundEntry.OPEN)
    cohort = publish_round(round=training_round, actor="tests", now=NOW, places=6)
    titles = Hit.objects.filter(task__batch=cohort.batch).values_list("hit_type__title", flat=True)
    assert len(set(titles)) == 3
    worker = make_worker()
    for task in cohort.batch.tasks.filter(block=2):
        submit_work(task, worker, EXPERT)
    record()
    enrolment = Enrolment.objects.get(worker=worker)
    assert (enrolment.block, enrolment.state) == (2, EnrolmentState.FINISHED)


def test_page_of_another_block_is_refused():
    training_round = make_block_round(entry=RoundEntry.OPEN)
    cohort = publish_round(round=training_round, actor="tests", now=NOW, places=6)
    first, second = cohort.batch.tasks.get_queryset().filter(block=1)[0], None
    second = cohort.batch.tasks.filter(block=2)[0]
    assign_block(task=first, worker_ref="A1", now=NOW)
    assign_block(task=first, worker_ref="A1", now=NOW)
    assign_block(task=second, worker_ref="A2", now=NOW)
    with pytest.raises(InvalidPageError, match="part 1"):
        assign_block(task=second, worker_ref="A1", now=NOW)


@pytest.mark.django_db(transaction=True)
def test_worker_who_opens_all_blocks_at_once_gets_one():
    training_round = make_block_round(entry=RoundEntry.OPEN, share=1)
    cohort = publish_round(round=training_round, actor="tests", now=NOW, places=12)
    tasks = list(cohort.batch.tasks.select_related("batch"))
    assert len({task.block for task in tasks}) == 6
    let_in, start = [], threading.Barrier(len(tasks) * 2)

    def open_task(task, worker):
        start.wait()
        try:
            assign_block(task=task, worker_ref=worker, now=NOW)
            let_in.append((worker, task.block))
        except InvalidPageError:
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
    assert set(BlockAssignment.objects.values_list("worker_ref", "block")) == set(let_in)


@pytest.fixture
def opened() -> Task:
    """Return a task of one hour that worker A1 opened at NOW."""
    cohort = publish_round(
        round=make_block_round(entry=RoundEntry.OPEN), actor="tests", now=NOW, places=6
    )
    task = cohort.batch.tasks.filter(block=1)[0]
    HitType.objects.update(assignment_seconds=3600)
    assign_block(task=task, worker_ref="A1", now=NOW)
    return task


AFTER = NOW + timedelta(hours=25, minutes=1)


def test_block_without_work_is_deleted_after_a_day_and_the_time_for_a_task(opened):
    assert delete_unused_blocks(now=NOW + timedelta(hours=25)) == 0
    assert delete_unused_blocks(now=AFTER) == 1
    other = opened.batch.tasks.filter(block=2)[0]
    assign_block(task=other, worker_ref="A1", now=AFTER)


def test_block_with_a_draft_stays(opened):
    claim = PageToken(str(opened.public_id), "ASSIGNMENT", "A1")
    save_draft(claim=claim, state=PageState(revision=0, content={}), now=NOW)
    assert delete_unused_blocks(now=AFTER) == 0
    Draft.objects.all().delete()
    assert delete_unused_blocks(now=AFTER) == 1


def test_block_with_a_confirmed_assignment_stays(opened):
    worker = make_worker()
    BlockAssignment.objects.update(worker_ref=worker.external_id)
    make_assignment(opened.hit, worker)
    assert delete_unused_blocks(now=AFTER) == 0


def test_blocks_stay_until_a_restored_site_is_reconciled(opened):
    hold_publishing(reason="Restored.", actor="restore", now=NOW)
    assert delete_unused_blocks(now=AFTER) == 0


def test_task_deletes_unused_blocks(opened):
    BlockAssignment.objects.update(assigned_at=timezone.now() - timedelta(days=3))
    delete_unconfirmed_drafts()
    assert not BlockAssignment.objects.exists()
