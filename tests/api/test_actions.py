"""What scripts do: start, publish, pause, resume, end, decide; once, and only as they last saw it."""

import json
from concurrent.futures import ThreadPoolExecutor

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


@pytest.fixture
def root(db):
    return get_user_model().objects.create_superuser("root", password="a long enough password")


def post(api, name, *more, body=None, slug="demo", **headers):
    args = [slug, *more] if slug else []
    return api.post(
        reverse(f"api:{name}", args=args),
        json.dumps(body) if body is not None else "",
        content_type="application/json",
        headers=headers,
    )


def kind_of(response) -> str:
    """The code of the error, or `validation_error`, where each error has a code of its own."""
    assert response.headers["Content-Type"] == "application/json"
    body = response.json()
    is_validation = body["type"] == "validation_error"
    return body["type"] if is_validation else body["errors"][0]["code"]


# --- projects ----------------------------------------------------------------------------------


def test_project_is_started_with_its_creator_as_admin(root):
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
    assert (logged.object_id, logged.actor, logged.new) == (membership.pk, "root", "admin")


def test_permission_to_add_projects_is_enough(project):
    user = make_user("ada")
    user.user_permissions.add(user.user_permissions.model.objects.get(codename="add_project"))
    response = post(calling(user), "projects", slug="", body={"slug": "own", "scheme": "qasrl"})
    assert response.status_code == 201


def test_slug_that_is_taken_is_told(root, project):
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
def test_each_bad_field_is_pointed_at(root, body, fields):
    response = post(calling(root), "projects", slug="", body=body)
    assert (response.status_code, kind_of(response)) == (400, "validation_error")
    assert {one["attr"] for one in response.json()["errors"]} == fields
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
def test_body_that_is_no_text_is_refused(root, raw):
    api = calling(root)
    response = api.post("/api/v1/projects/", raw, content_type="application/json")
    assert (response.status_code, response.json()["errors"] != []) == (400, True)


def test_body_of_another_type_is_refused(root):
    response = calling(root).post("/api/v1/projects/", {"slug": "a"})
    assert (response.status_code, kind_of(response)) == (415, "unsupported_media_type")


def test_body_in_chunks_is_refused_by_name(root):
    headers = {"Transfer-Encoding": "chunked"}
    api = calling(root)
    response = api.post("/api/v1/projects/", b"", content_type="application/json", headers=headers)
    assert response.status_code == 400
    assert b"Content-Length" in response.content


def test_body_that_is_too_large_is_refused_before_it_is_read(root, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    response = post(calling(root), "projects", slug="", body={"title": "x" * 1000})
    assert (response.status_code, kind_of(response)) == (413, "too_large")


# --- batches -----------------------------------------------------------------------------------


def test_publishing_reserves_and_plans_what_the_batch_says(api, project, requester):
    add_items(project, 5)
    response = post(api, "batches", body={"limit": 3, "keep_open": 2, "approval_rate": 95})
    assert response.status_code == 201
    batch = Batch.objects.get()
    assert response.headers["Location"].endswith(f"/projects/demo/batches/{batch.pk}/")
    told = response.json()
    assert (told["item_limit"], told["keep_open"], told["state"]) == (3, 2, "open")
    assert told["qualifications"][0]["system"] == "approval-rate"
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
def test_publication_that_is_refused_leaves_nothing(api, project, body, status, kind):
    add_items(project, 5)
    if body == {"limit": 2}:
        Budget.objects.update(cap_cents=10)
    response = post(api, "batches", body=body)
    assert (response.status_code, kind_of(response)) == (status, kind)
    assert (Hit.objects.count(), Batch.objects.count(), LedgerEntry.objects.count()) == (0, 0, 0)


def test_nothing_left_to_publish_is_told(api, project):
    response = post(api, "batches", body={"limit": 2})
    assert (response.status_code, kind_of(response)) == (409, "nothing_to_publish")


def test_pool_is_asked_of_the_workers(api, project):
    add_items(project, 2)
    QualificationType.objects.create(
        provider="mturk", code="demo-generator", name="Pool", description="Trained"
    )
    told = post(api, "batches", body={"limit": 1, "pool": "demo-generator"}).json()
    assert [one["code"] for one in told["qualifications"]] == ["demo-generator"]


def test_batch_is_paused_resumed_and_ended(api, campaign):
    pk = campaign.batches["generator"].pk
    hits = Hit.objects.filter(task__batch=pk)
    assert post(api, "pause_batch", pk).json()["state"] == "paused"
    assert not hits.filter(paused_at=None).exists()
    assert post(api, "resume_batch", pk).json()["state"] == "open"
    assert not hits.exclude(paused_at=None).exists()
    assert post(api, "expire_batch", pk).json()["state"] == "closed"
    moves = StateChange.objects.filter(aggregate="annotation.Batch").order_by("pk")
    assert [one.new for one in moves] == ["paused", "open", "closed"]
    assert {one.actor for one in moves} == {moves[0].actor}
    assert moves[0].actor.startswith("rita by token ts_")
    response = post(api, "pause_batch", pk)
    assert (response.status_code, kind_of(response)) == (409, "invalid_state")


def test_action_on_what_has_changed_since_is_refused(api, campaign):
    batch = campaign.batches["generator"]
    url = reverse("api:batch", args=["demo", batch.pk])
    seen = api.get(url).headers["ETag"]
    Batch.objects.filter(pk=batch.pk).update(keep_open=9)
    response = post(api, "pause_batch", batch.pk, **{"If-Match": seen})
    assert (response.status_code, kind_of(response)) == (412, "precondition_failed")
    batch.refresh_from_db()
    assert batch.state == "open"
    seen = api.get(url).headers["ETag"]
    assert post(api, "pause_batch", batch.pk, **{"If-Match": f'"x", {seen}'}).status_code == 200


# --- decisions ---------------------------------------------------------------------------------


def test_submission_is_rejected_with_a_reason(api, campaign):
    waiting = campaign.items[1].submissions.get(state="submitted")
    assert post(api, "reject_submission", waiting.pk, body={"reason": " "}).status_code == 400
    response = post(api, "reject_submission", waiting.pk, body={"reason": "Empty."})
    assert (response.status_code, response.json()["state"]) == (200, "rejected")
    response = post(api, "accept_submission", waiting.pk)
    assert response.status_code == 409


def test_submission_is_accepted_once_however_often_it_is_asked(api, campaign):
    waiting = campaign.items[1].submissions.get(state="submitted")
    first = post(api, "accept_submission", waiting.pk)
    assert (first.status_code, first.json()["state"]) == (200, "accepted")
    assert post(api, "accept_submission", waiting.pk).json() == first.json()
    assert waiting.assignment.payments.count() == 2


def test_expert_s_own_work_is_not_decided(api, campaign, requester):
    own = campaign.items[0].submissions.create(
        role="expert",
        author=requester,
        content={"questions": []},
        schema_version=1,
        opened_at=timezone.now(),
        submitted_at=timezone.now(),
    )
    assert post(api, "accept_submission", own.pk).status_code == 409


# --- once --------------------------------------------------------------------------------------


def test_repeat_under_a_key_publishes_nothing_more_and_hears_the_same(api, project):
    add_items(project, 5)
    first = post(api, "batches", body={"limit": 2}, **{"Idempotency-Key": "run-1"})
    again = post(api, "batches", body={"limit": 2}, **{"Idempotency-Key": "run-1"})
    assert Hit.objects.count() == 2
    assert (again.status_code, again.json()) == (first.status_code, first.json())
    assert again.headers["Location"] == first.headers["Location"]
    assert again.headers["Idempotency-Replayed"] == "true"
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


def test_refusal_is_not_kept_and_its_repeat_judged_anew(api, project):
    key = {"Idempotency-Key": "run-1"}
    assert post(api, "batches", body={"limit": 2}, **key).status_code == 409
    add_items(project, 5)
    assert post(api, "batches", body={"limit": 2}, **key).status_code == 201


def test_same_key_of_somebody_else_is_another(api, project):
    add_items(project, 5)
    other = calling(make_user("olga", project, MemberRole.ADMIN))
    key = {"Idempotency-Key": "run-1"}
    assert post(api, "batches", body={"limit": 1}, **key).status_code == 201
    assert post(other, "batches", body={"limit": 1}, **key).status_code == 201
    assert Hit.objects.count() == 2


def test_key_is_forgotten_after_a_day(api, project):
    add_items(project, 5)
    key = {"Idempotency-Key": "run-1"}
    post(api, "batches", body={"limit": 1}, **key)
    AnsweredRequest.objects.update(at=timezone.now() - MAX_AGE * 1.01)
    post(api, "batches", body={"limit": 1}, **key)
    assert (Hit.objects.count(), AnsweredRequest.objects.count()) == (2, 1)


@pytest.mark.parametrize("key", ["", "two words", "x" * 101, "schlüssel"])
def test_key_that_is_none_is_refused(api, project, key):
    response = post(api, "batches", body={"limit": 1}, **{"Idempotency-Key": key})
    assert response.status_code == 400
    assert response.json()["errors"][0]["attr"] == "Idempotency-Key"


@pytest.mark.django_db(transaction=True)
def test_repeats_that_overlap_publish_once(project, requester):
    add_items(project, 8)
    api = calling(requester)

    def publish(_: int):
        try:
            return post(api, "batches", body={"limit": 2}, **{"Idempotency-Key": "run-1"})
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(publish, range(12)))
    assert {one.status_code for one in answers} == {201}
    assert len({json.dumps(one.json(), sort_keys=True) for one in answers}) == 1
    assert (Batch.objects.count(), Hit.objects.count()) == (1, 2)
    assert sum("Idempotency-Replayed" in one.headers for one in answers) == 11


@pytest.mark.django_db(transaction=True)
def test_publications_that_overlap_offer_no_item_twice(project, requester):
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


def test_too_many_requests_are_told_when_to_come_back(api, project, settings):
    settings.API_READS_PER_MINUTE = 3
    url = reverse("api:project", args=["demo"])
    assert [api.get(url).status_code for _ in range(4)] == [200, 200, 200, 429]
    response = api.get(url)
    assert kind_of(response) == "throttled"
    assert 1 <= int(response.headers["Retry-After"]) <= 60
    assert post(api, "batches", body={"limit": 1}).status_code == 409  # writes count apart


def test_each_token_is_counted_by_itself(api, project, requester, settings):
    settings.API_READS_PER_MINUTE = 1
    url = reverse("api:project", args=["demo"])
    assert [api.get(url).status_code for _ in range(2)] == [200, 429]
    assert calling(requester).get(url).status_code == 200


def test_guessing_tokens_is_throttled_by_address_whatever_is_forwarded(client, db, settings):
    settings.API_READS_PER_MINUTE = 2
    statuses = [
        client.get(
            "/api/v1/projects/",
            headers={"Authorization": f"Bearer ts_{number}", "X-Forwarded-For": f"10.0.0.{number}"},
        ).status_code
        for number in range(4)
    ]
    assert statuses == [401, 401, 429, 429]


# --- elsewhere ---------------------------------------------------------------------------------


def test_address_where_nothing_is_answers_as_a_problem(client, db):
    response = client.get("/api/v1/nothing/here")
    assert (response.status_code, kind_of(response)) == (404, "not_found")


def test_method_that_is_not_offered_names_those_that_are(api, project):
    response = api.delete(reverse("api:project", args=["demo"]))
    assert (response.status_code, kind_of(response)) == (405, "method_not_allowed")
    assert set(response.headers["Allow"].split(", ")) == {"GET", "HEAD"}


def test_server_error_is_a_problem_that_tells_nothing_of_the_inside(client, db, settings):
    client.raise_request_exception = False
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("projects.api.endpoint.ProjectEndpoint.page", lambda *_: 1 / 0)
        root = get_user_model().objects.create_superuser("root", password="x" * 20)
        client.force_login(root)
        response = client.get("/api/v1/projects/")
    assert (response.status_code, kind_of(response)) == (500, "error")
    assert b"division" not in response.content


def test_other_project_with_the_same_rows_stays_as_it_was(api, project):
    other = make_project("other")
    add_items(other, 3)
    add_items(project, 3)
    post(api, "batches", body={"limit": 3})
    assert Hit.objects.exclude(budget=project.budget).count() == 0
