"""Items without enough valid work are offered again, up to the limit and to other workers."""

import threading
from datetime import timedelta

import pytest
from django.db import connection, connections

from annotation.domain.corpus.parse_generation import parse_generation
from annotation.domain.decisions.decide_submission import OverturnError, overturn_rejection
from annotation.domain.publishing.batch_actions import hits_of, pause_batch
from annotation.domain.publishing.publish import publish_batch
from annotation.domain.publishing.republish import (
    AUTOMATIC,
    republish_attempt,
    republish_due_items,
    republish_items,
    short_attempts,
)
from annotation.domain.work.record_assignment import record_assignment
from annotation.enums import SubmissionState
from annotation.models import Batch, Item, Submission, Task, TaskItem
from audit.models import StateChange
from crowd.domain.money.ledger import reserved_cents_left
from crowd.domain.workers.qualifications import define_qualification, grant_qualification
from crowd.enums import AssignmentState, HitState
from crowd.models import Assignment, Budget, Hit, QualificationGrant, Worker
from projects.models import Project
from tests.annotation.factories import NOW, make_item, make_project, task_url
from tests.crowd.factories import make_assignment, make_worker
from tests.crowd.in_process import Killed

pytestmark = pytest.mark.django_db

DECIDED = {
    SubmissionState.ACCEPTED: AssignmentState.APPROVED,
    SubmissionState.REJECTED: AssignmentState.REJECTED,
    SubmissionState.WITHDRAWN: AssignmentState.APPROVED,
}


def clock():
    return NOW


@pytest.fixture
def project() -> Project:
    project = make_project()
    make_item(project)
    return project


@pytest.fixture
def batch(project) -> Batch:
    return publish_batch(project=project, now=NOW)


@pytest.fixture
def hit(batch) -> Hit:
    return hits_of(batch).get()


def end(hit: Hit, state: str) -> None:
    Hit.objects.filter(pk=hit.pk).update(
        state=state, external_id=f"HIT{hit.pk}", created_at=NOW, attempted_at=NOW
    )


def submit(hit: Hit, state: str, worker: Worker | None = None) -> Assignment:
    item = hit.task.items.get()
    assignment = make_assignment(hit, worker)
    decided = DECIDED.get(state, AssignmentState.SUBMITTED)
    Assignment.objects.filter(pk=assignment.pk).update(
        recorded_at=NOW, state=decided, decided_at=None if decided == "submitted" else NOW
    )
    Submission.objects.create(
        item=item,
        role="generator",
        worker=assignment.worker,
        assignment=assignment,
        content={},
        schema_version=1,
        state=state,
        opened_at=NOW,
        submitted_at=NOW,
    )
    return assignment


def short() -> int:
    return short_attempts(now=NOW).count()


# --- when and where an item is offered again -------------------------------------------------------


def test_expired_item_offers_its_open_places_again(hit):
    end(hit, HitState.EXPIRED)
    submit(hit, SubmissionState.ACCEPTED)
    assert republish_due_items(clock=clock) == 1
    hit.refresh_from_db()
    assert (hit.state, hit.increase_to, hit.max_assignments) == (HitState.LIVE, None, 2)
    assert republish_due_items(clock=clock) == 0
    log = StateChange.objects.get(new="republished")
    assert (log.actor, log.old, log.reason) == (
        AUTOMATIC,
        "expired",
        "1 of 2 generations are valid.",
    )


@pytest.mark.parametrize("lost", [SubmissionState.REJECTED, SubmissionState.WITHDRAWN])
def test_invalid_work_is_offered_to_one_more_worker(hit, lost):
    end(hit, HitState.FINISHED)
    submit(hit, SubmissionState.ACCEPTED)
    submit(hit, lost)
    assert republish_due_items(clock=clock) == 1
    hit.refresh_from_db()
    assert hit.increase_to == 3
    assert hit.expiration_wanted > NOW
    assert republish_due_items(clock=clock) == 0


@pytest.mark.parametrize("state", [HitState.FAILED, HitState.WITHDRAWN])
def test_hit_that_was_not_created_is_replaced(hit, state):
    Hit.objects.filter(pk=hit.pk).update(state=state)
    assert republish_due_items(clock=clock) == 1
    second = TaskItem.objects.get(attempt=1)
    assert (second.task.hit.max_assignments, second.republications) == (2, 1)
    assert second.task.hit.state == HitState.PENDING


def test_hit_with_more_open_places_than_missing_work_is_replaced(hit):
    Hit.objects.filter(pk=hit.pk).update(max_assignments=4)
    end(hit, HitState.EXPIRED)
    submit(hit, SubmissionState.ACCEPTED)
    assert republish_due_items(clock=clock) == 1
    assert TaskItem.objects.get(attempt=1).task.hit.max_assignments == 1


@pytest.mark.parametrize("state", [SubmissionState.SUBMITTED, SubmissionState.ACCEPTED])
def test_item_with_enough_work_is_not_offered_again(hit, state):
    end(hit, HitState.FINISHED)
    submit(hit, state)
    submit(hit, SubmissionState.ACCEPTED)
    assert (short(), republish_due_items(clock=clock)) == (0, 0)


def test_item_is_not_offered_again_while_its_hit_is_live(hit):
    end(hit, HitState.LIVE)
    submit(hit, SubmissionState.REJECTED)
    assert short() == 0


def test_item_is_not_offered_again_before_its_work_is_recorded(hit):
    end(hit, HitState.EXPIRED)
    make_assignment(hit)
    assert short() == 0


def test_item_with_claimed_work_is_offered_again_after_a_day(hit):
    end(hit, HitState.EXPIRED)
    Hit.objects.update(reported_submissions=1, reported_at=NOW)
    assert short() == 0
    assert short_attempts(now=NOW + timedelta(days=2)).count() == 1


@pytest.mark.parametrize("state", [AssignmentState.SUBMITTED, AssignmentState.REJECTING])
def test_item_is_not_offered_again_before_its_rejection_is_final(hit, state):
    end(hit, HitState.FINISHED)
    submit(hit, SubmissionState.ACCEPTED)
    rejected = submit(hit, SubmissionState.REJECTED)
    Assignment.objects.filter(pk=rejected.pk).update(state=state, decided_at=None)
    assert short() == 0


def test_item_of_a_qualification_round_is_never_short(hit):
    end(hit, HitState.EXPIRED)
    Item.objects.update(in_production=False)
    assert short() == 0


# --- the policy of the batch ---------------------------------------------------------------------


def test_policy_limits_republications_and_zero_means_never(batch, hit):
    Batch.objects.update(republish_limit=2)
    for _ in range(2):
        end(hit, HitState.EXPIRED)
        assert republish_due_items(clock=clock) == 1
    end(hit, HitState.EXPIRED)
    assert (short(), republish_due_items(clock=clock)) == (1, 0)
    Batch.objects.update(republish_limit=3)
    assert republish_due_items(clock=clock) == 1
    end(hit, HitState.EXPIRED)
    Batch.objects.update(republish_limit=0)
    assert republish_due_items(clock=clock) == 0
    assert republish_items(project=batch.project, actor="me", now=NOW).raised == 1


def test_paused_batch_offers_nothing_again(batch, hit):
    end(hit, HitState.EXPIRED)
    pause_batch(batch=batch, actor="me", now=NOW)
    assert republish_due_items(clock=clock) == 0
    assert republish_items(project=batch.project, actor="me", now=NOW).total == 0


def test_manually_ended_hit_is_only_offered_again_manually(batch, hit):
    end(hit, HitState.EXPIRED)
    Task.objects.update(ended_at=NOW)
    assert republish_due_items(clock=clock) == 0
    assert republish_items(project=batch.project, actor="me", now=NOW).raised == 1
    assert Task.objects.get().ended_at is None


def test_insufficient_budget_is_stored_on_the_batch(batch, hit):
    end(hit, HitState.EXPIRED)
    Budget.objects.update(reserved_cents=0, cap_cents=10)
    assert republish_due_items(clock=clock) == 0
    batch.refresh_from_db()
    assert "dollars left" in batch.republish_problem
    hit.refresh_from_db()
    assert (hit.state, hit.reservation_round) == (HitState.EXPIRED, 0)
    Budget.objects.update(cap_cents=None)
    assert republish_due_items(clock=clock) == 1
    batch.refresh_from_db()
    assert batch.republish_problem == ""


# --- other workers and limits ----------------------------------------------------------------------


def test_refused_hit_is_republished_without_its_workers_in_the_pool(project):
    pool = define_qualification(provider="mturk", code="pool", name="Pool", description="x")
    worker = make_worker()
    grant_qualification(qualification=pool, worker=worker, now=NOW)
    hit = hits_of(publish_batch(project=project, now=NOW, pool=pool)).get()
    end(hit, HitState.FINISHED)
    Hit.objects.update(error="can't be raised")
    submit(hit, SubmissionState.ACCEPTED, worker)
    assert republish_due_items(clock=clock) == 1
    second = TaskItem.objects.get(attempt=1).task.hit
    assert second.max_assignments == 1
    assert second.hit_type.qualifications == [
        {"code": "pool", "comparator": "NotIn", "integers": [1]}
    ]


@pytest.mark.parametrize("groups", [(), (2,)])
def test_refused_hit_without_numbered_pool_is_republished_to_new_workers(project, groups):
    pool = define_qualification(provider="mturk", code="pool", name="Pool", description="x")
    chosen = {"pool": pool, "groups": groups} if groups else {}
    hit = hits_of(publish_batch(project=project, now=NOW, **chosen)).get()
    end(hit, HitState.FINISHED)
    Hit.objects.update(error="can't be raised")
    first = submit(hit, SubmissionState.REJECTED).worker
    assert republish_due_items(clock=clock) == 1
    requirements = TaskItem.objects.get(attempt=1).task.hit.hit_type.qualifications
    assert requirements[-1]["comparator"] == "DoesNotExist"
    code = requirements[-1]["code"]
    grants = QualificationGrant.objects.filter(qualification_type__code=code)
    assert [grant.worker for grant in grants] == [first]


def test_worker_who_did_the_item_sees_a_notice_and_new_work_does_not_count(hit, client, settings):
    end(hit, HitState.FINISHED)
    Hit.objects.update(error="can't be raised")
    first = submit(hit, SubmissionState.REJECTED)
    submit(hit, SubmissionState.ACCEPTED)
    republish_due_items(clock=clock)
    task = TaskItem.objects.get(attempt=1).task
    query = {"worker": first.worker.external_id, "submit_to": settings.MTURK_WORKER_ORIGINS[0]}
    page = client.get(task_url(task, assignment="A2", **query))
    assert b"You already did this task" in page.content
    again = client.get(task_url(hit.task, assignment=first.external_id, **query))
    assert b"You already did this task" not in again.content
    other = client.get(task_url(task, submit_to=query["submit_to"]))
    assert b"You already did this task" not in other.content
    late = make_assignment(task.hit, first.worker)
    (work,) = record_assignment(assignment_id=late.pk, parse=parse_generation, now=NOW)
    assert work.state == SubmissionState.WITHDRAWN


def test_replaced_rejected_work_can_be_paid_but_not_used(hit):
    end(hit, HitState.FINISHED)
    submit(hit, SubmissionState.ACCEPTED)
    rejected = submit(hit, SubmissionState.REJECTED)
    republish_due_items(clock=clock)
    overturn = {"assignment": rejected, "reason": "Fair enough.", "actor": "me", "now": NOW}
    with pytest.raises(OverturnError, match="Another worker has already replaced"):
        overturn_rejection(use=True, **overturn)
    overturn_rejection(use=False, **overturn)
    rejected.refresh_from_db()
    assert rejected.state == AssignmentState.APPROVED
    assert Submission.objects.live().count() == 1


def test_rejected_work_without_replacement_can_count_again(hit):
    end(hit, HitState.FINISHED)
    submit(hit, SubmissionState.ACCEPTED)
    rejected = submit(hit, SubmissionState.REJECTED)
    Submission.objects.filter(assignment=rejected).update(content={"questions": []})
    with pytest.raises(ValueError, match="Enter a reason"):
        overturn_rejection(assignment=rejected, use=True, reason=" ", actor="me", now=NOW)
    overturn_rejection(assignment=rejected, use=True, reason="Sound.", actor="me", now=NOW)
    assert (Submission.objects.live().count(), short()) == (2, 0)


# --- races and kills -------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite has no row locks")
def test_concurrent_sweeps_offer_each_place_once(project):
    for _ in range(9):
        make_item(project)
    batch = publish_batch(project=project, now=NOW)
    for number, hit in enumerate(hits_of(batch).order_by("pk")):
        end(hit, HitState.FINISHED if number % 2 else HitState.EXPIRED)
        if number % 2:
            submit(hit, SubmissionState.ACCEPTED)
            submit(hit, SubmissionState.REJECTED)
    Hit.objects.filter(pk__in=list(hits_of(batch).values_list("pk", flat=True)[:2])).update(
        error="can't be raised"
    )
    gate, counts = threading.Barrier(4), []

    def run() -> None:
        try:
            gate.wait()
            counts.append(republish_due_items(clock=clock))
        finally:
            connections["default"].close()

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(counts) == 10
    assert set(
        TaskItem.objects.filter(attempt=0, republications=1).values_list("item", flat=True)
    ) | set(
        TaskItem.objects.filter(attempt=1, republications=1).values_list("item", flat=True)
    ) == set(Item.objects.values_list("pk", flat=True))
    assert TaskItem.objects.count() == 12  # two HITs could not be offered again
    reserved = sum(reserved_cents_left(hits=list(Hit.objects.all())).values())
    assert Budget.objects.get().reserved_cents == reserved


def kill_at(number: int):
    """Return a database wrapper that kills the process before a given statement."""
    count = 0

    def wrapper(execute, sql, params, many, context):
        nonlocal count
        count += 1
        if count == number:
            raise Killed
        return execute(sql, params, many, context)

    return wrapper


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("is_new", [False, True], ids=["existing HIT", "new HIT"])
def test_republication_is_atomic_when_killed(hit, is_new):
    end(hit, HitState.FINISHED)
    submit(hit, SubmissionState.ACCEPTED)
    submit(hit, SubmissionState.REJECTED)
    Hit.objects.update(error="can't be raised" if is_new else "")
    attempt = hit.task.task_items.get()

    def state():
        rows = Hit.objects.order_by("pk").values_list("increase_to", "expiration_wanted")
        return (
            list(rows),
            list(TaskItem.objects.order_by("pk").values_list("attempt", "republications")),
            Budget.objects.values_list("reserved_cents").get(),
        )

    before, kills = state(), 0
    while True:
        kills += 1
        try:
            with connection.execute_wrapper(kill_at(kills)):
                republish_attempt(task_item_id=attempt.pk, actor="me", now=NOW)
        except Killed:
            assert state() == before
        else:
            break
    assert kills > 10
    assert state() != before
    assert short() == 0
