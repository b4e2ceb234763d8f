"""Orders to more HITs than one transaction changes, which a job carries out."""

import itertools
import os
import signal
import time
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import CharField, F, Sum, Value
from django.db.models.functions import Cast, Concat
from django.utils import timezone

from annotation.domain.publishing import change_hits
from annotation.domain.publishing.batch_actions import (
    add_to_batch,
    expire_batch,
    extend_batch,
    hits_of,
    pause_batch,
    resume_batch,
)
from annotation.domain.publishing.change_hits import HIT_CHANGES
from annotation.domain.publishing.publish import AT_A_TIME, cost_of, publish_batch
from annotation.domain.publishing.publish_rest import finish_publication
from annotation.domain.publishing.withdraw_items import withdraw_items
from annotation.enums import BatchState
from annotation.models import Batch
from crowd.domain.hits.manage_hits import HitChangeError
from crowd.domain.money.ledger import set_cap
from crowd.enums import HitState
from crowd.models import Budget, LedgerEntry
from jobs.domain.run_jobs import run_next_job
from jobs.enums import JobState
from jobs.models import Job
from tests.annotation.factories import NOW
from tests.dashboard.campaign import add_items, make_project
from tests.forked import in_fork

pytestmark = pytest.mark.django_db

HITS = 2 * AT_A_TIME + 50
END = timezone.now() + timedelta(days=30)


@pytest.fixture
def batch(db) -> Batch:
    project = make_project()
    add_items(project, HITS)
    batch = publish_batch(project=project, now=NOW)
    finish_publication(batch=batch, actor="rita", clock=lambda: NOW)
    run_jobs()
    Job.objects.all().delete()
    batch.refresh_from_db()
    return batch


def go_live(batch: Batch) -> None:
    external = Concat(Value("HIT"), Cast("pk", CharField()))
    hits_of(batch).update(
        state=HitState.LIVE, external_id=external, attempted_at=NOW, created_at=NOW
    )


def run_jobs(now=NOW) -> Job | None:
    while run_next_job(clock=lambda: now):
        pass
    return Job.objects.filter(kind=HIT_CHANGES).order_by("pk").last()


def order(batch: Batch, **terms: object) -> dict[str, object]:
    return {"batch": batch, "actor": "rita", "now": NOW, **terms}


def test_pause_and_resume_change_the_batch_at_once_and_its_hits_in_a_job(batch):
    go_live(batch)
    assert pause_batch(**order(batch)) == HITS
    batch.refresh_from_db()
    assert (batch.state, hits_of(batch).filter(paused_at=None).count()) == ("paused", HITS)
    job = run_jobs()
    assert (job.state, job.result, job.total) == (JobState.FINISHED, {"changed": HITS}, HITS)
    assert not hits_of(batch).filter(paused_at=None).exists()
    assert resume_batch(**order(batch)) == HITS
    run_jobs()
    assert hits_of(batch).filter(paused_at=None).count() == HITS


def test_orders_are_carried_out_in_the_order_in_which_they_were_given(batch):
    go_live(batch)
    pause_batch(**order(batch))
    batch.refresh_from_db()
    run_jobs()
    resume_batch(**order(batch))
    pause_batch(**order(batch))
    run_jobs()
    assert not hits_of(batch).filter(paused_at=None).exists()


def test_end_releases_every_reservation(batch):
    assert expire_batch(**order(batch)) == HITS
    batch.refresh_from_db()
    assert batch.state == BatchState.CLOSED
    run_jobs()
    assert hits_of(batch).filter(state=HitState.WITHDRAWN).count() == HITS
    assert Budget.objects.get(pk=batch.project.budget_id).reserved_cents == 0


def test_extension_moves_every_end(batch):
    go_live(batch)
    assert extend_batch(**order(batch, ends_at=END)) == HITS
    run_jobs()
    assert hits_of(batch).filter(expiration_wanted=END).count() == HITS


def test_addition_stops_at_the_budget_and_says_how_far_it_came(batch):
    go_live(batch)
    place = cost_of(batch, 1, assignments=1)
    reserved = Budget.objects.get(pk=batch.project.budget_id).reserved_cents
    set_cap(budget=batch.project.budget, cap_cents=reserved + place * (AT_A_TIME + 1))
    assert add_to_batch(**order(batch, number=1)) == HITS
    job = run_jobs()
    assert job.state == JobState.FAILED
    assert job.problem.startswith(f"{AT_A_TIME} of {HITS} were changed. The budget")
    assert hits_of(batch).filter(increase_to=3).count() == AT_A_TIME


@pytest.mark.django_db(transaction=True)
def test_addition_beside_heartbeats_adds_to_each_hit_once(batch, monkeypatch):
    go_live(batch)
    add_to_batch(**order(batch, number=1))
    change_some = change_hits._change_some

    def change_some_slowly(job: int, ids: list[int], change: change_hits.HitChange) -> int | None:
        done = change_some(job, ids, change)
        # The marketplace adds the assignments before the next transaction.
        hits_of(batch).filter(increase_to=3).update(max_assignments=3, increase_to=None)
        heartbeat = Job.objects.get(pk=job).leased_until
        while done and Job.objects.get(pk=job).leased_until == heartbeat:
            time.sleep(0.01)
        return done

    monkeypatch.setattr(change_hits, "_change_some", change_some_slowly)
    assert run_next_job(clock=timezone.now, heartbeat=0.02)
    job = Job.objects.get()
    assert (job.state, job.problem, job.result) == (JobState.FINISHED, "", {"changed": HITS})
    assert set(hits_of(batch).values_list("max_assignments", flat=True)) == {3}


def test_addition_that_is_impossible_is_refused_at_once(batch):
    with pytest.raises(HitChangeError, match="isn't live yet"):
        add_to_batch(**order(batch, number=1))
    assert not Job.objects.exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.slow
def test_killed_addition_goes_on_and_adds_to_no_hit_twice(batch, settings):
    go_live(batch)
    add_to_batch(**order(batch, number=1))

    def work_until_killed() -> None:
        transactions = itertools.count(1)

        def kill_in_the_second(execute, sql, params, many, context):
            if sql.startswith('UPDATE "jobs_job" SET "result"') and next(transactions) == 2:
                os.kill(os.getpid(), signal.SIGKILL)
            return execute(sql, params, many, context)

        with connection.execute_wrapper(kill_in_the_second):
            run_next_job(clock=lambda: NOW)

    assert os.WTERMSIG(in_fork(work_until_killed)) == signal.SIGKILL
    job = run_jobs(NOW + settings.LEASE + timedelta(seconds=1))
    assert (job.state, job.attempts) == (JobState.FINISHED, 2)
    assert hits_of(batch).filter(increase_to=3).count() == HITS
    cents = LedgerEntry.objects.aggregate(cents=Sum(F("amount_cents") + F("fee_cents")))["cents"]
    assert cents == cost_of(batch, HITS) + cost_of(batch, HITS, assignments=1)
    assert Budget.objects.get(pk=batch.project.budget_id).reserved_cents == cents


def test_withdrawal_of_many_items_ends_their_hits(batch):
    items = batch.project.items.all()
    assert withdraw_items(items=items, reason="Not English.", actor="rita", now=NOW) == HITS
    run_jobs()
    assert hits_of(batch).filter(state=HitState.WITHDRAWN).count() == HITS
    assert Budget.objects.get(pk=batch.project.budget_id).reserved_cents == 0
