"""Batches that are changed by API, and the figures of pages after it."""

import json
from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.domain.publishing.queries import count_items, count_waiting
from annotation.models import Batch, Submission
from audit.models import StateChange
from projects.domain.cached_figures import figures_of
from tests.dashboard.campaign import add_items

pytestmark = pytest.mark.django_db


@pytest.fixture
def batch(campaign):
    return campaign.batches["generator"]


def send(api, name, *arguments, body=None, method="POST", **headers):
    url = reverse(f"api:{name}", args=["demo", *arguments])
    headers = {"Idempotency-Key": str(uuid4()), **headers}
    data = json.dumps(body or {})
    return api.generic(method, url, data, content_type="application/json", headers=headers)


def errors_of(response) -> list[tuple[str, str | None]]:
    return [(error["code"], error["attr"]) for error in response.json()["errors"]]


def test_terms_of_a_batch_are_changed(api, batch):
    body = {"keep_open": 5, "cap_cents": 100_000, "republish_limit": 2}
    changed = send(api, "batch", batch.pk, body=body, method="PATCH").json()
    assert {name: changed[name] for name in body} == body
    assert changed == api.get(reverse("api:batch", args=["demo", batch.pk])).json()
    logged = set(
        StateChange.objects.filter(aggregate="annotation.Batch").values_list("new", flat=True)
    )
    assert logged == {"keep open: 5", "limit: $1,000.00", "republication limit: 2"}
    again = send(api, "batch", batch.pk, body={"cap_cents": None}, method="PATCH").json()
    assert again == {**changed, "cap_cents": None}
    assert send(api, "batch", batch.pk, body={}, method="PATCH").json() == again


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"cap_cents": 1}, ("budget_exceeded", None)),
        ({"republish_limit": 21}, ("max_value", "republish_limit")),
        ({"keep_open": 0}, ("min_value", "keep_open")),
        ({"title": "Another"}, ("unknown_field", "title")),
    ],
)
def test_unclear_changes_are_refused(api, batch, body, error):
    assert errors_of(send(api, "batch", batch.pk, body=body, method="PATCH")) == [error]
    batch.refresh_from_db()
    assert (batch.budget, batch.keep_open) == (None, None)


def test_batch_of_consolidations_is_not_topped_up(api, campaign):
    other = campaign.batches["consolidator"]
    response = send(api, "batch", other.pk, body={"keep_open": 5}, method="PATCH")
    assert errors_of(response) == [("invalid", "keep_open")]


def test_change_of_a_changed_batch_is_refused(api, batch):
    tag = api.get(reverse("api:batch", args=["demo", batch.pk])).headers["ETag"]
    send(api, "batch", batch.pk, body={"keep_open": 5}, method="PATCH")
    for name, body in (("extend_batch", {}), ("enlarge_batch", {"assignments": 1})):
        response = send(api, name, batch.pk, body=body, **{"If-Match": tag})
        assert response.status_code == 412, name


def test_batch_is_extended_and_enlarged(api, batch):
    hits = batch.tasks.filter(hit__state="live")
    before = dict(hits.values_list("hit", "hit__max_assignments"))
    later = timezone.now() + timedelta(days=29)
    assert send(api, "extend_batch", batch.pk, body={"days": 30}).status_code == 200
    assert not hits.exclude(hit__expiration_wanted__gt=later).exists()
    assert send(api, "enlarge_batch", batch.pk, body={"assignments": 2}).status_code == 200
    assert dict(hits.values_list("hit", "hit__increase_to")) == {
        pk: count + 2 for pk, count in before.items()
    }
    assert before


@pytest.mark.parametrize(
    ("name", "body", "error"),
    [
        ("extend_batch", {"days": 0}, ("min_value", "days")),
        ("extend_batch", {"day": 3}, ("unknown_field", "day")),
        ("enlarge_batch", {}, ("required", "assignments")),
        ("enlarge_batch", {"assignments": 10}, ("max_value", "assignments")),
    ],
)
def test_unclear_orders_are_refused(api, batch, name, body, error):
    assert errors_of(send(api, name, batch.pk, body=body)) == [error]


def test_work_that_is_complete_is_not_republished(api, batch):
    response = send(api, "republish_batch", batch.pk)
    assert errors_of(response) == [("invalid_state", None)]


@pytest.mark.parametrize("name", ["enlarge_batch", "republish_batch"])
def test_orders_that_reserve_money_need_a_key(api, batch, name):
    url = reverse(f"api:{name}", args=["demo", batch.pk])
    response = api.post(url, '{"assignments": 1}', content_type="application/json")
    assert ("required", "Idempotency-Key") in errors_of(response)


# --- cached figures ------------------------------------------------------------------------------


def test_pages_show_a_publication_at_once(
    api, requester, project, settings, django_capture_on_commit_callbacks
):
    settings.FIGURES_TIMEOUT = 60
    add_items(project, 3)
    page = Client()
    page.force_login(requester)
    batches = reverse("consolidation:batches", args=["demo"])
    assert page.get(batches).status_code == 200
    assert figures_of(count_items, project=project).value.unpublished == 3
    forecast = reverse("api:forecast", args=["demo"])
    to_come = api.get(forecast).json()["roles"][0]["to_come"]
    with django_capture_on_commit_callbacks(execute=True):
        assert send(api, "batches", body={"limit": 2}).status_code == 201
    assert figures_of(count_items, project=project).value.unpublished == 1
    assert api.get(forecast).json()["roles"][0]["to_come"] < to_come
    batch = Batch.objects.get()
    with django_capture_on_commit_callbacks(execute=True):
        assert send(api, "pause_batch", batch.pk).status_code == 200
    assert "Paused" in page.get(batches).content.decode()


def test_pages_count_decided_submissions_at_once(
    api, campaign, settings, django_capture_on_commit_callbacks
):
    settings.FIGURES_TIMEOUT = 60
    Submission.objects.update(other_version=None)
    project = campaign.project
    ids = list(Submission.objects.filter(state="submitted").values_list("pk", flat=True))
    waiting = figures_of(count_waiting, project=project).value
    assert waiting == len(ids) == 3
    with django_capture_on_commit_callbacks(execute=True):
        send(api, "accept_submission", ids[0])
    assert figures_of(count_waiting, project=project).value == 2
    with django_capture_on_commit_callbacks(execute=True):
        send(api, "decide_submissions", body={"accept": ids[1:]})
    assert figures_of(count_waiting, project=project).value == 0
