"""Mutated requests to the Requester API, which get the answers of MTurk and no server errors."""

import json
import random

import pytest
from django.db import transaction

from marketplace.api.shapes import operation_names, service_model
from tests.hostile.requester_requests import (
    CONTENT_TYPE,
    SITE,
    Api,
    mutations,
    request_of,
    valid_params,
)
from tests.marketplace.conftest import make_requester
from tests.marketplace.wire import SIGNING, check_shape

# Errors that AWS returns for every service, in addition to those of the model.
COMMON = SIGNING | {
    "RequestEntityTooLargeException",
    "SerializationException",
    "UnknownOperationException",
}


@pytest.fixture
def api(db, settings) -> Api:
    settings.MARKETPLACE_URL = SITE
    settings.MARKETPLACE_ALLOW_HTTP = True
    settings.MARKETPLACE_REQUESTS_PER_SECOND = 0
    settings.MARKETPLACE_FAULTS = ""
    return Api(*make_requester()[1:])


@pytest.fixture
def valid(api) -> dict[str, dict]:
    return valid_params(api)


def answer(api: Api, request):
    """Send the request and undo what it did."""
    with transaction.atomic():
        response = api.send(request)
        transaction.set_rollback(True)
    return response


def problem_of(operation: str, response) -> str:
    """Return what is wrong with the answer, or an empty string."""
    if response.status_code >= 500:
        return f"status {response.status_code}"
    try:
        _check(operation, response)
    except (AssertionError, KeyError, ValueError) as error:
        return repr(error)
    return ""


def _check(operation: str, response) -> None:
    assert response.headers["Content-Type"] == CONTENT_TYPE
    assert response.headers["x-amzn-RequestId"]
    body = json.loads(response.content)
    model = service_model().operation_model(operation)
    if response.status_code == 200:
        if model.output_shape:
            check_shape(model.output_shape, body, operation)
        return
    assert response.status_code in {400, 411, 413}
    errors = {shape.name for shape in model.error_shapes}
    assert body["__type"] in errors | COMMON, body["__type"]
    assert body["Message"] == body["message"] != ""
    assert ("TurkErrorCode" in body) == (body["__type"] in errors)
    assert body.get("TurkErrorCode", "AWS.").startswith("AWS.")


def test_every_operation_accepts_its_valid_request(api, valid):
    assert set(valid) == operation_names()
    refusals = {
        name: response.content
        for name, params in valid.items()
        if (response := answer(api, request_of(name, params))).status_code != 200
    }
    assert set(refusals) == {"GetFileUploadURL"}  # the marketplace has no questions of this kind


def _failures(api: Api, valid: dict[str, dict], *, seed: int, rounds: int) -> list[tuple]:
    rng = random.Random(seed)
    failures, statuses = [], set()
    for name, params in valid.items():
        for _ in range(rounds):
            for label, request in mutations(name, params, rng):
                response = answer(api, request)
                statuses.add(response.status_code)
                if problem := problem_of(name, response):
                    failures.append((name, label, problem))
    assert {200, 400} <= statuses
    return failures


def test_no_mutation_causes_a_server_error(api, valid):
    assert _failures(api, valid, seed=1, rounds=2) == []


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 8))
def test_no_mutation_in_many_rounds_causes_a_server_error(api, valid, seed):
    assert _failures(api, valid, seed=seed, rounds=15) == []
