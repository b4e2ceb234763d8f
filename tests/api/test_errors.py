"""Errors that say what to do, and the headers and forms that all answers share."""

import json

import pytest
from django.urls import reverse

from tests.api.conftest import calling

pytestmark = pytest.mark.django_db


def detail_of(response, attr: str) -> str:
    [detail] = [error["detail"] for error in response.json()["errors"] if error["attr"] == attr]
    return detail


@pytest.mark.parametrize(
    ("name", "query", "choices"),
    [
        ("batches", "state=published", "open, paused"),
        ("imports", "state=done", "uploaded, queued"),
        ("gold", "source=gold", "consolidated"),
        ("items", "partition=trian", "train, dev, test"),
    ],
)
def test_filter_error_lists_the_choices(name, query, choices, api, project):
    response = api.get(reverse(f"api:{name}", args=["demo"]) + f"?{query}")
    assert response.status_code == 400
    detail = detail_of(response, query.partition("=")[0])
    assert detail.startswith("Choose from: ")
    assert choices in detail


def test_body_error_lists_the_choices(root):
    body = {"slug": "a", "scheme": "verbs", "protocol": "none"}
    response = calling(root).post(
        reverse("api:projects"), json.dumps(body), content_type="application/json"
    )
    assert detail_of(response, "scheme") == "Choose from: custom, frames, grounding, qasrl."
    assert "consolidation" in detail_of(response, "protocol")


@pytest.mark.parametrize("method", ["OPTIONS", "DELETE", "PUT", "TRACE"])
@pytest.mark.parametrize("name", ["batches", "project"])
def test_method_that_no_endpoint_has_is_refused(method, name, api, project):
    response = api.generic(method, reverse(f"api:{name}", args=["demo"]))
    assert (response.status_code, response.json()["errors"][0]["code"]) == (
        405,
        "method_not_allowed",
    )


def test_missing_slash_is_explained(api):
    response = api.get("/api/v1/projects")
    assert response.status_code == 404
    assert response.json()["errors"][0]["detail"].endswith("Most paths end with a slash.")


def test_response_headers_are_in_the_schema(api):
    paths = api.get(reverse("api:schema")).json()["paths"]
    batches = paths["/api/v1/projects/{slug}/batches/"]
    assert {"ETag", "X-Request-ID"} <= set(batches["get"]["responses"]["200"]["headers"])
    assert {"Location", "Idempotency-Replayed"} <= set(
        batches["post"]["responses"]["201"]["headers"]
    )
    assert "Retry-After" in batches["get"]["responses"]["429"]["headers"]


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/api/v2/projects/", 404, "not_found"),
        ("/api/", 404, "not_found"),
        ("/api/v1/nothing/", 404, "not_found"),
        ("/api/v1/projects/%00/", 400, "invalid"),
        ("/api/v1/projects/a%00b/items/", 400, "invalid"),
    ],
)
def test_errors_outside_of_endpoints_have_the_same_form(path, status, code, api, project):
    response = api.get(path)
    assert response.status_code == status
    assert response.headers["Content-Type"] == "application/json"
    assert response.json()["type"] == "client_error"
    assert [error["code"] for error in response.json()["errors"]] == [code]


def test_programs_read_what_their_token_allows(requester, project):
    url = reverse("api:me")
    client = calling(requester, scopes=["read", "pay"], projects=[project])
    me = client.get(url).json()
    token = requester.api_tokens.get()
    assert (me["username"], me["can_create_projects"]) == ("rita", False)
    assert {name: me["token"][name] for name in ("name", "beginning", "scopes", "projects")} == {
        "name": "script",
        "beginning": token.beginning,
        "scopes": ["read", "pay"],
        "projects": ["demo"],
    }
    assert calling(requester).get(url).json()["token"]["projects"] is None


def test_session_has_no_token(client, root):
    client.force_login(root)
    me = client.get(reverse("api:me")).json()
    assert me == {"username": "root", "can_create_projects": True, "token": None}
