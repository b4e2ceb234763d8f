"""Permissions of every API route and method for each role, scope and visitor."""

from uuid import uuid4

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse

from projects.enums import MemberRole, TokenScope
from projects.permissions import Access
from tests.api.conftest import calling
from tests.api.routes import API_RULES, ROUTES
from tests.dashboard.campaign import Campaign, make_project, make_user
from tests.dashboard.test_permissions import signed_in

pytestmark = pytest.mark.django_db
CASES = [(name, method) for name, methods in API_RULES.items() for method in methods]
GUARDED = [case for case in CASES if API_RULES[case[0]][case[1]].rule is not Access.PUBLIC]
OF_PROJECT = [case for case in CASES if not isinstance(API_RULES[case[0]][case[1]].rule, Access)]
# Statuses of allowed requests without a body, which succeed or are refused as incomplete.
ANSWERED = (200, 201, 202, 400, 409, 415)


@pytest.fixture(autouse=True)
def _no_limits(settings):
    """Let a test send a request to each route within a minute."""
    settings.API_READS_PER_MINUTE = settings.API_WRITES_PER_MINUTE = 0


def ask(client: Client, method: str, url: str):
    if method == "GET":
        return client.get(url)
    headers = {"Idempotency-Key": str(uuid4())}
    return client.generic(method, url, "{}", content_type="application/json", headers=headers)


def test_rules_and_routes_correspond_for_every_method():
    assert set(ROUTES) == {*API_RULES, "not_found"}
    for name, route in ROUTES.items():
        view = getattr(route.callback, "view_class", None)
        if view is None:
            assert name == "not_found"
            continue
        methods = {
            method
            for method in ("GET", "POST", "PUT", "PATCH", "DELETE")
            if hasattr(view, method.lower())
        }
        assert methods == set(API_RULES[name]), name


def test_every_route_has_the_version_prefix():
    assert {reverse("api:projects"), reverse("api:schema")} == {
        "/api/v1/projects/",
        "/api/v1/schema/",
    }


def test_anonymous_caller_must_authenticate(address):
    for name, method in GUARDED:
        response = ask(Client(), method, address(name))
        assert response.status_code == 401, name
        assert response.headers["WWW-Authenticate"].startswith("Bearer"), name
        assert response.json()["errors"][0]["code"] == "not_authenticated", name


def test_project_is_hidden_from_strangers(address):
    client = calling(make_user("sam", make_project("other"), *MemberRole))
    answers = {ask(client, method, address(name)).status_code for name, method in OF_PROJECT}
    assert answers == {404}


@pytest.mark.parametrize("role", MemberRole)
@pytest.mark.parametrize("how", [calling, signed_in])
def test_members_are_limited_to_the_rules(role, how, address, project):
    client = how(make_user("kim", project, role))
    for name, method in OF_PROJECT:
        allowed = role in API_RULES[name][method].rule
        status = ask(client, method, address(name)).status_code
        assert status in (ANSWERED if allowed else (403,)), (name, method, status)


@pytest.mark.parametrize("scope", TokenScope)
def test_tokens_are_limited_to_their_scopes(scope, address, project):
    root = get_user_model().objects.create_superuser("root", password="a long enough password")
    client = calling(root, scopes=[scope])
    for name, method in GUARDED:
        response = ask(client, method, address(name))
        allowed = API_RULES[name][method].scope == scope
        assert response.status_code in (ANSWERED if allowed else (403,)), (name, method)
        if not allowed:
            assert response.json()["errors"][0]["code"] == "insufficient_scope", name


def test_token_for_one_project_cannot_access_another(address, project):
    other = make_project("other")
    user = make_user("kim", project, MemberRole.ADMIN)
    other.memberships.create(user=user, role=MemberRole.ADMIN)
    client = calling(user, projects=[other])
    answers = {ask(client, method, address(name)).status_code for name, method in OF_PROJECT}
    assert answers == {404}
    projects = client.get(reverse("api:projects")).json()["results"]
    assert [entry["slug"] for entry in projects] == ["other"]


def test_token_of_a_deleted_project_accesses_nothing(project):
    user = make_user("kim", project, MemberRole.ADMIN)
    deleted_project = make_project("gone")
    deleted_project.memberships.create(user=user, role=MemberRole.ADMIN)
    client = calling(user, projects=[deleted_project])
    deleted_project.delete()
    assert client.get(reverse("api:projects")).json()["results"] == []


def test_creating_a_project_requires_the_permission(requester):
    response = ask(calling(requester), "POST", reverse("api:projects"))
    assert response.status_code == 403


def test_limited_token_cannot_create_projects(project):
    root = get_user_model().objects.create_superuser("root", password="a long enough password")
    client = calling(root, projects=[project])
    assert ask(client, "POST", reverse("api:projects")).status_code == 403


def test_marketplace_ids_of_workers_are_never_exposed(project, address):
    api = calling(make_user("kim", project, *MemberRole))
    for name, method in OF_PROJECT:
        if method == "GET":
            response = ask(api, method, address(name))
            assert response.status_code == 200, name
            assert b"ASECRET" not in response.getvalue(), name


def test_experts_cannot_identify_workers(project, campaign, address):
    client = calling(make_user("eva", project, MemberRole.EXPERT))
    for name, method in OF_PROJECT:
        if method == "GET":
            body = ask(client, method, address(name)).getvalue().decode()
            assert not [worker for worker in campaign.workers if worker.pseudonym in body], name


def test_rows_of_another_project_are_not_found(api, project):
    foreign = Campaign(make_project("other"), 4)
    batch = next(iter(foreign.batches.values()))
    waiting = foreign.items[1].submissions.get(state="submitted")
    at = {
        "item": foreign.items[0].pk,
        "submission": waiting.pk,
        "accept_submission": waiting.pk,
        "reject_submission": waiting.pk,
        "batch": batch.pk,
        "pause_batch": batch.pk,
        "worker": foreign.workers[0].pseudonym,
    }
    for name, key in at.items():
        method = next(iter(API_RULES[name]))
        url = reverse(f"api:{name}", args=[project.slug, key])
        body = {"reason": "no"} if name == "reject_submission" else {}
        headers = {"Idempotency-Key": str(uuid4())}
        is_post = method == "POST"
        send = api.post if is_post else api.get
        options = {"content_type": "application/json", "headers": headers} if is_post else {}
        response = send(url, body, **options)
        assert response.status_code == 404, name
    waiting.refresh_from_db()
    batch.refresh_from_db()
    assert (waiting.state, batch.state) == ("submitted", "open")


def test_session_requires_a_csrf_token_for_changes(requester, project, campaign):
    client = Client(enforce_csrf_checks=True)
    client.force_login(requester)
    batch = next(iter(campaign.batches.values()))
    response = client.post(reverse("api:pause_batch", args=[project.slug, batch.pk]))
    assert response.status_code == 403
    assert response.headers["Content-Type"] == "application/json"


@pytest.mark.parametrize("token", ["", "ts_nobody", "ts_\udce9", "é" * 50, "x" * 5000])
def test_invalid_token_is_refused(token, db):
    header = f"Bearer {token}".encode("utf-8", "surrogateescape").decode("latin-1")
    response = Client().get("/api/v1/projects/", HTTP_AUTHORIZATION=header)
    assert response.status_code == 401
