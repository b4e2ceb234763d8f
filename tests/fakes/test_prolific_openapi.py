"""The stand-in's responses match the official OpenAPI description.

The description is not part of this repository. Set PROLIFIC_OPENAPI to the path of its YAML file.
"""

import os
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from openapi_schema_validator import OAS30ReadValidator, OAS31Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from tests.fakes.prolific import CODE, study_fields

NAME = "PROLIFIC_OPENAPI"


def problems(
    spec: dict[str, Any], method: str, path: str, status: int, body: Any
) -> list[str] | None:
    """Return where a body differs from its schema, or None if the description has no schema."""
    pointer = pointer_of(spec, method, path, status)
    if pointer is None:
        return None
    registry = Registry().with_resource("urn:prolific", DRAFT202012.create_resource(spec))
    is_old = str(spec["openapi"]).startswith("3.0")
    validator = (OAS30ReadValidator if is_old else OAS31Validator)(
        {"$ref": f"urn:prolific#{pointer}"}, registry=registry
    )
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(body)]


def pointer_of(spec: dict[str, Any], method: str, path: str, status: int) -> str | None:
    """Return the JSON pointer of a response's schema."""
    address = f"/api/v1{path}".rstrip("/")
    for template, operations in sorted(spec["paths"].items(), key=lambda row: row[0].count("{")):
        if not re.fullmatch(re.sub(r"{\w+}", "[^/]+", template.rstrip("/")), address):
            continue
        responses = operations.get(method.lower(), {}).get("responses", {})
        key = next((key for key in responses if str(key) == str(status)), None)
        if key is not None and responses[key].get("content", {}).get("application/json"):
            escaped = template.replace("~", "~0").replace("/", "~1")
            ending = "content/application~1json/schema"
            return f"/paths/{escaped}/{method.lower()}/responses/{key}/{ending}"
    return None


SMALL = {
    "paths": {
        "/api/v1/studies/{id}/": {
            "get": {
                "responses": {
                    "200": {
                        "content": {
                            "application/json": {"schema": {"$ref": "#/components/schemas/Study"}}
                        }
                    }
                }
            }
        }
    },
    "components": {
        "schemas": {
            "Study": {
                "type": "object",
                "required": ["id"],
                "properties": {"id": {"type": "string"}},
            }
        }
    },
}


@pytest.mark.parametrize(
    ("path", "status", "body", "expected"),
    [
        ("/studies/1/", 200, {"id": "1"}, []),
        ("/studies/1", 200, {"id": 1}, ["$.id: 1 is not of type 'string'"]),
        ("/studies/1/", 200, {}, ["$: 'id' is a required property"]),
        ("/studies/1/", 404, {}, None),
        ("/studies/", 200, {}, None),
    ],
)
@pytest.mark.parametrize("version", ["3.0.1", "3.1.0"])
def test_problems(version, path, status, body, expected):
    spec = {**SMALL, "openapi": version}
    assert problems(spec, "GET", path, status, body) == expected


def responses(prolific) -> list[tuple[str, str, int, Any]]:
    """Run a small campaign, and return method, path, status and body of every response."""
    rows = []

    def call(method, path, body=None):
        status, answer = prolific.call(method, path, body)
        rows.append((method, path, status, answer))
        return answer

    workspace, project = prolific.workspace.id, prolific.project.id
    call("GET", "/users/me/")
    call("GET", "/workspaces/")
    call("GET", f"/workspaces/{workspace}/projects/")
    call("GET", f"/workspaces/{workspace}/balance/")
    group = call("POST", "/participant-groups/", {"workspace_id": workspace, "name": "trained"})
    call("GET", "/participant-groups/")
    study = call("POST", "/studies/", study_fields())["id"]
    call("PATCH", f"/studies/{study}/", {"internal_name": "batch-2"})
    call("POST", f"/studies/{study}/transition/", {"action": "PUBLISH"})
    call("GET", f"/studies/{study}/")
    call("GET", f"/projects/{project}/studies/")
    call("GET", "/filters/")
    person = prolific.participant()
    members = {"participant_ids": [person.id]}
    call("POST", f"/participant-groups/{group['id']}/participants/", members)
    call("GET", f"/participant-groups/{group['id']}/participants/")
    person.take(study)
    person.complete(CODE)
    submission = person.submissions[0].id
    call("GET", "/submissions/")
    call("GET", f"/studies/{study}/submissions/")
    call("GET", f"/submissions/{submission}/")
    reasons = {"request_return_reasons": ["Withdrew consent."]}
    call("POST", f"/submissions/{submission}/request-return/", reasons)
    call("POST", f"/submissions/{submission}/transition/", {"action": "APPROVE"})
    bonus = {"study_id": study, "csv_bonuses": f"{submission},1.50"}
    bulk = call("POST", "/submissions/bonus-payments/", bonus)
    call("POST", f"/bulk-bonus-payments/{bulk['id']}/pay/")
    call("GET", f"/studies/{study}/cost/")
    call("POST", "/study-cost-calculator/", {"reward": 200, "total_available_places": 2})
    call("POST", "/hooks/secrets/", {"workspace_id": workspace})
    hook = {
        "workspace_id": workspace,
        "event_type": "study.status.change",
        "target_url": "https://touchstone.example/hook/",
    }
    call("POST", "/hooks/subscriptions/", hook)
    call("GET", "/hooks/subscriptions/")
    call("GET", "/studies/0123/")
    return rows


@pytest.mark.skipif(NAME not in os.environ, reason=f"{NAME} is not set")
def test_responses_match_the_official_description(prolific):
    spec = yaml.safe_load(Path(os.environ[NAME]).read_text("utf-8"))
    differences = {}
    for method, path, status, body in responses(prolific):
        if faults := problems(spec, method, path, status, body):
            differences[f"{method} {path} {status}"] = faults
    assert differences == {}


def test_campaign_covers_successful_responses(prolific):
    rows = responses(prolific)
    assert [status for _, _, status, _ in rows if status >= 400] == [404]
