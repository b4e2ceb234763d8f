"""State-changing requests, with idempotency keys and preconditions."""

import json
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
from django.contrib.auth import get_user_model
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from annotation.models import Batch
from audit.models import StateChange
from crowd.models import Budget, Hit, LedgerEntry, QualificationType
from projects.enums import MemberRole
from projects.models import Project
from tests.api.conftest import calling
from tests.dashboard.campaign import add_items, make_project, make_user
from web.actions import MAX_AGE
from web.models import AnsweredRequest

pytestmark = pytest.mark.django_db


def post(api, name, *arguments, body=None, slug="demo", **headers):
    args = [slug, *arguments] if slug else []
    headers.setdefault("Idempotency-Key", str(uuid4()))
    return api.post(
        reverse(f"api:{name}", args=args),
        json.dumps(body) if body is not None else "",
        content_type="application/json",
        headers=headers,
    )


def kind_of(response) -> str:
    """Return the code of the error, or `validation_error` if each field error has a separate code."""
    assert response.headers["Content-Type"] == "application/json"
    body = response.json()
    is_validation = body["type"] == "validation_error"
    return body["type"] if is_validation else body["errors"][0]["code"]


# --- projects ----------------------------------------------------------------------------------


def test_project_is_created_with_its_creator_as_admin(root):
    api = calling(root)
    body = {"slug": "fresh", "scheme": "qasrl", "title": "Fresh", "cap_cents": 75000, "seed": 7}
    response = post(api, "projects", slug="", body=body)
    assert response.status_code == 201
    assert response.headers["Location"] == "http://testserver/api/v1/projects/fresh/"
    assert api.get(response.headers["Location"]).json() == response.json()
    project = Project.objects.get(slug="fresh")
    assert (project.budget.cap_cents, project.seed) == (75000, 7)
    [membership] = project.memberships.all()
    assert (membership.user, membership.role) == (root, MemberRole.ADMIN)
    [logged] = StateChange.objects.filter(aggregate="projects.Membership")
    assert (logged.object_id, logged.new) == (membership.pk, "admin")
    assert logged.actor.startswith("root by token ts_")


def test_permission_to_add_projects_is_enough(project):
    user = make_user("ada")
    user.user_permissions.add(user.user_permissions.model.objects.get(codename="add_project"))
    response = post(calling(user), "projects", slug="", body={"slug": "own", "scheme": "qasrl"})
    assert response.status_code == 201


def test_taken_slug_is_reported(root, project):
    response = post(calling(root), "projects", slug="", body={"slug": "demo", "scheme": "qasrl"})
    assert (response.status_code, kind_of(response)) == (409, "already_exists")
    assert Budget.objects.count() == 1


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, {"slug", "scheme"}),
        ({"slug": "a b", "scheme": "qasrl"}, {"slug"}),
        ({"slug": "ok\n", "scheme": "nothing"}, {"scheme"}),
        ({"slug": "ok", "scheme": "qasrl", "cap_cents": -1}, {"cap_cents"}),
        ({"slug": "ok", "scheme": "qasrl", "cap_cents": 1.5}, {"cap_cents"}),
        ({"slug": "ok", "scheme": "qasrl", "pay_scheme": "gold"}, {"pay_scheme"}),
        ({"slug": "ok", "scheme": "qasrl", "pay_scheme": {"generator": {}}}, {"pay_scheme"}),
        ({"slug": "ok", "scheme": "qasrl", "seed": 2**63}, {"seed"}),
        ([], {"non_field_errors"}),
        ("text", {"non_field_errors"}),
    ],
)
def test_bad_fields_are_identified(root, body, fields):
    response = post(calling(root), "projects", slug="", body=body)
    assert (response.status_code, kind_of(response)) == (400, "validation_error")
    assert {error["attr"] for error in response.json()["errors"]} == fields
    assert Project.objects.count() == 0


@pytest.mark.parametrize(
    "raw",
    [
        "{",
        '{"slug": "a\\u0000", "scheme": "qasrl"}',
        '{"slug": "a", "scheme": "qasrl", "title": "\\ud800"}',
        '{"slug": NaN}',
        '{"seed": 1e999, "slug": "a", "scheme": "qasrl"}',
        "[" * 100_000,
        b"\xff\xfe",
    ],
)
def test_undecodable_body_is_refused(root, raw):
    api = calling(root)
    response = api.post("/api/v1/projects/", raw, content_type="application/json")
    assert (response.status_code, response.json()["errors"] != []) == (400, True)


def test_body_of_another_content_type_is_refused(root):
    response = calling(root).post("/api/v1/projects/", {"slug": "a"})
    assert (response.status_code, kind_of(response)) == (415, "unsupported_media_type")


def test_chunked_body_is_refused(root):
    headers = {"Transfer-Encoding": "chunked"}
    api = calling(root)
    response = api.post("/api/v1/projects/", b"", content_type="application/json", headers=headers)
    assert response.status_code == 400
    assert b"Content-Length" in response.content


def test_oversized_body_is_refused_before_reading(root, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    response = post(calling(root), "projects", slug="", body={"title": "x" * 1000})
    assert (response.status_code, kind_of(response)) == (413, "too_large")


# --- batches -----------------------------------------------------------------------------------


def test_publishing_reserves_money_and_plans_hits(api, project, requester):
    add_items(project, 5)
    response = post(api, "batches", body={"limit": 3, "keep_open": 2, "approval_rate": 95})
    assert response.status_code == 201
    batch = Batch.objects.get()
    assert response.headers["Location"].endswith(f"/projects/demo/batches/{batch.pk}/")
    data = response.json()
    assert (data["item_limit"], data["keep_open"], data["state"]) == (3, 2, "open")
    assert data["qualifications"][0]["system"] == "approval-rate"
    assert Hit.objects.filter(state="pending").count() == 2
    project.budget.refresh_from_db()
    assert project.budget.reserved_cents > 0


@pytest.mark.parametrize(
    ("body", "status", "kind"),
    [
        ({"limit": 2}, 409, "budget_exceeded"),
        ({"limit": 2, "cap_cents": 1}, 409, "budget_exceeded"),
        ({"limit": 2, "pool": "nobody"}, 400, "validation_error"),
        ({"limit": 2, "groups": [1]}, 400, "validation_error"),
        ({"limit": 0}, 400, "validation_error"),
        ({}, 400, "validation_error"),
        ({"limit": 2, "locales": ["usa"]}, 400, "validation_error"),
    ],
)
def test_refused_publication_changes_nothing(api, project, body, status, kind):
    add_items(project, 5)
    if body == {"limit": 2}:
        Budget.objects.update(cap_cents=10)
    response = post(api, "batches", body=body)
    assert (response.status_code, kind_of(response)) == (status, kind)
    assert (Hit.objects.count(), Batch.objects.count(), LedgerEntry.objects.count()) == (0, 0, 0)


def test_publishing_without_items_is_reported(api, project):
    response = post(api, "batches", body={"limit": 2})
    assert (response.status_code, kind_of(response)) == (409, "nothing_to_publish")


def test_pool_becomes_a_qualification_requirement(api, project):
    add_items(project, 2)
    QualificationType.objects.create(
        provider="mturk", code="demo-generator", name="Pool", description="Trained"
    )
    batch = post(api, "batches", body={"limit": 1, "pool": "demo-generator"}).json()
    assert [qualification["code"] for qualification in batch["qualifications"]] == [
        "demo-generator"
    ]


def test_batch_is_paused_resumed_and_ended(api, campaign):
    pk = campaign.batches["generator"].pk
    hits = Hit.objects.filter(task__batch=pk)
    assert post(api, "pause_batch", pk).json()["state"] == "paused"
    assert not hits.filter(paused_at=None).exists()
    assert post(api, "resume_batch", pk).json()["state"] == "open"
    assert not hits.exclude(paused_at=None).exists()
    assert post(api, "expire_batch", pk).json()["state"] == "closed"
    moves = StateChange.objects.filter(aggregate="annotation.Batch").order_by("pk")
    assert [move.new for move in moves] == ["paused", "open", "closed"]
    assert {move.actor for move in moves} == {moves[0].actor}
    assert moves[0].actor.startswith("rita by token ts_")
    response = post(api, "pause_batch", pk)
    assert (response.status_code, kind_of(response)) == (409, "invalid_state")


def test_action_on_a_changed_batch_is_refused(api, campaign):
    batch = campaign.batches["generator"]
    url = reverse("api:batch", args=["demo", batch.pk])
    tag = api.get(url).headers["ETag"]
    Batch.objects.filter(pk=batch.pk).update(keep_open=9)
    response = post(api, "pause_batch", batch.pk, **{"If-Match": tag})
    assert (response.status_code, kind_of(response)) == (412, "precondition_failed")
    batch.refresh_from_db()
    assert batch.state == "open"
    tag = api.get(url).headers["ETag"]
    assert post(api, "pause_batch", batch.pk, **{"If-Match": f'"x", {tag}'}).status_code == 200


# --- decisions ---------------------------------------------------------------------------------


def test_submission_is_rejected_with_a_reason(api, campaign):
    waiting = campaign.items[1].submissions.get(state="submitted")
    assert post(api, "reject_submission", waiting.pk, body={"reason": " "}).status_code == 400
    response = post(api, "reject_submission", waiting.pk, body={"reason": "Empty."})
    assert (response.status_code, response.json()["state"]) == (200, "rejected")
    response = post(api, "accept_submission", waiting.pk)
    assert response.status_code == 409


def test_repeated_acceptance_pays_once(api, campaign):
    waiting = campaign.items[1].submissions.get(state="submitted")
    first = post(api, "accept_submission", waiting.pk)
    assert (first.status_code, first.json()["state"]) == (200, "accepted")
    assert post(api, "accept_submission", waiting.pk).json() == first.json()
    assert waiting.assignment.payments.count() == 2


def test_experts_own_submission_cannot_be_decided(api, campaign, requester):
    expert_submission = campaign.items[0].submissions.create(
        role="expert",
        author=requester,
        content={"questions": []},
        schema_version=1,
        opened_at=timezone.now(),
        submitted_at=timezone.now(),
    )
    assert post(api, "accept_submission", expert_submission.pk).status_code == 409


# --- idempotency -------------------------------------------------------------------------------


def test_repeat_with_the_same_key_returns_the_first_response(api, project):
    add_items(project, 5)
    first = post(api, "batches", body={"limit": 2}, **{"Idempotency-Key": "run-1"})
    repeat = post(api, "batches", body={"limit": 2}, **{"Idempotency-Key": "run-1"})
    assert Hit.objects.count() == 2
    assert (repeat.status_code, repeat.json()) == (first.status_code, first.json())
    assert repeat.headers["Location"] == first.headers["Location"]
    assert repeat.headers["Idempotency-Replayed"] == "true"
    assert "Idempotency-Replayed" not in first.headers


@pytest.mark.parametrize("other", ["body", "address"])
def test_key_of_another_request_is_refused(api, project, campaign, other):
    key = {"Idempotency-Key": "run-1"}
    assert post(api, "batches", body={"limit": 1}, **key).status_code == 201
    if other == "body":
        response = post(api, "batches", body={"limit": 2}, **key)
    else:
        response = post(api, "pause_batch", campaign.batches["generator"].pk, **key)
    assert (response.status_code, kind_of(response)) == (422, "idempotency_key_reused")
    assert Batch.objects.count() == 3


def test_refusal_is_not_stored_under_a_key(api, project):
    key = {"Idempotency-Key": "run-1"}
    assert post(api, "batches", body={"limit": 2}, **key).status_code == 409
    add_items(project, 5)
    assert post(api, "batches", body={"limit": 2}, **key).status_code == 201


def test_keys_of_different_users_are_independent(api, project):
    add_items(project, 5)
    other = calling(make_user("olga", project, MemberRole.ADMIN))
    key = {"Idempotency-Key": "run-1"}
    assert post(api, "batches", body={"limit": 1}, **key).status_code == 201
    assert post(other, "batches", body={"limit": 1}, **key).status_code == 201
    assert Hit.objects.count() == 2


def test_key_expires_after_a_day(api, project):
    add_items(project, 5)
    key = {"Idempotency-Key": "run-1"}
    post(api, "batches", body={"limit": 1}, **key)
    AnsweredRequest.objects.update(at=timezone.now() - MAX_AGE * 1.01)
    post(api, "batches", body={"limit": 1}, **key)
    assert (Hit.objects.count(), AnsweredRequest.objects.count()) == (2, 1)


@pytest.mark.parametrize("key", ["", "two words", "x" * 101, "schlüssel"])
def test_invalid_key_is_refused(api, project, key):
    response = post(api, "batches", body={"limit": 1}, **{"Idempotency-Key": key})
    assert response.status_code == 400
    assert response.json()["errors"][0]["attr"] == "Idempotency-Key"


@pytest.mark.django_db(transaction=True)
def test_concurrent_repeats_publish_once(project, requester):
    add_items(project, 8)
    api = calling(requester)

    def publish(_: int):
        try:
            return post(api, "batches", body={"limit": 2}, **{"Idempotency-Key": "run-1"})
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        responses = list(pool.map(publish, range(12)))
    assert {response.status_code for response in responses} == {201}
    assert len({json.dumps(response.json(), sort_keys=True) for response in responses}) == 1
    assert (Batch.objects.count(), Hit.objects.count()) == (1, 2)
    assert sum("Idempotency-Replayed" in response.headers for response in responses) == 11


@pytest.mark.django_db(transaction=True)
def test_concurrent_publications_publish_no_item_twice(project, requester):
    add_items(project, 8)
    api = calling(requester)

    def publish(_: int):
        try:
            return post(api, "batches", body={"limit": 2}).status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        statuses = list(pool.map(publish, range(4)))
    assert set(statuses) <= {201, 409}
    assert Hit.objects.count() == 2 * statuses.count(201) > 0


# --- limits ------------------------------------------------------------------------------------


def test_throttled_response_says_when_to_retry(api, project, settings):
    settings.API_READS_PER_MINUTE = 3
    url = reverse("api:project", args=["demo"])
    assert [api.get(url).status_code for _ in range(4)] == [200, 200, 200, 429]
    response = api.get(url)
    assert kind_of(response) == "throttled"
    assert 1 <= int(response.headers["Retry-After"]) <= 60
    # writes are counted separately
    assert post(api, "batches", body={"limit": 1}).status_code == 409


def test_tokens_are_throttled_separately(api, project, requester, settings):
    settings.API_READS_PER_MINUTE = 1
    url = reverse("api:project", args=["demo"])
    assert [api.get(url).status_code for _ in range(2)] == [200, 429]
    assert calling(requester).get(url).status_code == 200


def test_token_guessing_is_throttled_by_address_despite_forwarded_headers(client, db, settings):
    settings.API_READS_PER_MINUTE = 2
    statuses = [
        client.get(
            "/api/v1/projects/",
            headers={"Authorization": f"Bearer ts_{number}", "X-Forwarded-For": f"10.0.0.{number}"},
        ).status_code
        for number in range(4)
    ]
    assert statuses == [401, 401, 429, 429]


# --- errors ------------------------------------------------------------------------------------


def test_unknown_address_returns_a_problem(client, db):
    response = client.get("/api/v1/nothing/here")
    assert (response.status_code, kind_of(response)) == (404, "not_found")


def test_refused_method_lists_the_allowed_methods(api, project):
    response = api.delete(reverse("api:project", args=["demo"]))
    assert (response.status_code, kind_of(response)) == (405, "method_not_allowed")
    assert set(response.headers["Allow"].split(", ")) == {"GET", "HEAD", "PATCH"}


def test_server_error_reveals_no_internals(client, db, settings):
    client.raise_request_exception = False
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("projects.api.endpoint.ProjectEndpoint.page", lambda *_: 1 / 0)
        root = get_user_model().objects.create_superuser("root", password="x" * 20)
        client.force_login(root)
        response = client.get("/api/v1/projects/")
    assert (response.status_code, kind_of(response)) == (500, "error")
    assert b"division" not in response.content


def test_other_project_is_unchanged(api, project):
    other = make_project("other")
    add_items(other, 3)
    add_items(project, 3)
    post(api, "batches", body={"limit": 3})
    assert Hit.objects.exclude(budget=project.budget).count() == 0
