"""Decisions on sessions of studies, and on payments of unknown outcome."""

import json

import pytest
from django.urls import reverse

from annotation.models import Compensation
from audit.models import StateChange
from crowd.enums import SettlementState
from crowd.models import Assignment, Budget, Payment, Study, StudySession, Worker
from projects.enums import MemberRole
from projects.models import Project
from tests.api.conftest import calling
from tests.crowd.factories import (
    make_empty_session,
    make_rejected_payment,
    make_session,
    make_study,
    make_unknown_settlement,
)
from tests.dashboard.campaign import Campaign, make_project, make_user
from web.request_examples import WORDY_REASON

pytestmark = pytest.mark.django_db


@pytest.fixture
def session(campaign) -> StudySession:
    """Return a session without tasks, at a provider that has sessions."""
    Project.objects.update(provider="prolific")
    Worker.objects.update(provider="prolific")
    worker = campaign.workers[0]
    worker.refresh_from_db()
    return make_empty_session(campaign.project.budget, worker)


def at(name: str, *arguments, slug: str = "demo") -> str:
    return reverse(f"api:{name}", args=[slug, *arguments])


def send(client, url: str, body: dict | None = None, *, key: str = "one", **headers):
    headers = {"Idempotency-Key": key, **headers} if key else headers
    body = json.dumps(body or {})
    return client.post(url, body, content_type="application/json", headers=headers)


def code_of(response) -> str:
    return response.json()["errors"][0]["code"]


def test_sessions_to_decide_are_listed(api, campaign, session):
    make_session(campaign.project.budget, campaign.workers[1])
    ids = [row["id"] for row in api.get(at("sessions") + "?to_decide=true").json()["results"]]
    assert ids == [session.pk]
    assert len(api.get(at("sessions") + "?to_decide=false").json()["results"]) == 2
    assert api.get(at("session", session.pk)).json()["rejection_reason"] == ""


def test_session_is_paid_once(api, campaign, session):
    first = send(api, at("pay_session", session.pk))
    assert first.status_code == 200, first.content
    paid = Compensation.objects.get()
    assert paid.hit.hit_type.reward_cents == session.study.reward_cents
    assert paid.offered_by.startswith("rita by token ts_")
    assert send(api, at("pay_session", session.pk)).headers["Idempotency-Replayed"] == "true"
    again = send(api, at("pay_session", session.pk), key="two")
    assert (again.status_code, code_of(again)) == (409, "invalid_state")
    assert Compensation.objects.count() == 1


def test_session_is_rejected_with_a_reason(api, session):
    response = send(api, at("reject_session", session.pk), {"reason": WORDY_REASON})
    assert response.status_code == 200
    assert response.json()["rejection_reason"] == WORDY_REASON
    change = StateChange.objects.get(reason=f"refused: {WORDY_REASON}")
    assert change.actor.startswith("rita by token ts_")
    again = send(api, at("reject_session", session.pk), {"reason": WORDY_REASON}, key="two")
    assert (again.status_code, code_of(again)) == (409, "invalid_state")
    paid = send(api, at("pay_session", session.pk), key="three")
    assert (paid.status_code, Compensation.objects.count()) == (409, 0)


def test_reason_has_the_characters_that_the_provider_requires(api, session):
    response = send(api, at("reject_session", session.pk), {"reason": "Empty."})
    assert response.status_code == 400
    [error] = response.json()["errors"]
    assert error["attr"] == "reason"
    assert "requires 100" in error["detail"]
    session.refresh_from_db()
    assert session.rejection_reason == ""


@pytest.mark.parametrize("action", ["pay_session", "reject_session"])
def test_session_with_work_needs_no_decision(api, campaign, action):
    session = make_session(campaign.project.budget, campaign.workers[0], state="submitted")
    submitted = Assignment.objects.filter(state="submitted").order_by("pk")
    Assignment.objects.filter(pk=submitted[0].pk).update(session=session)
    body = {"reason": WORDY_REASON} if action == "reject_session" else {}
    response = send(api, at(action, session.pk), body)
    assert (response.status_code, code_of(response)) == (409, "invalid_state")


def test_decision_on_a_changed_session_is_refused(api, session):
    tag = api.get(at("session", session.pk)).headers["ETag"]
    StudySession.objects.update(issue="empty")
    response = send(api, at("pay_session", session.pk), **{"If-Match": tag})
    assert response.status_code == 412
    assert not Compensation.objects.exists()


def test_session_is_not_paid_beyond_the_budget(api, project, session):
    project.budget.refresh_from_db()
    committed = project.budget.reserved_cents + project.budget.spent_cents
    Budget.objects.update(cap_cents=committed + 1)
    response = send(api, at("pay_session", session.pk))
    assert (response.status_code, code_of(response)) == (409, "budget_exceeded")


@pytest.mark.parametrize("was_paid", [True, False])
def test_payment_of_unknown_outcome_is_decided(api, campaign, was_paid):
    settlement = make_unknown_settlement(campaign.project.budget, campaign.workers[0])
    [row] = api.get(at("session_payments") + "?state=unknown").json()["results"]
    assert (row["id"], row["bonus_cents"]) == (settlement.pk, 90)
    assert row["worker"] == campaign.workers[0].pseudonym
    url = at("decide_session_payment", settlement.pk)
    response = send(api, url, {"was_paid": was_paid})
    state = SettlementState.CONFIRMED if was_paid else SettlementState.APPROVED
    assert (response.status_code, response.json()["state"]) == (200, state)
    again = send(api, url, {"was_paid": was_paid}, key="two")
    assert (again.status_code, code_of(again)) == (409, "invalid_state")


def test_decision_on_a_payment_is_stated(api, campaign):
    settlement = make_unknown_settlement(campaign.project.budget, campaign.workers[0])
    response = send(api, at("decide_session_payment", settlement.pk), {})
    assert (response.status_code, code_of(response)) == (400, "required")


def test_waiting_work_gets_a_place(api, project):
    study = make_study(project.budget)
    Study.objects.update(waiting=3, waits_until="2027-01-01T00:00:00Z")
    [row] = api.get(at("studies")).json()["results"]
    assert (row["waiting"], row["waits_until"]) == (3, "2027-01-01T00:00:00Z")
    response = send(api, at("publish_study_now", study.pk), key="")
    assert response.status_code == 200
    assert (response.json()["waiting"], response.json()["waits_until"]) == (0, None)
    study.refresh_from_db()
    assert study.hurried_at
    assert StateChange.objects.get(object_id=study.pk, aggregate="crowd.Study").actor.startswith(
        "rita"
    )


def test_rejected_payment_is_closed(api, campaign):
    assignment = campaign.items[1].submissions.first().assignment
    payment = make_rejected_payment(assignment)
    url = at("close_payment", payment.pk)
    [failure] = [
        row for row in api.get(at("jobs")).json()["failures"]["payments"] if row["payment"]
    ]
    assert failure["payment"] == payment.pk
    response = send(api, url, {"reason": "Paid by hand."})
    assert (response.status_code, response.json()["state"]) == (200, "closed")
    assert response.json()["worker"] == assignment.worker.pseudonym
    change = StateChange.objects.get(aggregate="crowd.Payment", object_id=payment.pk)
    assert (change.new, change.reason) == ("closed", "Paid by hand.")
    assert change.actor.startswith("rita by token ts_")
    confirmed = Payment.objects.filter(state="confirmed").first()
    refused = send(api, at("close_payment", confirmed.pk), {"reason": "No."}, key="two")
    assert (refused.status_code, code_of(refused)) == (409, "invalid_state")


def test_rows_of_another_project_are_not_found(api, project):
    foreign = Campaign(make_project("other"), 4)
    budget, worker = foreign.project.budget, foreign.workers[0]
    session = make_empty_session(budget, worker)
    settlement = make_unknown_settlement(budget, worker)
    payment = make_rejected_payment(foreign.items[1].submissions.first().assignment)
    for name, pk, body in (
        ("pay_session", session.pk, {}),
        ("reject_session", session.pk, {"reason": WORDY_REASON}),
        ("publish_study_now", session.study_id, {}),
        ("decide_session_payment", settlement.pk, {"was_paid": True}),
        ("close_payment", payment.pk, {"reason": "No."}),
    ):
        assert send(api, at(name, pk), body, key=name).status_code == 404, name
    assert api.get(at("session", session.pk)).status_code == 404


def test_decisions_need_the_scope_pay(project, session):
    client = calling(make_user("olga", project, MemberRole.ADMIN), scopes=["read", "publish"])
    for name in ("pay_session", "reject_session"):
        assert send(client, at(name, session.pk)).status_code == 403
