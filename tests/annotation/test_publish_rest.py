"""Publishing of large batches in a job, which may be stopped, killed or short of money."""

import os
import signal
import threading
import time
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db.models import F, Sum
from django.urls import reverse

from annotation.domain.publishing.batch_actions import (
    expire_batch,
    extend_batch,
    hits_of,
    keep_open,
    pause_batch,
    resume_batch,
    top_up_batches,
)
from annotation.domain.publishing.publish import (
    AT_A_TIME,
    PublicationRunningError,
    cost_of,
    publish_batch,
)
from annotation.domain.publishing.publish_rest import (
    finish_publication,
    has_stopped,
    published_count,
)
from annotation.domain.publishing.withdraw_items import withdraw_items
from annotation.enums import BatchState
from annotation.models import Batch, TaskItem
from audit.domain.change_state import TransitionNotAllowedError
from audit.models import StateChange
from crowd.domain.hits.manage_hits import HitChangeError
from crowd.domain.money.ledger import BudgetExceededError, set_cap
from crowd.models import Budget, Hit, LedgerEntry
from jobs.domain.cancel_job import cancel_job
from jobs.domain.kinds import ATTEMPTS
from jobs.domain.run_jobs import run_next_job
from jobs.enums import JobState
from jobs.models import Job
from tests.annotation.factories import NOW
from tests.api.conftest import calling
from tests.dashboard.campaign import add_items, make_project, make_user
from tests.forked import in_fork

pytestmark = pytest.mark.django_db

ITEMS = 2 * AT_A_TIME + 100


@pytest.fixture
def project():
    project = make_project()
    add_items(project, ITEMS)
    return project


def at(now=NOW):
    return lambda: now


def published(project, **options) -> Batch:
    return publish_batch(project=project, now=NOW, actor="rita", **options)


def run_job(now=NOW) -> Job:
    assert run_next_job(clock=at(now))
    return Job.objects.filter(kind="publication").latest("pk")


def check_books(batch: Batch, items: int) -> None:
    """Check that each item has one HIT, whose cost is reserved once under each budget."""
    assert published_count(batch) == items
    assert TaskItem.objects.filter(task__batch=batch).values("item").distinct().count() == items
    entries = LedgerEntry.objects.filter(hit__task__batch=batch)
    assert entries.count() == entries.values("hit").distinct().count() == items
    assert Hit.objects.count() == items
    cents = entries.aggregate(cents=Sum(F("amount_cents") + F("fee_cents")))["cents"]
    assert cents == cost_of(batch, items)
    for budget in filter(None, (batch.project.budget, batch.budget)):
        assert Budget.objects.get(pk=budget.pk).reserved_cents == cents


def test_few_items_are_published_at_once(project):
    batch = published(project, limit=AT_A_TIME)
    assert (batch.state, batch.to_publish, batch.publication) == (BatchState.OPEN, None, None)
    check_books(batch, AT_A_TIME)
    assert not Job.objects.exists()


def test_many_items_are_published_by_a_job(project):
    batch = published(project, cap_cents=10**7)
    assert (batch.state, batch.to_publish) == (BatchState.PUBLISHING, ITEMS)
    check_books(batch, AT_A_TIME)
    job = run_job()
    assert (job.state, job.result) == (JobState.FINISHED, {"published": ITEMS})
    assert (job.progress, job.total) == ({"items": ITEMS}, ITEMS)
    batch.refresh_from_db()
    assert (batch.state, batch.to_publish) == (BatchState.OPEN, None)
    check_books(batch, ITEMS)
    changes = StateChange.objects.filter(aggregate="annotation.Batch").order_by("pk")
    cents = cost_of(batch, ITEMS)
    assert [(row.old, row.new, row.actor, row.reason) for row in changes] == [
        ("", "publishing", "rita", f"500 items for at most ${cents / 100:,.2f}"),
        ("publishing", "open", "rita", f"500 HITs, ${cents / 100:,.2f}"),
    ]


def test_limit_and_number_to_keep_open_hold_for_the_job(project):
    batch = published(project, limit=ITEMS - 100, keep_open=AT_A_TIME + 100)
    assert batch.to_publish == AT_A_TIME + 100
    run_job()
    check_books(batch, AT_A_TIME + 100)
    assert top_up_batches(clock=at()) == 0


@pytest.mark.django_db(transaction=True)
@pytest.mark.slow
def test_killed_job_goes_on_where_it_was(project, settings):
    add_items(project, 8 * AT_A_TIME)
    total = ITEMS + 8 * AT_A_TIME
    batch = published(project)

    def work_until_killed() -> None:
        threading.Thread(target=kill_in_the_middle, daemon=True).start()
        run_next_job(clock=at())

    def kill_in_the_middle() -> None:
        while published_count(batch) < 2 * AT_A_TIME:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGKILL)

    assert os.WTERMSIG(in_fork(work_until_killed)) == signal.SIGKILL
    batch.refresh_from_db()
    assert batch.state == BatchState.PUBLISHING
    assert 2 * AT_A_TIME <= published_count(batch) < total
    check_books(batch, published_count(batch))
    assert not run_next_job(clock=at())
    job = run_job(NOW + settings.LEASE + timedelta(seconds=1))
    assert (job.state, job.attempts, job.result) == (JobState.FINISHED, 2, {"published": total})
    batch.refresh_from_db()
    assert batch.state == BatchState.OPEN
    check_books(batch, total)


def test_job_that_is_killed_each_time_leaves_the_batch_open(project, settings):
    batch = published(project)
    Job.objects.update(state=JobState.RUNNING, attempts=ATTEMPTS, leased_until=NOW)
    job = run_job(NOW + timedelta(seconds=1))
    assert job.state == JobState.FAILED
    batch.refresh_from_db()
    assert (batch.state, has_stopped(batch)) == (BatchState.OPEN, True)
    resume_batch(batch=batch, actor="rita", now=NOW)
    run_job()
    check_books(batch, ITEMS)


def test_insufficient_budget_for_all_the_items_publishes_none(project):
    probe = published(project, limit=1)
    cents = cost_of(probe, 1)
    set_cap(budget=project.budget, cap_cents=cents * (ITEMS - 1))
    with pytest.raises(BudgetExceededError):
        published(project)
    with pytest.raises(BudgetExceededError):
        published(project, cap_cents=cents * (ITEMS - 2))
    assert (Batch.objects.count(), Hit.objects.count()) == (1, 1)
    assert published(project, limit=ITEMS - 2).to_publish == ITEMS - 2


def test_budget_that_shrinks_meanwhile_fails_the_job_which_can_go_on(project):
    batch = published(project)
    set_cap(budget=project.budget, cap_cents=cost_of(batch, 2 * AT_A_TIME + 1))
    job = run_job()
    assert job.state == JobState.FAILED
    assert job.problem.startswith("400 of 500 items were published. The budget project:")
    batch.refresh_from_db()
    assert (batch.state, batch.to_publish, has_stopped(batch)) == (BatchState.OPEN, ITEMS, True)
    check_books(batch, 2 * AT_A_TIME)
    set_cap(budget=project.budget, cap_cents=None)
    resume_batch(batch=batch, actor="rita", now=NOW)
    batch.refresh_from_db()
    assert (batch.state, has_stopped(batch)) == (BatchState.PUBLISHING, False)
    assert run_job().state == JobState.FINISHED
    check_books(batch, ITEMS)
    batch.refresh_from_db()
    with pytest.raises(TransitionNotAllowedError):
        resume_running(batch)


def resume_running(batch: Batch) -> None:
    Batch.objects.filter(pk=batch.pk).update(state=BatchState.PUBLISHING, to_publish=ITEMS)
    Job.objects.update(state=JobState.RUNNING)
    resume_batch(batch=batch, actor="rita", now=NOW)


def test_cancelled_publication_keeps_what_it_published(project):
    batch = published(project)
    cancel_job(job=batch.publication, actor="rita", now=NOW)
    assert not run_next_job(clock=at())
    batch.refresh_from_db()
    assert (batch.state, has_stopped(batch)) == (BatchState.OPEN, True)
    last = StateChange.objects.filter(aggregate="annotation.Batch").latest("pk")
    assert last.reason == "200 of 500 items were published."
    check_books(batch, AT_A_TIME)
    rest = published(project, limit=100)
    assert published_count(rest) == 100


def test_pause_stops_the_publication_until_the_batch_is_resumed(project):
    batch = published(project)
    assert pause_batch(batch=batch, actor="rita", now=NOW) == AT_A_TIME
    assert run_job().result == {"published": AT_A_TIME}
    batch.refresh_from_db()
    assert batch.state == BatchState.PAUSED
    assert resume_batch(batch=batch, actor="rita", now=NOW) == AT_A_TIME
    run_job()
    batch.refresh_from_db()
    assert batch.state == BatchState.OPEN
    check_books(batch, ITEMS)


def test_end_of_the_batch_ends_the_publication(project):
    batch = published(project)
    assert expire_batch(batch=batch, actor="rita", now=NOW) == AT_A_TIME
    run_job()
    batch.refresh_from_db()
    assert (batch.state, batch.to_publish) == (BatchState.CLOSED, None)
    assert published_count(batch) == AT_A_TIME
    assert Budget.objects.get(pk=project.budget_id).reserved_cents == 0


def test_batch_that_is_being_published_cannot_be_extended(project):
    batch = published(project)
    order = {"batch": batch, "actor": "rita", "now": NOW, "ends_at": NOW + timedelta(days=30)}
    with pytest.raises(TransitionNotAllowedError):
        extend_batch(**order)
    with pytest.raises(HitChangeError, match="still being published"):
        extend_batch(**order, hits=hits_of(batch))


def test_one_batch_of_a_project_is_published_at_a_time(project):
    kept_open = published(project, keep_open=1)
    keep_open(batch=kept_open, count=3, actor="rita", now=NOW)
    first = published(project, limit=AT_A_TIME + 1)
    with pytest.raises(PublicationRunningError, match="Batch 2 is still being published"):
        published(project, limit=1)
    assert top_up_batches(clock=at()) == 0
    run_job()
    assert published_count(first) == AT_A_TIME + 1
    assert top_up_batches(clock=at()) == 2
    assert published_count(published(project, limit=1)) == 1


def test_items_withdrawn_meanwhile_are_left_out(project):
    batch = published(project)
    last = project.items.order_by("-position").values("pk")[:150]
    chosen = project.items.filter(pk__in=[row["pk"] for row in last])
    withdraw_items(items=chosen, reason="Not English.", actor="rita", now=NOW)
    assert run_job().result == {"published": ITEMS - 150}
    batch.refresh_from_db()
    assert (batch.state, batch.to_publish) == (BatchState.OPEN, None)


def test_publication_is_finished_without_its_job(project):
    batch = published(project)
    assert finish_publication(batch=batch, actor="rita", clock=at()) == ITEMS
    assert run_job().result == {"published": ITEMS}
    check_books(batch, ITEMS)


# --- pages, API and commands


@pytest.mark.django_db(transaction=True)
def test_page_shows_the_progress_and_what_can_be_done(client, project):
    user = make_user("rita", project, "requester")
    client.force_login(user)
    form = {"count": ITEMS, "unpublished": ITEMS, "confirmed": "yes"}
    page = client.post(reverse("annotation:publish", args=[project.slug]), form, follow=True)
    content = page.content.decode()
    assert "500 HITs are being created" in content
    assert "200 of 500 items are published. You can leave this page." in content
    assert "Stop publishing" in content
    batch = Batch.objects.get()
    again = client.post(
        reverse("annotation:publish", args=[project.slug]),
        {"count": 1, "unpublished": ITEMS - AT_A_TIME, "confirmed": "yes"},
    )
    assert again.status_code == 422
    assert "is still being published" in again.content.decode()

    stop = reverse("dashboard:cancel_job", args=[project.slug, batch.publication_id])
    assert client.post(stop).status_code == 302
    address = reverse("consolidation:batch", args=[project.slug, batch.pk])
    content = client.get(address).content.decode()
    assert "200 of 500 items are published. Publishing has stopped." in content
    assert "Publish the other 300 items …" in content

    manage = reverse("consolidation:manage_batch", args=[project.slug, batch.pk])
    order = {"action": "resume", "scope": "batch"}
    content = client.post(manage, order).content.decode()
    assert "Publish the other 300 items?" in content
    assert f"for up to ${cost_of(batch, 300) / 100:,.2f}" in content
    page = client.post(manage, {**order, "seen": 0, "confirmed": "yes"}, follow=True)
    assert "The other items are being published." in page.content.decode()
    run_job()
    assert "being published" not in client.get(address).content.decode()
    check_books(batch, ITEMS)
    jobs = client.get(reverse("dashboard:jobs", args=[project.slug])).content.decode()
    assert "500 items published" in jobs
    assert "Cancelled" in jobs


@pytest.mark.django_db(transaction=True)
def test_api_returns_a_batch_that_is_being_published(project):
    api = calling(make_user("rita", project, "requester"))
    url = reverse("api:batches", args=[project.slug])
    key = {"Idempotency-Key": "one"}
    response = api.post(url, {"limit": ITEMS}, content_type="application/json", headers=key)
    assert response.status_code == 201
    body = response.json()
    assert (body["state"], body["to_publish"]) == ("publishing", ITEMS)
    key = {"Idempotency-Key": "two"}
    again = api.post(url, {"limit": 1}, content_type="application/json", headers=key)
    assert again.status_code == 409
    run_job()
    body = api.get(response.headers["Location"]).json()
    assert (body["state"], body["to_publish"]) == ("open", None)


def test_command_names_the_number_to_come(project, capsys):
    call_command("publish", project.slug, limit=ITEMS)
    batch = Batch.objects.get()
    assert capsys.readouterr().out == (
        f"500 HITs are being created. `manage.py batch {batch.pk} show` prints how many have been "
        "published.\n"
    )
    call_command("batch", batch.pk, "show")
    out = capsys.readouterr().out
    assert "is publishing. 200 HITs are open. 200 of 500 items are published." in out
