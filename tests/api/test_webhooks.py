"""Webhooks by API: their secrets, changes, deliveries and replays."""

import json

import pytest
from django.urls import reverse

from projects.domain.webhooks import MAX_WEBHOOKS, secret_of
from projects.enums import MemberRole
from projects.models import Webhook
from tests.api.conftest import calling
from tests.dashboard.campaign import make_project, make_user
from tests.projects.webhooks import SECRET, make_webhook
from web.models import AnsweredRequest

pytestmark = pytest.mark.django_db
NEW = {"url": "https://hooks.example/x", "events": ["job.finished", "gold.created"]}


@pytest.fixture
def admin(project, settings):
    settings.WEBHOOK_HOSTS = ["hooks.example"]
    return calling(make_user("ada", project, MemberRole.ADMIN))


def send(client, name, *arguments, body=None, method="POST", **headers):
    url = reverse(f"api:{name}", args=["demo", *arguments])
    data = json.dumps(body or {})
    return client.generic(method, url, data, content_type="application/json", headers=headers)


def get(client, name, *arguments):
    return client.get(reverse(f"api:{name}", args=["demo", *arguments]))


def test_secret_is_in_the_first_response_only(admin):
    response = send(admin, "webhooks", body=NEW)
    assert response.status_code == 201
    created = response.json()
    webhook = Webhook.objects.get()
    assert created.pop("secret") == secret_of(webhook)
    assert created["events"] == ["job.finished", "gold.created"]
    assert response.headers["Location"].endswith(f"/webhooks/{webhook.pk}/")
    assert get(admin, "webhook", webhook.pk).json() == created
    assert get(admin, "webhooks").json()["results"] == [created]


def test_repeated_request_creates_nothing_and_has_no_secret(admin):
    headers = {"Idempotency-Key": "one"}
    first = send(admin, "webhooks", body=NEW, **headers).json()
    again = send(admin, "webhooks", body=NEW, **headers)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.json() == first | {"secret": None}
    assert first["secret"] not in json.dumps(AnsweredRequest.objects.get().body)
    assert Webhook.objects.count() == 1


@pytest.mark.parametrize(
    ("body", "attr"),
    [
        (NEW | {"url": "https://10.0.0.1/"}, "url"),
        (NEW | {"url": "hooks.example"}, "url"),
        (NEW | {"events": []}, "events"),
        (NEW | {"events": ["ping"]}, "events.0"),
        (NEW | {"event": ["gold.created"]}, "event"),
        ({"url": NEW["url"]}, "events"),
    ],
)
def test_invalid_webhook_is_refused(admin, body, attr):
    response = send(admin, "webhooks", body=body)
    assert response.status_code == 400
    assert attr in {error["attr"] for error in response.json()["errors"]}
    assert not Webhook.objects.exists()


def test_project_has_a_limited_number(admin):
    for _ in range(MAX_WEBHOOKS):
        assert send(admin, "webhooks", body=NEW).status_code == 201
    response = send(admin, "webhooks", body=NEW)
    assert (response.status_code, response.json()["errors"][0]["code"]) == (409, "limit_reached")


def test_webhook_is_changed_unless_it_has_changed(admin, project):
    webhook = make_webhook(project)
    etag = get(admin, "webhook", webhook.pk).headers["ETag"]
    change = {"is_active": False, "events": ["job.failed"]}
    response = send(admin, "webhook", webhook.pk, body=change, method="PATCH", **{"If-Match": etag})
    assert response.status_code == 200
    assert response.json() | change == response.json()
    late = send(admin, "webhook", webhook.pk, body=NEW, method="PATCH", **{"If-Match": etag})
    assert late.status_code == 412
    refused = send(admin, "test_webhook", webhook.pk)
    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (409, "invalid_state")


def test_deliveries_are_listed_and_sent_again(admin, project):
    webhook = make_webhook(project, deliveries=3)
    ping = send(admin, "test_webhook", webhook.pk)
    assert ping.status_code == 202
    newest, *others = get(admin, "deliveries", webhook.pk).json()["results"]
    assert newest == ping.json()
    assert (newest["event"], newest["state"], newest["attempts"]) == ("ping", "pending", 0)
    assert newest["body"]["type"] == "ping"
    assert [row["event_id"] for row in others] == ["evt_2", "evt_1", "evt_0"]
    assert others[0]["due_at"] is None
    again = send(admin, "replay_delivery", webhook.pk, others[0]["id"])
    assert (again.status_code, again.json()["state"]) == (202, "pending")
    assert again.json()["body"] == others[0]["body"]
    pending = send(admin, "replay_delivery", webhook.pk, others[0]["id"])
    assert pending.status_code == 409
    url = reverse("api:deliveries", args=["demo", webhook.pk])
    assert len(admin.get(f"{url}?state=pending").json()["results"]) == 2


def test_webhook_is_removed(admin, project):
    webhook = make_webhook(project)
    assert send(admin, "remove_webhook", webhook.pk).json()["id"] == webhook.pk
    assert not Webhook.objects.exists()


def test_webhooks_of_other_projects_are_not_found(admin, project):
    own, other = make_webhook(project), make_webhook(make_project("other"))
    delivery = other.deliveries.get().pk
    assert get(admin, "webhook", other.pk).status_code == 404
    assert get(admin, "deliveries", other.pk).status_code == 404
    for name in ("remove_webhook", "test_webhook"):
        assert send(admin, name, other.pk).status_code == 404
    for webhook in (own, other):
        assert send(admin, "replay_delivery", webhook.pk, delivery).status_code == 404


def test_no_response_has_a_stored_secret(admin, project):
    webhook = make_webhook(project)
    answers = [get(admin, name, *at) for name, at in (("webhooks", []), ("webhook", [webhook.pk]))]
    answers += [get(admin, "deliveries", webhook.pk)]
    for answer in answers:
        assert SECRET not in answer.content.decode()
        assert webhook.sealed_secret not in answer.content.decode()
