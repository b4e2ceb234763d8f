"""Tests of decisions on several submissions of the review queue."""

import pytest
from django.urls import reverse

from annotation.models import Submission
from audit.models import StateChange
from tests.dashboard.campaign import Campaign, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def url(project):
    return reverse("consolidation:decide_submissions", args=[project.slug])


@pytest.fixture
def pending(campaign) -> list[Submission]:
    rows = Submission.objects.filter(state="submitted").exclude(problem="").order_by("pk")
    rows.exclude(pk=rows[0].pk).update(other_version=None)
    return list(rows)


def decide(office, url, rows, decision, **fields):
    order = {"decision": decision, "row": [row.pk for row in rows], **fields}
    confirmation = office.post(url, order)
    assert confirmation.status_code == 200, confirmation.headers
    cents = confirmation.context["cents"]
    return confirmation, office.post(url, {**order, "seen": cents, "confirmed": "yes"}, follow=True)


def states(rows) -> list[str]:
    return [Submission.objects.get(pk=row.pk).state for row in rows]


def test_confirmation_names_count_and_cost(office, url, pending):
    page, _ = decide(office, url, pending[1:], "accept")
    text = page.content.decode()
    assert "Accept and pay 2 assignments?" in text
    assert f"Pay ${page.context['cents'] / 100:.2f} for 2 assignments" in text
    assert page.context["cents"] > 2 * 5


def test_decision_without_confirmation_changes_nothing(office, url, pending):
    office.post(url, {"decision": "accept", "row": [row.pk for row in pending]})
    assert set(states(pending)) == {"submitted"}


def test_selected_submissions_are_accepted_and_failures_explained(office, url, pending):
    _, result = decide(office, url, pending, "accept")
    assert states(pending) == ["submitted", "accepted", "accepted"]
    assert [str(message) for message in result.context["messages"]] == [
        "Accepted: 2 assignments.",
        f"Not changed, {pending[0].worker}: There are two copies. Compare them first.",
    ]


def test_rejection_requires_a_reason_that_applies_to_all(office, url, pending):
    refused = office.post(
        url, {"decision": "reject", "row": [row.pk for row in pending]}, follow=True
    )
    assert "Enter a reason." in refused.content.decode()
    page, _ = decide(office, url, pending, "reject", reason="No question was asked.")
    assert page.context["cents"] == 0
    assert set(states(pending)) == {"rejected"}
    changes = StateChange.objects.filter(aggregate="annotation.Submission", new="rejected")
    assert {change.reason for change in changes} == {"No question was asked."}


def test_submissions_can_be_paid_without_use(office, url, pending):
    decide(office, url, pending, "pay")
    assert set(states(pending)) == {"withdrawn"}


def test_changed_cost_requires_a_new_confirmation(office, url, pending):
    order = {"decision": "accept", "row": [row.pk for row in pending]}
    response = office.post(url, {**order, "seen": 1, "confirmed": "yes"})
    assert "?</h1>" in response.content.decode()
    assert set(states(pending)) == {"submitted"}


def test_submissions_of_other_projects_are_ignored(office, url, pending):
    other = Campaign(make_project("other"), 4)
    foreign = other.items[1].submissions.get(state="submitted")
    page = office.post(url, {"decision": "accept", "row": [foreign.pk]})
    assert "no longer need a decision" in page.content.decode()


@pytest.mark.parametrize("fields", [{}, {"decision": "pay"}, {"decision": "x", "row": [1]}])
def test_incomplete_decision_changes_nothing(office, url, pending, fields):
    response = office.post(url, fields, follow=True)
    assert "Nothing was changed" in response.content.decode()
