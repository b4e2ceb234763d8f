"""Validation of requests against botocore's model, of which botocore checks only a part."""

import re
import sys
from collections.abc import Mapping
from functools import cache
from typing import Any

from botocore.loaders import Loader
from botocore.model import ListShape, ServiceModel, Shape, StructureShape
from django.conf import settings

from marketplace.domain.errors import InvalidParameterError, RefusalError

YEAR_SECONDS = 31_536_000
#: Limits that the model lacks: of a number, or of the length of a text. MTurk documents most of them.
LIMITS = {
    "AssignmentDurationInSeconds": (30, YEAR_SECONDS),
    "AutoApprovalDelayInSeconds": (0, 2_592_000),
    "Description": (1, 2_000),
    "Keywords": (0, 1_000),
    "LifetimeInSeconds": (30, YEAR_SECONDS),
    "MaxAssignments": (1, 1_000_000_000),
    "MessageText": (1, 4_096),
    "Name": (1, 200),
    "NumberOfAdditionalAssignments": (1, 1_000_000_000),
    "Query": (0, 1_000),
    "RequesterAnnotation": (0, 255),
    "RequesterFeedback": (0, 1_024),
    "RetryDelayInSeconds": (0, 2**31 - 1),
    "Subject": (1, 200),
    "TestDurationInSeconds": (1, YEAR_SECONDS),
    "Title": (1, 128),
}


@cache
def service_model() -> ServiceModel:
    """Return MTurk's model with the operations that only this marketplace has."""
    loader = Loader(extra_search_paths=[str(settings.MTURK_API_EXTRAS)])
    return ServiceModel(loader.load_service_model("mturk", "service-2"), "mturk")


@cache
def operation_names() -> frozenset[str]:
    """Return the names of all operations."""
    return frozenset(service_model().operation_names)


def check_input(operation: str, params: object) -> dict[str, Any]:
    """Return the known parameters. Raise RefusalError with the path of an invalid member."""
    shape = _input_shape(operation)
    if not isinstance(params, dict):
        raise InvalidParameterError("The request must be a JSON object.")
    return _structure(shape, params, "") if shape else {}


@cache
def _input_shape(operation: str) -> StructureShape | None:
    shape = service_model().operation_model(operation).input_shape
    return shape if isinstance(shape, StructureShape) else None


def _structure(shape: StructureShape, value: object, path: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InvalidParameterError(f"{path or 'The request'} must be an object.")
    missing = [name for name in shape.required_members if value.get(name) is None]
    if missing:
        names = ", ".join(f"{path}.{name}".lstrip(".") for name in missing)
        raise RefusalError("AWS.MissingParameters", f"These parameters are missing: {names}.")
    members = shape.members
    return {
        name: _value(members[name], member, f"{path}.{name}".lstrip("."))
        for name, member in value.items()
        if member is not None and name in members
    }


def _value(shape: Shape, value: Any, path: str) -> Any:
    if isinstance(shape, StructureShape):
        return _structure(shape, value, path)
    if isinstance(shape, ListShape):
        if not isinstance(value, list):
            raise InvalidParameterError(f"{path} must be a list.")
        return [_value(shape.member, item, f"{path}[{i}]") for i, item in enumerate(value)]
    _check_scalar(shape, value, path)
    return value


def _check_scalar(shape: Shape, value: Any, path: str) -> None:
    kind = shape.type_name
    types = _TYPES[kind]
    if not isinstance(value, types) or (isinstance(value, bool) and kind != "boolean"):
        raise InvalidParameterError(f"{path} must be of type {kind}.")
    if kind not in _BOUNDS:
        return
    low, high = LIMITS.get(path, _BOUNDS[kind])
    low, high = shape.metadata.get("min", low), shape.metadata.get("max", high)
    if kind == "string":
        _check_string(shape.metadata, str(value), path, low, high)
    elif not low <= value <= high:
        raise InvalidParameterError(f"{path} is {value}; it must be between {low} and {high}.")


def _check_string(limits: Mapping[str, Any], value: str, path: str, low: int, high: int) -> None:
    if low and not value.strip():
        raise InvalidParameterError(f"{path} must not be empty.")
    if not low <= len(value) <= high:
        raise InvalidParameterError(
            f"{path} is {len(value)} characters long; it must have {low} to {high}."
        )
    if (pattern := limits.get("pattern")) and not re.fullmatch(pattern.strip("^$"), value):
        raise InvalidParameterError(f"{path} is {value!r}; it must match {pattern}.")
    if (allowed := limits.get("enum")) and value not in allowed:
        raise InvalidParameterError(f"{path} is {value!r}; it must be one of {', '.join(allowed)}.")
    if "\x00" in value:
        raise InvalidParameterError(f"{path} contains a NUL character.")


_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "long": (int,),
    "boolean": (bool,),
    "timestamp": (int, float),
}
_BOUNDS = {
    "string": (0, sys.maxsize),
    "integer": (-(2**31), 2**31 - 1),
    "long": (-(2**63), 2**63 - 1),
}
