"""Pages in the frames of a marketplace that signs no addresses, such as Amazon's."""

import pytest
from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone

from annotation.models import BlockAssignment, Draft, FinishedTutorial
from crowd.domain.hits.create_hits import create_pending_hits
from tests.annotation.factories import make_item, make_project, make_task, task_url
from tests.annotation.test_worker_page import ORIGIN, content, page_of, send
from tests.crowd.conftest import wire
from tests.crowd.in_process import accept, join

__all__ = ["wire"]
pytestmark = pytest.mark.django_db
LOG = {"moves": 1, "log": [[1, "step", "one"]]}


@pytest.fixture
def task(settings, wire):
    settings.MTURK_IS_OURS = False
    cache.clear()
    task = make_task([make_item(make_project())])
    task.block = 1
    task.save()
    create_pending_hits(clock=timezone.now)
    task.hit.refresh_from_db()
    return task


def test_page_waits_until_the_marketplace_confirms_the_claim(client, task):
    address = task_url(task, submit_to=ORIGIN, is_signed=False)
    waiting = client.get(address)
    assert (waiting.status_code, waiting.headers["Refresh"]) == (403, "5")
    assert "Waiting for the marketplace" in waiting.content.decode()
    accept(task.hit, join(1))
    cache.clear()  # after some seconds
    page = page_of(client.get(address))
    assert page["tutorial"]
    assert BlockAssignment.objects.get().worker_ref == "W1"


def test_page_loads_its_tutorial_and_stores_its_log(client, task, wire):
    accept(task.hit, join(1))
    page = page_of(client.get(task_url(task, submit_to=ORIGIN, is_signed=False)))
    wire.faults = lambda operation: "throttle=1"  # the token is enough from here on
    stored = send(client, "draft", token=page["token"], content=content(task), **LOG)
    assert stored.json()["moves"] == 1
    assert Draft.objects.get().log == LOG["log"]
    # Somebody is working on the task, who need not be the worker of the claim.
    assert not Draft.objects.get().is_confirmed


def test_drafts_and_marks_are_limited_although_somebody_is_working(client, task, settings):
    settings.DRAFTS_PER_ADDRESS, settings.UNCONFIRMED_DRAFTS = 1, 2
    accept(task.hit, join(1))
    tokens = [
        page_of(client.get(task_url(task, worker=worker, submit_to=ORIGIN, is_signed=False)))[
            "token"
        ]
        for worker in ("W1", "W2", "W3")
    ]
    saved = [send(client, "draft", token=token, content={}).status_code for token in tokens]
    assert saved == [200, 429, 429]
    address = reverse("annotation:tutorial")
    marks = [
        client.post(address, {"token": token, "done": True}, content_type="application/json")
        for token in tokens
    ]
    assert [mark.status_code for mark in marks] == [200, 200, 429]
    assert FinishedTutorial.objects.count() == 2
