from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command

from annotation.domain.publish import cap_batch, publish_batch
from annotation.domain.steer_batch import (
    expire_batch,
    extend_batch,
    hits_of,
    pause_batch,
    reoffer_items,
    resume_batch,
    top_up_batches,
)
from annotation.enums import BatchState, SubmissionState
from annotation.models import Batch, Item, Project, Submission, TaskItem
from audit.domain.change_state import MoveRefused
from crowd.domain.decide_assignment import BonusAward, approve_assignment
from crowd.domain.ledger import BudgetExceeded
from crowd.domain.qualifications import define_qualification, grant_qualification
from crowd.enums import HitState, PaymentState
from crowd.models import Assignment, Budget, Hit, Payment, Worker
from tests.annotation.factories import NOW, make_item, make_project
from tests.crowd.factories import make_assignment, make_worker

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    project = make_project()
    for _ in range(6):
        make_item(project)
    return project


def at(now):
    return lambda: now


def go_live(hits) -> None:
    for hit in hits:
        hit.state, hit.external_id, hit.created_at = HitState.LIVE, f"HIT{hit.pk}", NOW
        hit.attempted_at = NOW
        hit.save()


def end(hits, state: str) -> None:
    go_live(hits)
    Hit.objects.filter(pk__in=[hit.pk for hit in hits]).update(state=state)


def submit(item: Item, hit: Hit, worker: Worker, state: str) -> Assignment:
    assignment = make_assignment(hit, worker)
    Assignment.objects.filter(pk=assignment.pk).update(recorded_at=NOW)
    Submission.objects.create(
        item=item,
        role="generator",
        worker=worker,
        assignment=assignment,
        content={},
        schema_version=1,
        state=state,
        opened_at=NOW,
        submitted_at=NOW,
    )
    return assignment


def test_batch_keeps_so_many_open_until_its_limit(project):
    batch = publish_batch(project=project, now=NOW, keep_open=2, limit=5)
    assert batch.tasks.count() == 2
    assert top_up_batches(clock=at(NOW)) == 0
    go_live(hits_of(batch))
    hits_of(batch).update(state=HitState.FINISHED)
    assert top_up_batches(clock=at(NOW)) == 2
    hits_of(batch).filter(state=HitState.PENDING).update(state=HitState.FAILED)
    assert top_up_batches(clock=at(NOW)) == 1
    assert top_up_batches(clock=at(NOW)) == 0
    assert TaskItem.objects.values("item").distinct().count() == 5


def test_top_up_offers_what_the_cap_has_room_for_and_says_so(project):
    batch = publish_batch(project=project, now=NOW, keep_open=1)
    Budget.objects.update(cap_cents=project.budget.hits.count() * 56 * 2 + 60)
    Batch.objects.update(keep_open=5)
    offered = top_up_batches(clock=at(NOW))
    batch.refresh_from_db()
    assert 1 <= offered < 4
    assert "dollars left" in batch.problem
    Budget.objects.update(cap_cents=None)
    while top_up_batches(clock=at(NOW)):
        pass
    batch.refresh_from_db()
    assert (hits_of(batch).open().count(), batch.problem) == (5, "")


def test_paused_batch_is_not_topped_up(project):
    batch = publish_batch(project=project, now=NOW, keep_open=2)
    assert pause_batch(batch=batch, actor="me", now=NOW) == 2
    assert top_up_batches(clock=at(NOW)) == 0
    assert hits_of(batch).open().count() == 0
    assert resume_batch(batch=batch, actor="me", now=NOW) == 2
    assert hits_of(batch).open().count() == 2


def test_expired_batch_can_be_extended_and_not_paused(project):
    batch = publish_batch(project=project, now=NOW, limit=2)
    end(hits_of(batch), HitState.EXPIRED)
    expire_batch(batch=batch, actor="me", now=NOW)
    with pytest.raises(MoveRefused):
        pause_batch(batch=batch, actor="me", now=NOW)
    later = NOW + timedelta(days=20)
    assert extend_batch(batch=batch, ends_at=later, actor="me", now=NOW) == 2
    batch.refresh_from_db()
    assert batch.state == BatchState.OPEN
    assert set(hits_of(batch).values_list("expiration_wanted", flat=True)) == {later}


def test_batch_cap_holds_for_publishing_and_bonuses(project):
    batch = publish_batch(project=project, now=NOW, limit=1, cap_cents=60)
    with pytest.raises(BudgetExceeded, match="budget batch:"):
        publish_batch(project=project, now=NOW, limit=2, cap_cents=60)
    (hit,) = hits_of(batch)
    go_live([hit])
    assignment = make_assignment(hit)
    bonus = BonusAward(500, "a great deal")
    approve_assignment(assignment=assignment, bonus=bonus, actor="me", now=NOW)
    assert Payment.objects.get(kind="bonus").state == PaymentState.HELD
    cap_batch(batch=batch, cap_cents=None)
    batch.budget.refresh_from_db()
    assert batch.budget.cap_cents is None


def test_expired_item_gets_the_places_back_that_nobody_took(project):
    batch = publish_batch(project=project, now=NOW, limit=1)
    (hit,) = hits_of(batch)
    end([hit], HitState.EXPIRED)
    item = batch.tasks.get().items.get()
    submit(item, hit, make_worker(), SubmissionState.ACCEPTED)
    assert reoffer_items(project=project, now=NOW).raised == 1
    hit.refresh_from_db()
    assert (hit.state, hit.increase_to, hit.max_assignments) == (HitState.LIVE, None, 2)
    assert reoffer_items(project=project, now=NOW).raised == 0


def test_rejected_work_is_offered_to_one_more_worker(project):
    batch = publish_batch(project=project, now=NOW, limit=1)
    (hit,) = hits_of(batch)
    end([hit], HitState.FINISHED)
    item = batch.tasks.get().items.get()
    submit(item, hit, make_worker(), SubmissionState.ACCEPTED)
    submit(item, hit, make_worker(), SubmissionState.REJECTED)
    assert reoffer_items(project=project, now=NOW).raised == 1
    hit.refresh_from_db()
    assert hit.increase_to == 3
    assert hit.expiration_wanted > NOW


def test_refused_hit_goes_out_at_the_next_place_without_those_who_worked_on_it(project):
    pool = define_qualification(provider="mturk", code="pool", name="Pool", description="x")
    worker = make_worker()
    grant_qualification(qualification=pool, worker=worker, now=NOW)
    batch = publish_batch(project=project, now=NOW, limit=1, pool=pool)
    (hit,) = hits_of(batch)
    end([hit], HitState.FINISHED)
    Hit.objects.update(error="can't be raised")
    item = batch.tasks.get().items.get()
    submit(item, hit, worker, SubmissionState.ACCEPTED)
    assert reoffer_items(project=project, now=NOW).anew == 1
    second = TaskItem.objects.get(item=item, place=1).task.hit
    assert second.max_assignments == 1
    assert second.hit_type.qualifications == [
        {"code": "pool", "comparator": "NotIn", "integers": [1]}
    ]


def test_item_with_unrecorded_work_is_not_offered_again(project):
    batch = publish_batch(project=project, now=NOW, limit=1)
    (hit,) = hits_of(batch)
    end([hit], HitState.EXPIRED)
    make_assignment(hit)
    assert reoffer_items(project=project, now=NOW).raised == 0


def test_command_tells_how_a_batch_stands(project, capsys):
    batch = publish_batch(project=project, now=NOW, limit=2)
    call_command("batch", batch.pk, "pause", "--json")
    assert '"state": "paused", "hits": 2, "open": 0' in capsys.readouterr().out
    with pytest.raises(CommandError, match="no batch 0"):
        call_command("batch", 0, "show")
    call_command("batch", batch.pk, "cap", "--cents", "400")
    with pytest.raises(CommandError, match="cap can't be lower"):
        call_command("batch", batch.pk, "cap", "--cents", "1")
    call_command("reoffer", project.slug, "--json")
    assert '{"raised": 0, "anew": 0}' in capsys.readouterr().out
