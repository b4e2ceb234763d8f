"""Endpoints of the whole site: blocked workers, and rows that sweeps could not process."""

import json

import pytest
from django.urls import reverse
from django.utils import timezone

from audit.models import StateChange
from crowd.models import Block
from projects.enums import MemberRole, TokenScope
from tests.api.conftest import calling
from tests.api.routes import API_RULES
from tests.crowd.factories import make_worker
from tests.dashboard.campaign import make_user
from tests.jobs.factories import make_failure

pytestmark = pytest.mark.django_db
OF_SITE = (
    "blocks",
    "block_worker",
    "unblock_worker",
    "failures",
    "retry_failure",
    "set_aside_failure",
)


@pytest.fixture
def site(root):
    return calling(root, scopes=[TokenScope.OPERATE])


def send(client, name: str, argument, body: dict | None = None, *, key: str = ""):
    return client.post(
        reverse(f"api:{name}", args=[argument]),
        json.dumps(body or {}),
        content_type="application/json",
        headers={"Idempotency-Key": key} if key else {},
    )


def listed(client, name: str, query: str = "") -> list[dict]:
    return client.get(reverse(f"api:{name}") + query).json()["results"]


def test_worker_is_blocked_and_unblocked(site):
    worker = make_worker()
    assert send(site, "unblock_worker", worker.pseudonym, {"reason": "x"}).status_code == 409
    response = send(site, "block_worker", worker.pseudonym, {"reason": "Copies."})
    assert response.status_code == 202
    blocked = response.json()
    assert (blocked["worker"], blocked["state"], blocked["reason"]) == (
        worker.pseudonym,
        "pending",
        "Copies.",
    )
    assert listed(site, "blocks", "?state=pending") == [blocked]
    lifted = send(site, "unblock_worker", worker.pseudonym, {"reason": "An error."}).json()
    assert (lifted["state"], lifted["reason"]) == ("lifting", "An error.")
    assert listed(site, "blocks", "?state=pending") == []
    changes = StateChange.objects.filter(aggregate="crowd.Block").order_by("pk")
    assert [change.new for change in changes] == ["pending", "lifting"]
    assert all(change.actor.startswith("root by token ts_") for change in changes)
    assert worker.external_id not in json.dumps(listed(site, "blocks"))


def test_block_needs_a_reason_and_a_worker(site):
    worker = make_worker()
    for body in ({}, {"reason": ""}, {"reason": " "}, {"reason": "x" * 1001}):
        assert send(site, "block_worker", worker.pseudonym, body).status_code == 400
    assert send(site, "block_worker", "WNOBODY000", {"reason": "x"}).status_code == 404
    assert send(site, "block_worker", worker.external_id, {"reason": "x"}).status_code == 404
    assert not Block.objects.exists()


def test_repeated_request_blocks_once(site):
    worker = make_worker()
    for _ in range(2):
        response = send(site, "block_worker", worker.pseudonym, {"reason": "x"}, key="one")
        assert response.status_code == 202
    assert StateChange.objects.filter(aggregate="crowd.Block").count() == 1


def test_failure_is_retried_and_set_aside(site):
    failure = make_failure(at=timezone.now())
    [row] = listed(site, "failures", "?is_set_aside=false&sweep=send payments")
    assert (row["id"], row["error"]) == (failure.pk, "TimeoutError")
    aside = send(site, "set_aside_failure", failure.pk).json()
    assert aside["set_aside_at"]
    assert aside["set_aside_by"].startswith("root by token ts_")
    assert [row["id"] for row in listed(site, "failures", "?is_set_aside=true")] == [failure.pk]
    assert listed(site, "failures", "?is_set_aside=false") == []
    retried = send(site, "retry_failure", failure.pk).json()
    assert (retried["set_aside_at"], retried["set_aside_by"]) == (None, "")
    failure.refresh_from_db()
    assert failure.is_due(timezone.now())
    changes = StateChange.objects.filter(aggregate="jobs.SweepFailure").order_by("pk")
    assert [change.new for change in changes] == ["set aside", "retried"]
    assert send(site, "retry_failure", failure.pk + 1).status_code == 404


def test_failure_that_is_set_aside_again_keeps_its_person(site, root):
    failure = make_failure()
    send(site, "set_aside_failure", failure.pk)
    other = calling(root)
    before = StateChange.objects.count()
    assert send(other, "set_aside_failure", failure.pk).status_code == 200
    assert StateChange.objects.count() == before


@pytest.mark.parametrize("name", OF_SITE)
def test_only_superusers_with_unlimited_tokens_may_operate(name, address, project, root):
    [(method, rule)] = API_RULES[name].items()
    assert rule.scope == TokenScope.OPERATE
    admin = calling(make_user("olga", project, *MemberRole))
    limited = calling(root, projects=[project])
    other_scopes = calling(root, scopes=[scope for scope in TokenScope if scope != rule.scope])
    for client in (admin, limited, other_scopes):
        headers = {"Idempotency-Key": "site"}
        body = json.dumps({"reason": "x"})
        response = client.generic(
            method, address(name), body, content_type="application/json", headers=headers
        )
        assert response.status_code == 403
