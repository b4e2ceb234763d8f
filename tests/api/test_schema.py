"""The schema, and the conformance of the running API to each of its operations."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.urls import reverse

from datasets.domain.exports.export_gold import MANIFEST
from projects.enums import MemberRole
from schemes import content_descriptions
from tests.api.conftest import token_of
from tests.api.routes import API_RULES
from tests.api.training import add_evaluations, add_pool
from tests.benchmarks.rows import make_entry
from tests.dashboard.campaign import make_user
from tests.jobs.factories import make_export, make_system_evaluation, queued_release
from tests.projects.webhooks import make_webhook
from tests.releases.projects import make_release
from web import property_descriptions

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "unsupported_method",
    "ignored_auth",
)


@pytest.fixture
def schema(api):
    response = api.get(reverse("api:schema"))
    assert response.status_code == 200
    return response.json()


def operations(schema):
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            if method in ("get", "post", "put", "patch", "delete"):
                yield path, method, operation


def test_every_route_is_described(schema):
    described = {(path, method.upper()) for path, method, _ in operations(schema)}
    undescribed = ("schema", "not_found")
    expected = sum(len(rules) for name, rules in API_RULES.items() if name not in undescribed)
    assert len(described) == expected


def test_schema_is_generated_without_warnings(tmp_path):
    """For example, about names of choices that would change with the next endpoint."""
    call_command("spectacular", "--fail-on-warn", file=tmp_path / "schema.yaml")
    assert (tmp_path / "schema.yaml").exists()


def test_every_operation_has_a_name_a_summary_and_errors(schema):
    names = [operation["operationId"] for _, _, operation in operations(schema)]
    assert len(names) == len(set(names))
    for _, method, operation in operations(schema):
        assert operation["summary"]
        responses = operation["responses"]
        expected = {"400", "401", "403", "429"} | ({"304"} if method == "get" else {"415", "422"})
        assert expected <= set(responses)
        schema_of_error = responses["400"]["content"]["application/json"]["schema"]
        assert schema_of_error == {"$ref": "#/components/schemas/ErrorResponse"}
        assert operation["security"] == [{"token": []}, {"cookieAuth": []}]


def test_schema_allows_an_empty_partition(schema):
    """Most corpora have no partition."""
    partitions = [
        model["properties"]["partition"]
        for model in schema["components"]["schemas"].values()
        if "partition" in model.get("properties", {})
    ]
    assert partitions
    blank = {"$ref": "#/components/schemas/BlankEnum"}
    assert all(field.get("type") == "string" or blank in field["oneOf"] for field in partitions)


def test_filter_parameters_are_described(schema):
    parameters = schema["paths"]["/api/v1/projects/{slug}/items/"]["get"]["parameters"]
    names = {parameter["name"] for parameter in parameters if parameter["in"] == "query"}
    assert names == {"state", "domain", "partition", "text", "skipped", "cursor", "limit"}


def test_content_is_described_by_scheme(schema, campaign, api):
    components = schema["components"]["schemas"]
    described = components["Gold"]["properties"]["content"]["anyOf"]
    names = [part["$ref"].rpartition("/")[2] for part in described if "$ref" in part]
    assert names == ["QasrlGold", "FramesGold", "GroundingGold"]
    rows = api.get(reverse("api:gold", args=["demo"])).json()["results"]
    fields = components["QasrlGold"]["properties"]
    questions = components[fields["questions"]["items"]["$ref"].rpartition("/")[2]]
    assert rows
    for row in rows:
        assert set(row["content"]) <= set(fields)
        for question in row["content"]["questions"]:
            assert set(questions["required"]) <= set(question)
    # Every reference has a component, and no JSON Schema is left that OpenAPI 3.0 lacks.
    text = json.dumps(schema)
    named = set(re.findall(r"#/components/schemas/(\w+)", text))
    assert named <= set(components)
    assert "$defs" not in text
    assert '{"type": "null"}' not in text


def test_every_response_has_a_description_and_its_headers(schema):
    for path, _, operation in operations(schema):
        for status, response in operation["responses"].items():
            assert response["description"], (path, status)
    published = schema["paths"]["/api/v1/projects/{slug}/batches/"]["post"]["responses"]["201"]
    assert set(published["headers"]) == {"Location", "Idempotency-Replayed", "X-Request-ID"}
    assert "Retry-After" in published_errors(schema, "429")


def published_errors(schema, status):
    operation = schema["paths"]["/api/v1/projects/{slug}/batches/"]["post"]
    return operation["responses"][status]["headers"]


@pytest.mark.django_db(transaction=True)
def test_running_api_conforms_to_its_schema(live_server, campaign, settings, tmp_path):
    """Each operation accepts valid inputs and refuses invalid inputs of every kind in the schema."""
    check_conformance(live_server, campaign, settings, tmp_path, "--phases", "coverage")


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_running_api_handles_generated_requests(live_server, campaign, settings, tmp_path):
    options = ("--phases", "fuzzing", "--max-examples", "30")
    check_conformance(live_server, campaign, settings, tmp_path, *options)


def check_conformance(live_server, campaign, settings, tmp_path, *options: str) -> None:
    settings.API_READS_PER_MINUTE = settings.API_WRITES_PER_MINUTE = 0
    root = get_user_model().objects.create_superuser("root", password="a long enough password")
    export = make_export(campaign.project, fmt="jsonl")
    scored = make_system_evaluation(campaign.project)
    [evaluation, *_] = add_evaluations(campaign.project, campaign.workers)
    config = tmp_path / "schemathesis.toml"
    # These values exist. Generated values are tried as well.
    for version in ("1.0", "1.1"):
        make_release(campaign.project, version, source="consolidated")
    entry = make_entry(campaign.project, "1.1", root)
    known = {"slug": "demo", "file": MANIFEST}
    known["pseudonym"] = campaign.workers[0].pseudonym
    webhook = make_webhook(campaign.project)
    known["delivery"] = webhook.deliveries.get().pk
    lines = ["[checks]", "enabled = false", *(f"{name}.enabled = true" for name in CHECKS)]
    lines += ["[parameters]", *(f'"path.{name}" = "{value}"' for name, value in known.items())]
    ids = {
        "items": campaign.items[0].pk,
        "batches": campaign.batches["generator"].pk,
        "submissions": campaign.items[1].submissions.first().pk,
        "evaluations": evaluation.pk,
        "exports": export.pk,
        "system-evaluations": scored.pk,
        "release-jobs": queued_release(campaign.project).pk,
        "rounds": evaluation.enrolment.round_id,
        "members": make_user("mia", campaign.project, MemberRole.TRAINER).pk,
        "pools": add_pool(campaign.project, campaign.workers).pk,
        "webhooks": webhook.pk,
    }
    for name, pk in ids.items():
        lines += ["[[operations]]", f'include-path-regex = "/{name}/"']
        lines += [f'parameters = {{ "path.id" = {pk} }}']
    lines += ["[[operations]]", 'include-path-regex = "/releases/"']
    lines += ['parameters = { "path.version" = "1.1" }']
    lines += ["[[operations]]", 'include-path-regex = "/benchmarks/"']
    lines += [f'parameters = {{ "path.version" = "1.1", "path.id" = {entry.pk} }}']
    # A `Range` of a JSON file has the file's content type but is not valid JSON.
    for paths in ("/exports/.+/.+", "/releases/.+/archive"):
        lines += ["[[operations]]", f'include-path-regex = "{paths}"']
        lines += ["checks.response_schema_conformance.enabled = false"]
    config.write_text("\n".join(lines))
    run = subprocess.run(
        [
            Path(sys.executable).with_name("schemathesis"),
            "--config-file",
            config,
            "run",
            f"{live_server.url}/api/v1/schema/",
            "--header",
            f"Authorization: Bearer {token_of(root)}",
            *options,
            "--seed",
            "1",
            "--continue-on-failure",
            "--no-shrink",
            "--output-truncate",
            "true",
        ],
        cwd=tmp_path,
        env={**os.environ, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-8000:] + run.stderr[-1000:]


def test_each_property_is_described(schema):
    components = schema["components"]["schemas"]
    properties = {
        (name, key): value
        for name, component in components.items()
        for key, value in component.get("properties", {}).items()
    }
    assert len(properties) > 1000
    assert [names for names, value in properties.items() if not value.get("description")] == []
    # A description that nothing uses is that of a property that was renamed.
    known = {key for names in properties for key in (names[1], ".".join(names))}
    for texts in (property_descriptions, content_descriptions):
        assert set(texts.DESCRIPTIONS) - known == set()
