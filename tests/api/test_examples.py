"""The examples of request bodies in the schema, and the descriptions of its groups.

tests/api/test_actors.py sends each example to a project that has what it names.
"""

import json
import re

import jsonschema
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from tests.api.conftest import calling
from tests.api.routes import API_RULES, ROUTES, operation_of
from web.request_examples import EXAMPLES

pytestmark = pytest.mark.django_db
NAME_OF_FILE = re.compile(r"^[a-z]+\.[a-z]+$")
WITH_BODY = sorted(
    (name, method)
    for name, rules in API_RULES.items()
    for method in set(rules) - {"GET"}
    if operation_of(name, method) in EXAMPLES
)


@pytest.fixture
def schema(root):
    return calling(root).get(reverse("api:schema")).json()


def operations(schema) -> dict[str, dict]:
    return {
        operation["operationId"]: operation
        for methods in schema["paths"].values()
        for operation in methods.values()
    }


def test_servers_and_groups_are_described(schema):
    assert schema["servers"] == [{"url": "/", "description": "This site."}]
    used = {tag for operation in operations(schema).values() for tag in operation["tags"]}
    described = {tag["name"]: tag["description"] for tag in schema["tags"]}
    assert set(described) == used
    assert all(text.endswith(".") for text in described.values())


def test_each_body_has_an_example_and_no_other_operation_has_one(schema):
    bodies = {
        name: operation["requestBody"]["content"]
        for name, operation in operations(schema).items()
        if "requestBody" in operation
    }
    assert set(bodies) == set(EXAMPLES)
    for name, content in bodies.items():
        [media_type] = content.values()
        assert media_type["examples"]["Example"]["value"] == EXAMPLES[name], name


def test_each_example_is_valid(schema):
    for name, operation in operations(schema).items():
        for media_type in operation.get("requestBody", {}).get("content", {}).values():
            whole = {**media_type["schema"], "components": schema["components"]}
            jsonschema.validate(EXAMPLES[name], whole)
            with pytest.raises(jsonschema.ValidationError):
                jsonschema.validate({**EXAMPLES[name], "surprise": 1}, whole)


def as_file(value):
    """Return a file for the name of one, and files for a list of names."""
    if isinstance(value, list):
        return [as_file(entry) for entry in value]
    is_file = isinstance(value, str) and NAME_OF_FILE.fullmatch(value)
    return SimpleUploadedFile(value, b"One.\n") if is_file else value


@pytest.mark.parametrize(("name", "method"), WITH_BODY)
def test_fields_of_each_example_are_accepted(name, method, address, root):
    """What the example names may be missing, but no field is unknown or required and missing."""
    example = EXAMPLES[operation_of(name, method)]
    client, headers = calling(root), {"Idempotency-Key": "examples"}
    if any("multipart" in parser.media_type for parser in ROUTES[name].callback.cls.parser_classes):
        form = {field: as_file(value) for field, value in example.items()}
        response = client.post(address(name), form, headers=headers)
    else:
        body = json.dumps(example)
        response = client.generic(
            method, address(name), body, content_type="application/json", headers=headers
        )
    assert response.status_code < 500
    codes = {error["code"] for error in response.json().get("errors", [])}
    assert not codes & {"unknown_field", "required", "blank", "invalid_choice", "parse_error"}
