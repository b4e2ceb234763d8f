"""Limits on the size, number and age of drafts, which anyone with a task address can save."""

import json
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.domain.work.drafts import LATE
from annotation.domain.work.unconfirmed_drafts import AGE, AGE_SUBMITTED, delete_unconfirmed_drafts
from annotation.models import Draft
from annotation.page_messages import MAX_CONTENT_BYTES, MAX_MESSAGE_BYTES
from annotation.tasks import delete_unconfirmed_drafts as sweep
from crowd.domain.provider.hold_publishing import hold_publishing
from crowd.models import Assignment, Worker
from tests.annotation.factories import make_item, make_task
from tests.annotation.test_worker_page import WHO, content, opened, send, task
from tests.crowd.factories import make_assignment, make_worker

__all__ = ["task"]
pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


def confirm(task, worker: str) -> None:
    """Confirm the assignment as the marketplace sync does."""
    person = make_worker()
    Worker.objects.filter(pk=person.pk).update(external_id=worker)
    assignment = make_assignment(task.hit, person)
    Assignment.objects.filter(pk=assignment.pk).update(external_id=f"A{worker}")


def save(client: Client, task, worker: str, *, address: str = "192.0.2.7", is_signed: bool = False):
    page = opened(client, task, assignment=f"A{worker}", worker=worker, is_signed=is_signed)
    token = page["token"]
    body = json.dumps({"token": token, "revision": 0, "content": content(task)})
    return client.post(
        reverse("annotation:draft"), body, content_type="text/plain", REMOTE_ADDR=address
    )


def submit(client: Client, task, worker: str):
    page = opened(client, task, assignment=f"A{worker}", worker=worker, is_signed=False)
    token = page["token"]
    return send(client, "submit", token=token, content=content(task, WHO))


def test_content_of_256_kib_is_stored_and_more_is_refused(client, task):
    token = opened(client, task)["token"]
    most = MAX_CONTENT_BYTES - len('{"1":""}')
    assert send(client, "draft", token=token, content={"1": "x" * most}).status_code == 200
    refused = send(client, "draft", token=token, revision=1, content={"1": "x" * (most + 1)})
    assert refused.status_code == 413
    assert "too large" in refused.json()["error"]
    assert Draft.objects.get().revision == 1


def test_long_log_does_not_count_as_content(client, task):
    token = opened(client, task)["token"]
    log = [[1, "step", "x" * 200]] * 2000
    assert send(client, "draft", token=token, moves=2000, log=log, content={}).status_code == 200


def test_message_above_the_limit_is_refused_unread(client, task):
    response = client.post(
        reverse("annotation:draft"), b"[" * (MAX_MESSAGE_BYTES + 1), content_type="text/plain"
    )
    assert response.status_code == 413


def test_address_has_a_limited_number_of_drafts_of_a_task(client, task, settings):
    settings.DRAFTS_PER_TASK_AND_ADDRESS = 2
    answers = [save(client, task, f"W{number}").status_code for number in range(4)]
    assert answers == [200, 200, 429, 429]
    assert save(client, task, "W1").status_code == 200  # an existing draft
    assert save(client, task, "W9", address="192.0.2.8").status_code == 200


def test_submitted_work_counts_too(client, task, settings):
    settings.DRAFTS_PER_TASK_AND_ADDRESS = 1
    assert submit(client, task, "W1").status_code == 200
    assert submit(client, task, "W2").status_code == 429


def test_addresses_of_one_ipv6_network_count_together(client, task, settings):
    settings.DRAFTS_PER_TASK_AND_ADDRESS = 1
    assert save(client, task, "W1", address="2001:db8:1:1::1").status_code == 200
    assert save(client, task, "W2", address="2001:db8:1:1::2").status_code == 429
    assert save(client, task, "W3", address="2001:db8:1:2::1").status_code == 200


def test_confirmed_drafts_do_not_count(client, task, settings):
    settings.DRAFTS_PER_TASK_AND_ADDRESS = 1
    save(client, task, "W1")
    confirm(task, "W1")
    assert save(client, task, "W2").status_code == 200


def test_address_has_a_limited_number_of_drafts_over_all_tasks(client, task, settings):
    settings.DRAFTS_PER_ADDRESS = 2
    others = [make_task([make_item(task.batch.project)]) for _ in range(3)]
    answers = [save(client, other, "W1").status_code for other in others]
    assert answers == [200, 200, 429]
    assert save(client, others[2], "W1", address="192.0.2.8").status_code == 200
    assert save(client, others[2], "W2", is_signed=True).status_code == 200


def test_drafts_are_limited_in_total(client, task, settings):
    settings.UNCONFIRMED_DRAFTS = 2
    answers = [
        save(client, task, f"W{number}", address=f"192.0.2.{number}").status_code
        for number in range(3)
    ]
    assert answers == [200, 200, 429]
    assert save(client, task, "W9", is_signed=True).status_code == 200


def test_log_is_stored_only_after_the_claim_is_confirmed(client, task):
    log = {"moves": 2, "log": [[1, "step", "one"], [2, "step", "two"]]}
    token = opened(client, task, is_signed=False)["token"]
    stored = send(client, "draft", token=token, content={}, **log)
    assert stored.json()["moves"] == 0  # so that the page sends the log again
    assert Draft.objects.get().log == []
    token = opened(client, task)["token"]
    stored = send(client, "draft", token=token, revision=1, content={}, **log)
    assert stored.json()["moves"] == 2
    assert Draft.objects.get().log == log["log"]


def test_draft_is_closed_long_after_the_time_of_the_assignment(client, task):
    token = opened(client, task)["token"]
    assert send(client, "draft", token=token, content={}).status_code == 200
    seconds = task.hit.hit_type.assignment_seconds
    late = timezone.now() - LATE - timedelta(seconds=seconds)
    Draft.objects.update(opened_at=late + HOUR)
    assert send(client, "draft", token=token, revision=1, content={}).status_code == 200
    Draft.objects.update(opened_at=late - HOUR)
    assert send(client, "draft", token=token, revision=2, content={}).status_code == 410
    assert send(client, "submit", token=token, content=content(task, WHO)).status_code == 410
    assert Draft.objects.get().revision == 2


def test_submitted_draft_is_closed_a_day_later(client, task):
    token = opened(client, task)["token"]
    first = {"token": token, "content": content(task, WHO), "save_id": "a"}
    assert send(client, "submit", **first).status_code == 200
    assert send(client, "submit", **first).status_code == 200
    Draft.objects.update(submitted_at=timezone.now() - LATE - HOUR)
    again = {**first, "save_id": "b", "revision": 1}
    assert send(client, "submit", **again).status_code == 410
    assert Draft.objects.get().revision == 1


def test_draft_stores_no_address(client, task):
    submit(client, task, "W1")
    draft = Draft.objects.get()
    assert len(draft.address_digest) == 16
    assert "127.0.0.1" not in json.dumps(Draft.objects.values().get(), default=str)
    delete_unconfirmed_drafts(now=timezone.now() + AGE + HOUR)
    assert Draft.objects.get().address_digest == ""


def test_unconfirmed_draft_is_deleted_a_day_after_its_deadline(client, task):
    save(client, task, "W1")
    time = timedelta(seconds=task.hit.hit_type.assignment_seconds)
    saved = Draft.objects.get().saved_at
    assert delete_unconfirmed_drafts(now=saved + AGE + time) == 0
    assert delete_unconfirmed_drafts(now=saved + AGE + time + HOUR) == 1
    assert not Draft.objects.exists()


def test_submitted_draft_stays_for_a_week(client, task):
    save(client, task, "W1")
    Draft.objects.update(submitted_at=timezone.now())
    saved = Draft.objects.get().saved_at
    assert delete_unconfirmed_drafts(now=saved + AGE_SUBMITTED) == 0
    assert delete_unconfirmed_drafts(now=saved + AGE_SUBMITTED + HOUR) == 1


def test_confirmed_draft_stays(client, task):
    save(client, task, "W1")
    confirm(task, "W1")
    assert delete_unconfirmed_drafts(now=timezone.now() + timedelta(days=365)) == 0
    assert Draft.objects.exists()


def test_drafts_stay_until_a_restored_site_is_synced(client, task):
    save(client, task, "W1")
    Draft.objects.update(saved_at=timezone.now() - timedelta(days=30))
    hold_publishing(reason="Restored.", actor="restore", now=timezone.now())
    sweep()
    assert Draft.objects.exists()
