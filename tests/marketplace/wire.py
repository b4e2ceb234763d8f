"""Checks of every response against botocore's service model, stricter than botocore."""

import json
import re
from typing import Any

from botocore.validate import ParamValidator


def watch(client: Any) -> None:
    """Fail any call whose response does not match the model."""
    client.meta.events.register("after-call.mturk", _check)


def _check(http_response: Any, parsed: dict[str, Any], model: Any, **_: Any) -> None:
    assert http_response.headers["Content-Type"] == "application/x-amz-json-1.1"
    body = json.loads(http_response.content)
    if http_response.status_code != 200:
        errors = {shape.name: shape for shape in model.error_shapes}
        assert body["__type"] in {*errors, "ThrottlingException"} | SIGNING, body
        if shape := errors.get(body["__type"]):
            body = {name: body[name] for name in shape.members if name in body}
            assert re.fullmatch(r"AWS\.[A-Za-z.]+", body["TurkErrorCode"])
            check_shape(shape, body, body["TurkErrorCode"])
        return
    shape = model.output_shape
    check_shape(shape, body, model.name)
    members = {name: value for name, value in parsed.items() if name != "ResponseMetadata"}
    report = ParamValidator().validate(members, shape)
    assert not report.has_errors(), report.generate_report()


SIGNING = {
    "UnrecognizedClientException",
    "InvalidSignatureException",
    "IncompleteSignatureException",
    "MissingAuthenticationTokenException",
}


def check_shape(shape: Any, value: Any, path: str) -> None:
    """Check members, nulls, limits, patterns and enumerations against the model."""
    if shape.type_name == "structure":
        unknown = set(value) - set(shape.members)
        assert not unknown, f"{path} has members that the model lacks: {unknown}"
        for name, member in value.items():
            assert member is not None, f"{path}.{name} is null"
            check_shape(shape.members[name], member, f"{path}.{name}")
    elif shape.type_name == "list":
        for index, item in enumerate(value):
            check_shape(shape.member, item, f"{path}[{index}]")
    elif shape.type_name == "string":
        limits = shape.metadata
        assert limits.get("min", 0) <= len(value) <= limits.get("max", 10**9), path
        assert re.fullmatch(limits.get("pattern", "^(?s:.*)$").strip("^$"), value), (path, value)
        assert value in limits.get("enum", [value]), (path, value)
    elif shape.type_name == "timestamp":
        assert isinstance(value, int | float), (path, value)
