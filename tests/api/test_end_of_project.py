"""A project is archived, unarchived and deleted, and items are withdrawn and restored, by API."""

import json

import pytest
from django.urls import reverse
from django.utils import timezone

from crowd.models import Assignment, Message
from jobs.models import Job
from projects.enums import MemberRole
from tests.api.conftest import calling
from tests.dashboard.campaign import Campaign, add_items, make_project, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin(project):
    return calling(make_user("ada", project, MemberRole.ADMIN))


def send(client, name, body=None, method="POST", **headers):
    url = reverse(f"api:{name}", args=["demo"])
    data = json.dumps(body or {})
    return client.generic(method, url, data, content_type="application/json", headers=headers)


def errors(response):
    return [(error["attr"], error["code"]) for error in response.json()["errors"]]


def test_archived_project_can_only_be_read_until_it_is_unarchived(admin, project):
    archived = send(admin, "archive_project")
    assert archived.status_code == 200
    assert archived.json()["archived_at"]
    refused = send(admin, "project", {"title": "New"}, method="PATCH")
    assert (refused.status_code, errors(refused)) == (403, [(None, "project_archived")])
    assert send(admin, "archive_project").status_code == 403
    assert send(admin, "unarchive_project").json()["archived_at"] is None
    assert send(admin, "project", {"title": "New"}, method="PATCH").status_code == 200


@pytest.mark.parametrize("name", ["archive_project", "delete_project"])
def test_project_with_open_work_is_kept(admin, project, name):
    Campaign(project, 4)
    response = send(admin, name, {"slug": "demo"} if name == "delete_project" else {})
    assert (response.status_code, errors(response)) == (409, [(None, "invalid_state")])
    assert "open. End their batches first." in response.json()["errors"][0]["detail"]
    project.refresh_from_db()
    assert (project.archived_at, project.deleted_at) == (None, None)


@pytest.mark.parametrize("body", [{}, {"slug": "other"}, {"slug": "demo", "now": True}])
def test_project_is_not_deleted_without_its_slug(admin, project, body):
    make_project("other")
    assert send(admin, "delete_project", body).status_code == 400
    project.refresh_from_db()
    assert project.deleted_at is None


@pytest.mark.parametrize("archived", [True, False])
def test_deleted_project_is_gone_at_once(admin, project, archived):
    if archived:
        send(admin, "archive_project")
    response = send(admin, "delete_project", {"slug": "demo"})
    assert (response.status_code, response.json()["slug"]) == (202, "demo")
    assert Job.objects.get().kind == "deletion"
    assert admin.get(reverse("api:project", args=["demo"])).status_code == 404


@pytest.mark.parametrize("name", ["archive_project", "delete_project", "unarchive_project"])
def test_project_that_has_changed_is_kept(admin, project, name):
    etag = admin.get(reverse("api:project", args=["demo"])).headers["ETag"]
    project.title = "Changed"
    project.save()
    body = {"slug": "demo"} if name == "delete_project" else {}
    assert send(admin, name, body, **{"If-Match": etag}).status_code == 412


def test_items_are_withdrawn_and_restored(api, project):
    keys = [item.key for item in add_items(project, 3)]
    body = {"items": keys[:2], "reason": "Garbled."}
    assert send(api, "withdraw_items", body).json() == {"changed": 2}
    assert send(api, "withdraw_items", body).json() == {"changed": 0}
    assert project.items.exclude(withdrawn_at=None).count() == 2
    assert send(api, "restore_items", {"items": keys}).json() == {"changed": 2}
    assert not project.items.exclude(withdrawn_at=None).exists()


def test_unknown_item_withdraws_nothing(api, project):
    key = add_items(project, 1)[0].key
    response = send(api, "withdraw_items", {"items": [key, "wiki:77/2"], "reason": "Garbled."})
    assert (response.status_code, errors(response)) == (400, [("items", "invalid")])
    assert not project.items.exclude(withdrawn_at=None).exists()


def test_item_of_a_training_round_is_not_withdrawn(api, project):
    item = add_items(project, 1)[0]
    project.items.update(in_production=False)
    response = send(api, "withdraw_items", {"items": [item.key], "reason": "Garbled."})
    assert (response.status_code, errors(response)) == (409, [(None, "invalid_state")])


def test_workers_of_the_project_receive_a_message(api, campaign):
    worker = campaign.workers[0]
    foreign = Campaign(make_project("other"), 4).workers[0]
    body = {
        "workers": [worker.pseudonym, foreign.pseudonym, "WNOBODY"],
        "subject": "New guidelines",
        "text": "Please read them.",
    }
    first, *others = send(api, "message_workers", body).json()["results"]
    assert first == {"worker": worker.pseudonym, "changed": True, "problem": ""}
    assert [row["changed"] for row in others] == [False, False]
    message = Message.objects.get()
    assert (message.worker, message.subject) == (worker, "New guidelines")
    too_long = send(api, "message_workers", body | {"subject": "x" * 1000})
    assert (too_long.status_code, errors(too_long)) == (400, [("subject", "max_length")])


def test_submissions_are_listed_by_the_time_of_their_decision(api, campaign):
    url = reverse("api:submissions", args=["demo"])
    now = timezone.now().replace(microsecond=0)
    decided = campaign.items[1].submissions.filter(state="accepted").first()
    Assignment.objects.filter(pk=decided.assignment_id).update(decided_at=now)
    rows = api.get(url, {"decided_after": now.isoformat()}).json()["results"]
    assert [row["id"] for row in rows] == [decided.pk]
