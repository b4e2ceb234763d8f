"""Request bodies. What an endpoint does not know is refused, and nothing is done."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from rest_framework.parsers import MultiPartParser

from annotation.models import Batch
from jobs.models import Job
from projects.models import Project
from tests.api.conftest import calling
from tests.api.routes import API_RULES, ROUTES
from tests.dashboard.campaign import add_items

pytestmark = pytest.mark.django_db
WRITES = [(name, method) for name, rules in API_RULES.items() for method in set(rules) - {"GET"}]


@pytest.fixture
def site(root):
    return calling(root)


def send(client, method: str, url: str, body: dict, *, as_form: bool = False):
    headers = {"Idempotency-Key": "bodies"}
    if as_form:
        return client.post(url, body, headers=headers)
    return client.generic(
        method, url, json.dumps(body), content_type="application/json", headers=headers
    )


def errors_of(response) -> list[tuple[str, str]]:
    assert response.status_code == 400, response.content
    return [(error["code"], error["attr"]) for error in response.json()["errors"]]


def details_of(response) -> dict[str, str]:
    return {error["attr"]: error["detail"] for error in response.json()["errors"]}


@pytest.mark.parametrize(("name", "method"), WRITES)
def test_every_endpoint_refuses_unknown_fields(name, method, address, site):
    as_form = MultiPartParser in ROUTES[name].callback.cls.parser_classes
    response = send(site, method, address(name), {"surprise": "1"}, as_form=as_form)
    assert ("unknown_field", "surprise") in errors_of(response)


def test_writing_endpoints_include_publishing():
    assert ("batches", "POST") in WRITES


def test_every_object_of_a_request_is_closed_in_the_schema(site):
    schema = site.get(reverse("api:schema")).json()
    bodies = [
        content["schema"]
        for methods in schema["paths"].values()
        for operation in methods.values()
        for content in operation.get("requestBody", {}).get("content", {}).values()
    ]
    assert len(bodies) >= 8
    objects = [found for body in bodies for found in _objects(body, schema)]
    assert len(objects) >= len(bodies)
    assert [found for found in objects if "additionalProperties" not in found] == []


def _objects(node, schema) -> list[dict]:
    """Return the object types that a schema contains."""
    if isinstance(node, list):
        return [found for entry in node for found in _objects(entry, schema)]
    if not isinstance(node, dict):
        return []
    if "$ref" in node:
        return _objects(schema["components"]["schemas"][node["$ref"].rpartition("/")[2]], schema)
    nested = [found for value in node.values() for found in _objects(value, schema)]
    return ([node] if node.get("type") == "object" else []) + nested


def test_misspelt_limit_of_a_batch_publishes_nothing(api, project):
    add_items(project, 5)
    body = {"limit": 3, "cap_cent": 100, "keepopen": 1}
    response = send(api, "POST", reverse("api:batches", args=["demo"]), body)
    assert set(errors_of(response)) == {
        ("unknown_field", "cap_cent"),
        ("unknown_field", "keepopen"),
    }
    assert details_of(response) == {
        "cap_cent": "Unknown field. Did you mean 'cap_cents'?",
        "keepopen": "Unknown field. Did you mean 'keep_open'?",
    }
    assert Batch.objects.count() == 0


def test_unknown_fields_are_reported_with_the_other_errors(site):
    body = {"scheme": "nothing", "qqq": 5}
    response = send(site, "POST", reverse("api:projects"), body)
    assert [attr for _, attr in errors_of(response)] == ["slug", "scheme", "qqq"]
    assert details_of(response)["qqq"].startswith("Unknown field. Choose from: after_disputes, ")
    assert Project.objects.count() == 0


def test_misspelt_field_of_an_upload_imports_nothing(api, project):
    url = reverse("api:imports", args=["demo"])
    file = SimpleUploadedFile("a.txt", b"One sentence.")
    response = send(api, "POST", url, {"files": file, "domein": "x"}, as_form=True)
    assert errors_of(response) == [("unknown_field", "domein")]
    assert "'domain'" in details_of(response)["domein"]
    file = SimpleUploadedFile("a.txt", b"One sentence.")
    response = send(api, "POST", url, {"files": file, "domain": ["x", "y"]}, as_form=True)
    assert errors_of(response) == [("repeated_field", "domain")]
    assert Job.objects.count() == 0


def test_repeated_key_of_json_is_refused(api, project):
    add_items(project, 5)
    response = api.post(
        reverse("api:batches", args=["demo"]),
        '{"limit": 1, "limit": 5}',
        content_type="application/json",
        headers={"Idempotency-Key": "twice"},
    )
    assert errors_of(response) == [("parse_error", None)]
    assert "'limit' is repeated" in response.json()["errors"][0]["detail"]
    assert Batch.objects.count() == 0


def test_answer_lists_a_limited_number_of_unknown_fields(api, project):
    body = {"limit": 1} | {f"field{number}": 1 for number in range(5000)}
    response = send(api, "POST", reverse("api:batches", args=["demo"]), body)
    assert len(errors_of(response)) == 20


def test_parameters_of_a_list_are_unknown_to_an_action(api, project):
    add_items(project, 5)
    url = reverse("api:batches", args=["demo"]) + "?limit=1"
    response = send(api, "POST", url, {"limit": 5})
    assert errors_of(response) == [("unknown_parameter", "limit")]
    assert Batch.objects.count() == 0


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("sate=dev", ("unknown_parameter", "sate")),
        ("state=not-published&state=consolidated", ("repeated_parameter", "state")),
    ],
)
def test_unreadable_parameters_are_refused(query, expected, api, project):
    response = api.get(reverse("api:items", args=["demo"]) + f"?{query}")
    assert errors_of(response) == [expected]
