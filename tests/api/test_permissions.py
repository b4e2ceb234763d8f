"""Every route of the API and each of its methods, against every role, scope, and visitor."""

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse

from config import api_urls
from datasets.domain.export_gold import MANIFEST
from projects.enums import MemberRole, TokenScope
from projects.permissions import Access
from tests.annotation.factories import make_held_bonus
from tests.api.conftest import calling
from tests.api.training import add_evaluations
from tests.dashboard.campaign import Campaign, make_project, make_user
from tests.dashboard.test_permissions import signed_in
from tests.jobs.factories import make_export, make_import

pytestmark = pytest.mark.django_db
ROUTES = {one.name: one for one in api_urls.urlpatterns}
API_RULES = {
    name: pattern.callback.cls.rules
    for name, pattern in ROUTES.items()
    if hasattr(pattern.callback, "cls")
}
CASES = [(name, method) for name, methods in API_RULES.items() for method in methods]
GUARDED = [case for case in CASES if API_RULES[case[0]][case[1]].rule is not Access.PUBLIC]
OF_PROJECT = [case for case in CASES if not isinstance(API_RULES[case[0]][case[1]].rule, Access)]
# What an allowed request with no body is answered: found, or refused for what it lacks.
ANSWERED = (200, 201, 202, 400, 409, 415)


@pytest.fixture
def address(campaign):
    """The address of a route, with arguments that lead somewhere in the project."""
    batch = next(iter(campaign.batches.values())).pk
    submission = campaign.items[1].submissions.get(state="submitted")
    waiting, held = submission.pk, make_held_bonus(submission.assignment).pk
    export = make_export(campaign.project)
    more = {
        "item": [campaign.items[0].pk],
        "import": [make_import(campaign.project).pk],
        **{name: [batch] for name in API_RULES if name.endswith(("batch", "batch_progress"))},
        **{name: [held] for name in ("held_bonus", "accept_bonus", "decline_bonus")},
        **{name: [waiting] for name in API_RULES if name.endswith("submission")},
        "evaluation": [add_evaluations(campaign.project, campaign.workers)[0].pk],
        "worker": [campaign.workers[0].pseudonym],
        "export": [export.pk],
        "export_file": [export.pk, MANIFEST],
    }

    def of(name: str) -> str:
        rules = API_RULES[name].values()
        slug = [] if all(isinstance(one.rule, Access) for one in rules) else ["demo"]
        return reverse(f"api:{name}", args=[*slug, *more.get(name, [])])

    return of


def ask(client: Client, method: str, url: str):
    if method == "GET":
        return client.get(url)
    return client.post(url, data={}, content_type="application/json")


def test_every_route_has_a_rule_for_every_method_and_every_rule_a_route():
    assert set(ROUTES) == {*API_RULES, "not_found"}
    for name, route in ROUTES.items():
        view = getattr(route.callback, "view_class", None)
        if view is None:
            assert name == "not_found"
            continue
        offered = {
            one for one in ("GET", "POST", "PUT", "PATCH", "DELETE") if hasattr(view, one.lower())
        }
        assert offered == set(API_RULES[name]), name


def test_every_route_is_under_the_version():
    assert {reverse("api:projects"), reverse("api:schema")} == {
        "/api/v1/projects/",
        "/api/v1/schema/",
    }


def test_anonymous_caller_is_asked_who_they_are(address):
    for name, method in GUARDED:
        response = ask(Client(), method, address(name))
        assert response.status_code == 401, name
        assert response.headers["WWW-Authenticate"].startswith("Bearer"), name
        assert response.json()["errors"][0]["code"] == "not_authenticated", name


def test_stranger_does_not_learn_that_the_project_exists(address):
    client = calling(make_user("sam", make_project("other"), *MemberRole))
    answers = {ask(client, method, address(name)).status_code for name, method in OF_PROJECT}
    assert answers == {404}


@pytest.mark.parametrize("role", MemberRole)
@pytest.mark.parametrize("how", [calling, signed_in])
def test_member_may_what_the_rules_allow_and_nothing_else(role, how, address, project):
    client = how(make_user("kim", project, role))
    for name, method in OF_PROJECT:
        allowed = role in API_RULES[name][method].rule
        status = ask(client, method, address(name)).status_code
        assert status in (ANSWERED if allowed else (403,)), (name, method, status)


@pytest.mark.parametrize("scope", TokenScope)
def test_token_may_what_its_scopes_allow_and_nothing_else(scope, address, project):
    root = get_user_model().objects.create_superuser("root", password="a long enough password")
    client = calling(root, scopes=[scope])
    for name, method in GUARDED:
        response = ask(client, method, address(name))
        allowed = API_RULES[name][method].scope == scope
        assert response.status_code in (ANSWERED if allowed else (403,)), (name, method)
        if not allowed:
            assert response.json()["errors"][0]["code"] == "insufficient_scope", name


def test_token_for_one_project_reaches_no_other(address, project):
    other = make_project("other")
    user = make_user("kim", project, MemberRole.ADMIN)
    other.memberships.create(user=user, role=MemberRole.ADMIN)
    client = calling(user, projects=[other])
    answers = {ask(client, method, address(name)).status_code for name, method in OF_PROJECT}
    assert answers == {404}
    listed = client.get(reverse("api:projects")).json()["results"]
    assert [one["slug"] for one in listed] == ["other"]


def test_token_whose_project_is_gone_reaches_nothing(project):
    user = make_user("kim", project, MemberRole.ADMIN)
    gone = make_project("gone")
    gone.memberships.create(user=user, role=MemberRole.ADMIN)
    client = calling(user, projects=[gone])
    gone.delete()
    assert client.get(reverse("api:projects")).json()["results"] == []


def test_starting_a_project_takes_the_permission(requester):
    response = ask(calling(requester), "POST", reverse("api:projects"))
    assert response.status_code == 403


def test_limited_token_starts_no_project(project):
    root = get_user_model().objects.create_superuser("root", password="a long enough password")
    client = calling(root, projects=[project])
    assert ask(client, "POST", reverse("api:projects")).status_code == 403


def test_marketplace_ids_of_workers_are_nowhere(api, address):
    for name, method in OF_PROJECT:
        if method == "GET":
            response = ask(api, method, address(name))
            assert response.status_code == 200, name
            assert b"ASECRET" not in response.getvalue(), name


def test_expert_reads_nothing_of_whose_work_it_is(project, campaign, address):
    client = calling(make_user("eva", project, MemberRole.EXPERT))
    for name, method in OF_PROJECT:
        if method == "GET":
            body = ask(client, method, address(name)).getvalue().decode()
            assert not [one for one in campaign.workers if one.pseudonym in body], name


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
        body = {"reason": "no"} if method == "POST" else None
        response = api.post(url, body, content_type="application/json") if body else api.get(url)
        assert response.status_code == 404, name
    waiting.refresh_from_db()
    batch.refresh_from_db()
    assert (waiting.state, batch.state) == ("submitted", "open")


def test_session_needs_its_csrf_token_to_change_anything(requester, project, campaign):
    client = Client(enforce_csrf_checks=True)
    client.force_login(requester)
    batch = next(iter(campaign.batches.values()))
    response = client.post(reverse("api:pause_batch", args=[project.slug, batch.pk]))
    assert response.status_code == 403
    assert response.headers["Content-Type"] == "application/json"


@pytest.mark.parametrize("shown", ["", "ts_nobody", "ts_\udce9", "é" * 50, "x" * 5000])
def test_made_up_token_is_refused(shown, db):
    header = f"Bearer {shown}".encode("utf-8", "surrogateescape").decode("latin-1")
    response = Client().get("/api/v1/projects/", HTTP_AUTHORIZATION=header)
    assert response.status_code == 401
