"""Actions that move money: required idempotency keys, and the preview of a cost."""

import json

import pytest
from django.urls import reverse

from annotation.models import Batch
from crowd.models import Budget, LedgerEntry, QualificationType
from tests.api.conftest import calling
from tests.api.routes import API_RULES, ROUTES
from tests.dashboard.campaign import add_items
from web.actions import needs_key
from web.models import AnsweredRequest

pytestmark = pytest.mark.django_db
MONEY = (
    "batches", "accept_submission", "reject_submission", "accept_bonus", "decline_bonus",
    "set_aside_submission", "overturn_submission", "copies_of_submission", "compensations",
)  # fmt: skip


def publish(api, body, *, dry_run="", key="one"):
    url = reverse("api:batches", args=["demo"]) + (f"?dry_run={dry_run}" if dry_run else "")
    headers = {"Idempotency-Key": key} if key else {}
    return api.post(url, json.dumps(body), content_type="application/json", headers=headers)


@pytest.mark.parametrize("name", MONEY)
def test_action_without_a_key_does_nothing(name, root, address):
    before = LedgerEntry.objects.count()
    response = calling(root).post(address(name), "{}", content_type="application/json")
    assert response.status_code == 400
    [error] = response.json()["errors"]
    assert (error["code"], error["attr"]) == ("required", "Idempotency-Key")
    assert "moves money" in error["detail"]
    assert LedgerEntry.objects.count() == before


def test_actions_with_the_scopes_of_money_need_a_key():
    """Every action with the scope `pay` moves money, and so does all that publishes."""
    needing = {
        name
        for name, rules in API_RULES.items()
        if "POST" in rules and needs_key(ROUTES[name].callback.cls.post)
    }
    paying = {
        name
        for name, rules in API_RULES.items()
        if "POST" in rules and rules["POST"].scope == "pay"
    }
    publishing = {"batches", "enlarge_batch", "republish_batch", "publish_round"}
    assert needing == paying | publishing
    assert set(MONEY) <= needing


def test_required_key_is_in_the_schema(api):
    schema = api.get(reverse("api:schema")).json()
    required = {
        operation["operationId"]
        for methods in schema["paths"].values()
        for operation in methods.values()
        for parameter in operation.get("parameters", [])
        if parameter["name"] == "Idempotency-Key" and parameter.get("required")
    }
    assert required >= {"publish_batch", "accept_submission", "reject_submission", "accept_bonus"}
    assert "create_project" not in required


# --- previews ------------------------------------------------------------------------------------


def test_preview_has_the_cost_of_the_publication(api, project):
    add_items(project, 5)
    body = {"limit": 4, "keep_open": 2}
    response = publish(api, body, dry_run="true", key="")
    assert response.status_code == 200
    cost = response.json()
    assert (Batch.objects.count(), LedgerEntry.objects.count()) == (0, 0)
    assert AnsweredRequest.objects.count() == 0
    project.budget.refresh_from_db()
    left = project.budget.left_cents
    assert publish(api, body).status_code == 201
    project.budget.refresh_from_db()
    assert cost == {
        "items": 4,
        "hits": 2,
        "reserved_cents": project.budget.reserved_cents,
        "most_cents": 2 * project.budget.reserved_cents,
        "expected_cents": cost["expected_cents"],
        "budget_left_cents": left,
        "is_affordable": True,
        "pool": None,
    }
    assert cost["expected_cents"] > 0


def test_preview_names_the_pool_and_a_lack_of_money(api, project):
    add_items(project, 5)
    QualificationType.objects.create(
        provider="mturk", code="demo-generator", name="Pool", description="x"
    )
    Budget.objects.update(cap_cents=10)
    cost = publish(api, {"limit": 100}, dry_run="true").json()
    assert (cost["items"], cost["pool"], cost["is_affordable"]) == (5, "demo-generator", False)
    Budget.objects.update(cap_cents=None)
    cost = publish(api, {"limit": 2, "cap_cents": 1}, dry_run="true").json()
    assert (cost["budget_left_cents"], cost["is_affordable"]) == (None, False)


@pytest.mark.parametrize(
    ("body", "dry_run", "status"),
    [
        ({"limit": 1}, "maybe", 400),
        ({"limit": 0}, "true", 400),
        ({"limit": 1, "who": "pool"}, "true", 400),
        ({"limit": 1}, "true", 409),
    ],
)
def test_preview_refuses_what_publishing_refuses(api, project, body, dry_run, status):
    if status != 409:
        add_items(project, 2)
    assert publish(api, body, dry_run=dry_run).status_code == status


def test_preview_that_is_not_wanted_publishes(api, project):
    add_items(project, 2)
    assert publish(api, {"limit": 1}, dry_run="false").status_code == 201


# --- options -------------------------------------------------------------------------------------


def test_publication_has_the_options_of_the_page(api, project):
    add_items(project, 2)
    body = {"limit": 1, "auto_approval_seconds": 3600, "republish_limit": 0}
    batch = publish(api, body).json()
    assert (batch["auto_approval_seconds"], batch["republish_limit"]) == (3600, 0)
