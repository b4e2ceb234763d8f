"""Decisions on several submissions at once."""

import json

import pytest
from django.urls import reverse

from annotation.models import Submission
from crowd.models import Payment
from tests.dashboard.campaign import CONTENT, Campaign, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _single_copies(campaign):
    """Leave the submissions nothing but a decision to wait for."""
    Submission.objects.update(other_version=None)


def decide(api, body, *, key="one"):
    return api.post(
        reverse("api:decide_submissions", args=["demo"]),
        json.dumps(body),
        content_type="application/json",
        headers={"Idempotency-Key": key},
    )


def waiting(campaign) -> list[int]:
    rows = Submission.objects.filter(item__project=campaign.project, state="submitted")
    return list(rows.order_by("pk").values_list("pk", flat=True))


def test_submissions_are_accepted_and_rejected_together(api, campaign):
    first, second, third = waiting(campaign)
    body = {"accept": [third, first], "reject": [{"id": second, "reason": "Empty."}]}
    response = decide(api, body)
    assert response.status_code == 200
    assert response.json()["results"] == [
        {"id": third, "state": "accepted", "problem": ""},
        {"id": first, "state": "accepted", "problem": ""},
        {"id": second, "state": "rejected", "problem": ""},
    ]
    assert Submission.objects.get(pk=second).assignment.decision_reason == "Empty."
    payments = Payment.objects.count()
    assert decide(api, body).json() == response.json()
    assert Payment.objects.count() == payments


def test_each_submission_has_its_own_result(api, campaign):
    _, second, third = waiting(campaign)
    Submission.objects.filter(pk=third).update(other_version=CONTENT)
    foreign = waiting(Campaign(make_project("other"), 4))[0]
    response = decide(api, {"accept": [second, third, foreign, 10**15]})
    assert response.status_code == 200
    missing = "The project has no worker's submission with this id."
    assert response.json()["results"] == [
        {"id": second, "state": "accepted", "problem": ""},
        {
            "id": third,
            "state": "submitted",
            "problem": "There are two copies. Compare them first.",
        },
        {"id": foreign, "state": None, "problem": missing},
        {"id": 10**15, "state": None, "problem": missing},
    ]
    assert Submission.objects.get(pk=foreign).state == "submitted"


def test_rejections_are_overturned_as_one_by_one(api, campaign):
    """A single decision and a bulk decision follow the same rule."""
    first, second, _ = waiting(campaign)
    for pk in (first, second):
        body = {"reject": [{"id": pk, "reason": "Empty."}]}
        assert decide(api, body, key=f"reject-{pk}").json()["results"][0]["problem"] == ""
    url = reverse("api:accept_submission", args=["demo", first])
    single = api.post(url, headers={"Idempotency-Key": "single"})
    [bulk] = decide(api, {"accept": [second]}).json()["results"]
    assert (single.status_code == 200) == (bulk["problem"] == "")
    states = [Submission.objects.get(pk=pk).state for pk in (first, second)]
    assert states[0] == states[1] == bulk["state"]


@pytest.mark.parametrize(
    ("body", "attrs"),
    [
        ({}, {"non_field_errors"}),
        ({"accept": []}, {"non_field_errors"}),
        ({"accept": [1, 1]}, {"non_field_errors"}),
        ({"accept": [1], "reject": [{"id": 1, "reason": "x"}]}, {"non_field_errors"}),
        ({"accept": list(range(1, 202))}, {"accept"}),
        ({"reject": [{"id": 1}]}, {"reject.0.reason"}),
        ({"reject": [{"id": 1, "reason": " "}]}, {"reject.0.reason"}),
        ({"reject": [{"id": 1, "reason": "x", "reasons": "y"}]}, {"reject.0.reasons"}),
        ({"accept": ["one"]}, {"accept.0"}),
        ({"accept": [0]}, {"accept.0"}),
        ({"accept": [2**63]}, {"accept.0"}),
    ],
)
def test_unclear_decisions_are_refused(api, campaign, body, attrs):
    response = decide(api, body)
    assert response.status_code == 400
    assert {error["attr"] for error in response.json()["errors"]} == attrs
    assert len(waiting(campaign)) == 3
