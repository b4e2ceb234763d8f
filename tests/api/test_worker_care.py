"""Decisions beyond accepting and rejecting, and the care for workers."""

import json

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import Compensation, Submission, WorkerNote
from crowd.models import Assignment, Payment
from projects.enums import MemberRole, TokenScope
from tests.api.conftest import calling
from tests.crowd.factories import make_session
from tests.dashboard.campaign import CONTENT, Campaign, make_project, make_user

pytestmark = pytest.mark.django_db


def post(client, name, *arguments, key="one", **body):
    return client.post(
        reverse(f"api:{name}", args=["demo", *arguments]),
        json.dumps(body),
        content_type="application/json",
        headers={"Idempotency-Key": key},
    )


def error_of(response) -> tuple[int, str, str | None]:
    [error] = response.json()["errors"]
    return response.status_code, error["code"], error["attr"]


@pytest.fixture
def submission(campaign) -> Submission:
    """Return a submission with a copy of each kind that waits for a decision."""
    return campaign.items[1].submissions.get(state="submitted")


@pytest.fixture
def worker(campaign):
    """Return a worker without open work or pay."""
    Assignment.objects.update(state="approved", decided_at=timezone.now())
    Payment.objects.update(state="confirmed", confirmed_at=timezone.now())
    return campaign.workers[0]


@pytest.fixture
def admin(project):
    return make_user("ada", project, MemberRole.ADMIN)


def test_work_is_paid_without_being_used(api, submission):
    response = post(api, "set_aside_submission", submission.pk)
    assert (response.status_code, response.json()["state"]) == (200, "withdrawn")
    assignment = Assignment.objects.get(pk=submission.assignment_id)
    assert (assignment.state, assignment.payments.get(kind="reward").state) == (
        "approved",
        "pending",
    )
    repeat = post(api, "set_aside_submission", submission.pk)
    assert repeat.headers["Idempotency-Replayed"] == "true"
    assert assignment.payments.filter(kind="reward").count() == 1


def test_accepted_work_is_not_set_aside(api, campaign):
    accepted = campaign.items[1].submissions.get(state="accepted")
    response = post(api, "set_aside_submission", accepted.pk)
    assert error_of(response) == (409, "invalid_state", None)


@pytest.mark.parametrize(("use", "state"), [(True, "accepted"), (False, "rejected")])
def test_rejection_is_overturned(use, state, api, submission):
    Assignment.objects.filter(pk=submission.assignment_id).update(submitted_at=timezone.now())
    post(api, "reject_submission", submission.pk, key="reject", reason="Empty.")
    response = post(api, "overturn_submission", submission.pk, use=use, reason="It isn't empty.")
    assert (response.status_code, response.json()["state"]) == (200, state)
    submission.assignment.refresh_from_db()
    assert submission.assignment.state == "approved"
    assert submission.assignment.decision_reason == "It isn't empty."


def test_only_rejections_are_overturned(api, submission):
    response = post(api, "overturn_submission", submission.pk, use=True, reason="No.")
    assert error_of(response) == (409, "invalid_state", None)


def test_copy_is_chosen_and_its_work_accepted(api, submission):
    url = reverse("api:copies_of_submission", args=["demo", submission.pk])
    copies = api.get(url).json()
    questions = [row["question"] for row in copies["ours"]["content"]["questions"]]
    assert questions == [row["question"] for row in CONTENT["questions"]]
    assert len(copies["theirs"]["content"]["questions"]) == 1
    assert copies["ours"]["refusal"] == copies["theirs"]["refusal"] == ""
    assert copies["differences"]
    response = post(
        api, "copies_of_submission", submission.pk, copy="theirs", reason="Ours is cut."
    )
    assert (response.status_code, response.json()["content"]) == (200, copies["theirs"]["content"])
    assert error_of(api.get(url)) == (409, "invalid_state", None)
    again = post(api, "copies_of_submission", submission.pk, copy="ours", reason="Both.", key="two")
    assert error_of(again) == (409, "invalid_state", None)


def test_notes_are_written_and_listed_newest_first(api, campaign, requester):
    name = campaign.workers[0].pseudonym
    for text in ("Careful.", "Very careful."):
        assert post(api, "worker_notes", name, key=text[:4], text=text).status_code == 201
    rows = api.get(reverse("api:worker_notes", args=["demo", name])).json()["results"]
    assert [(row["author"], row["text"]) for row in rows] == [
        ("rita", "Very careful."),
        ("rita", "Careful."),
    ]
    other = campaign.workers[1].pseudonym
    assert api.get(reverse("api:worker_notes", args=["demo", other])).json()["results"] == []


def test_purpose_is_compensated_once(api, campaign, requester):
    name, body = campaign.workers[0].pseudonym, {"purpose": "3ASG17", "reason": "It was lost."}
    before = campaign.project.budget.reserved_cents
    first = post(api, "compensations", name, amount_cents=40, **body)
    assert first.status_code == 201
    again = post(api, "compensations", name, key="two", amount_cents=90, **body)
    assert again.json() == first.json()
    row = Compensation.objects.get()
    assert row.offered_by.startswith("rita by token ts_")
    campaign.project.budget.refresh_from_db()
    assert campaign.project.budget.reserved_cents > before
    rows = api.get(reverse("api:compensations", args=["demo", name])).json()["results"]
    assert rows == [first.json()]
    assert (rows[0]["amount_cents"], rows[0]["purpose"]) == (40, "3ASG17")


def test_compensation_stays_within_the_budget(api, campaign):
    budget = campaign.project.budget
    budget.cap_cents = budget.reserved_cents + budget.spent_cents
    budget.save()
    body = {"amount_cents": 40, "purpose": "x", "reason": "It was lost."}
    response = post(api, "compensations", campaign.workers[0].pseudonym, **body)
    assert error_of(response) == (409, "budget_exceeded", None)
    assert not Compensation.objects.exists()


def test_compensation_needs_the_scope_of_payments(campaign, requester):
    client = calling(requester, scopes=[TokenScope.READ, TokenScope.TRAIN])
    response = post(client, "compensations", campaign.workers[0].pseudonym, amount_cents=40)
    assert error_of(response) == (403, "insufficient_scope", None)


def test_worker_is_erased_if_the_pseudonym_is_repeated(worker, admin):
    WorkerNote.objects.create(
        project=admin.memberships.get().project,
        worker=worker,
        author=admin,
        text="Careful.",
        written_at=timezone.now(),
    )
    client, body = calling(admin), {"how": "erase", "reason": "Requested."}
    name = worker.pseudonym
    refused = post(client, "erase_worker", name, pseudonym="WBCDFGHJKL", **body)
    assert error_of(refused) == (400, "invalid", "pseudonym")
    response = post(client, "erase_worker", name, pseudonym=name, **body)
    assert response.status_code == 200
    worker.refresh_from_db()
    assert response.json() == {"pseudonym": worker.pseudonym}
    assert worker.pseudonym != name
    assert not WorkerNote.objects.exists()


def test_worker_with_open_work_is_not_erased(campaign, submission, admin):
    name = submission.worker.pseudonym
    body = {"how": "erase", "reason": "Requested.", "pseudonym": name}
    response = post(calling(admin), "erase_worker", name, **body)
    assert error_of(response) == (409, "invalid_state", None)
    submission.worker.refresh_from_db()
    assert submission.worker.pseudonym == name


@pytest.mark.parametrize("is_admin_there", [True, False])
def test_token_has_to_include_all_projects_of_the_worker(is_admin_there, worker, admin, project):
    other = Campaign(make_project("other"), 4)
    there = Submission.objects.filter(item__project=other.project).first()
    Submission.objects.filter(pk=there.pk).update(worker=worker)
    Assignment.objects.update(state="approved", decided_at=timezone.now())
    Payment.objects.update(state="confirmed", confirmed_at=timezone.now())
    if is_admin_there:
        other.project.memberships.create(user=admin, role=MemberRole.ADMIN)
    name = worker.pseudonym
    body = {"how": "pseudonymise", "reason": "Requested.", "pseudonym": name}
    limited = calling(admin, projects=[project])
    assert error_of(post(limited, "erase_worker", name, **body))[:2] == (403, "permission_denied")
    response = post(calling(admin), "erase_worker", name, key="two", **body)
    assert response.status_code == (200 if is_admin_there else 403)


def test_studies_and_sessions_are_listed(api, campaign):
    session = make_session(campaign.project.budget, campaign.workers[0], issue="empty")
    foreign = make_project("other")
    make_session(foreign.budget, campaign.workers[0])
    [study] = api.get(reverse("api:studies", args=["demo"])).json()["results"]
    assert (study["id"], study["state"]) == (session.study_id, "pending")
    assert (study["taken"], study["sessions"], study["cost_cents"]) == (1, {"active": 1}, 0)
    [row] = api.get(reverse("api:sessions", args=["demo"]), {"state": "active"}).json()["results"]
    assert (row["id"], row["study"], row["issue"]) == (session.pk, session.study_id, "empty")
    assert row["worker"] == campaign.workers[0].pseudonym
