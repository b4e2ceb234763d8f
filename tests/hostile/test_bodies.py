"""Hostile bodies for every route, such as JSON that no database stores and wrong shapes."""

import json

import pytest

from tests.dashboard.campaign import Campaign, make_project
from tests.hostile.routes import routes

BODIES = {
    "nan": '{"content": NaN, "limit": NaN}',
    "infinite": '{"content": {"a": 1e999}, "limit": -1e999, "title": Infinity}',
    "surrogate": '{"token": "\\ud800", "title": "\\udfff", "content": {"\\ud800": 1}}',
    "nul": '{"token": "\\u0000", "title": "a\\u0000", "reason": "\\u0000"}',
    "deep": "[" * 100_000,
    "deep-object": '{"a":' * 20_000,
    "huge-number": '{"limit": ' + "9" * 10_000 + "}",
    "list": "[]",
    "text": '"text"',
    "null": "null",
    "empty": "",
    "half": '{"token": "',
    "bytes": b"\xff\xfe\x00\x01",
    "long": json.dumps({"title": "x" * 300_000, "content": {"questions": ["x"] * 10_000}}),
    "wrong-types": '{"token": 1, "content": [], "title": {}, "limit": "many", "pk": [1]}',
}
KINDS = ("application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x")


@pytest.fixture
def addresses(db, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    project = make_project()
    Campaign(project, 4)
    return list(routes(project))


# `make test-long` sends the others.
ALWAYS = ("nan", "surrogate", "deep", "wrong-types")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name in ALWAYS else pytest.mark.long) for name in BODIES],
)
def test_no_body_causes_a_server_error(name, addresses, admin_client):
    assert failures(admin_client, addresses, BODIES[name], KINDS[0]) == []


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS[1:])
@pytest.mark.parametrize("name", ["bytes", "nul", "surrogate"])
def test_no_form_body_causes_a_server_error(name, kind, addresses, admin_client):
    assert failures(admin_client, addresses, BODIES[name], kind) == []


def failures(client, addresses, body, kind) -> list[tuple[str, int]]:
    """Return the addresses that answer the body with a server error, with the status."""
    client.raise_request_exception = False
    responses = (
        (address, client.generic("POST", address, body, content_type=kind)) for address in addresses
    )
    return [
        (address, response.status_code)
        for address, response in responses
        if response.status_code >= 500
    ]
