"""Decisions on several submissions of the review queue."""

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
def waiting(campaign) -> list[Submission]:
    rows = Submission.objects.filter(state="submitted").exclude(problem="").order_by("pk")
    rows.exclude(pk=rows[0].pk).update(other_version=None)
    return list(rows)


def decide(office, url, rows, decision, **fields):
    order = {"decision": decision, "row": [row.pk for row in rows], **fields}
    confirmation = office.post(url, order)
    assert confirmation.status_code == 200, confirmation.headers
    seen = confirmation.context["cents"]
    return confirmation, office.post(url, {**order, "seen": seen, "confirmed": "yes"}, follow=True)


def states(rows) -> list[str]:
    return [Submission.objects.get(pk=row.pk).state for row in rows]


def test_confirmation_names_count_and_cost(office, url, waiting):
    page, _ = decide(office, url, waiting[1:], "accept")
    text = page.content.decode()
    assert "Accept and pay 2 assignments?" in text
    assert f"Pay ${page.context['cents'] / 100:.2f} for 2 assignments" in text
    assert page.context["cents"] > 2 * 5


def test_nothing_changes_before_the_confirmation(office, url, waiting):
    office.post(url, {"decision": "accept", "row": [row.pk for row in waiting]})
    assert set(states(waiting)) == {"submitted"}


def test_selected_submissions_are_accepted_and_failures_explained(office, url, waiting):
    _, result = decide(office, url, waiting, "accept")
    assert states(waiting) == ["submitted", "accepted", "accepted"]
    assert [str(message) for message in result.context["messages"]] == [
        "Accepted: 2 assignments.",
        f"Not changed, {waiting[0].worker}: There are two copies. Compare them first.",
    ]


def test_rejection_needs_a_reason_and_gives_it_to_all(office, url, waiting):
    refused = office.post(
        url, {"decision": "reject", "row": [row.pk for row in waiting]}, follow=True
    )
    assert "Enter a reason." in refused.content.decode()
    page, _ = decide(office, url, waiting, "reject", reason="No question was asked.")
    assert page.context["cents"] == 0
    assert set(states(waiting)) == {"rejected"}
    changes = StateChange.objects.filter(aggregate="annotation.Submission", new="rejected")
    assert {change.reason for change in changes} == {"No question was asked."}


def test_work_is_paid_without_being_used(office, url, waiting):
    decide(office, url, waiting, "pay")
    assert set(states(waiting)) == {"withdrawn"}


def test_changed_cost_is_confirmed_again(office, url, waiting):
    order = {"decision": "accept", "row": [row.pk for row in waiting]}
    response = office.post(url, {**order, "seen": 1, "confirmed": "yes"})
    assert "?</h1>" in response.content.decode()
    assert set(states(waiting)) == {"submitted"}


def test_submissions_of_other_projects_are_ignored(office, url, waiting):
    other = Campaign(make_project("other"), 4)
    foreign = other.items[1].submissions.get(state="submitted")
    page = office.post(url, {"decision": "accept", "row": [foreign.pk]})
    assert "no longer need a decision" in page.content.decode()


@pytest.mark.parametrize("fields", [{}, {"decision": "pay"}, {"decision": "x", "row": [1]}])
def test_incomplete_decision_changes_nothing(office, url, waiting, fields):
    response = office.post(url, fields, follow=True)
    assert "Nothing was changed" in response.content.decode()
