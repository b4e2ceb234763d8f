"""Tests of verified and withdrawn invitations, and of qualification requests."""

import pytest
from django.test import Client
from django.urls import reverse

from crowd.domain.hits.create_hits import create_pending_hits
from crowd.domain.hits.manage_hits import send_due_ends
from crowd.domain.hits.sync_hits import sync_due_hits
from crowd.domain.workers.qualification_requests import fetch_requests, send_due_answers
from crowd.domain.workers.qualifications import ensure_type, send_due_grants
from crowd.domain.workers.register_worker import register_worker
from crowd.enums import RequestState
from crowd.models import Block, QualificationGrant, QualificationRequest, Worker
from dashboard.protocol import pending_tasks, progress_of
from dashboard.your_turn import tasks_of
from marketplace import models as market_models
from marketplace.domain.qualifications.qualifications import request_qualification
from projects.domain.label_worker import label_worker
from projects.enums import MemberRole
from qualification.domain.pool.admit import pool_of
from qualification.domain.rounds.publish_round import (
    invite_workers,
    publish_round,
    round_qualification,
)
from qualification.models import Enrolment, Round
from tests.crowd.conftest import clock, wire
from tests.crowd.factories import NOW, make_worker
from tests.crowd.in_process import join
from tests.dashboard.campaign import make_project, make_user
from tests.qualification.factories import make_rounds

__all__ = ["clock", "wire"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def round(db) -> Round:
    return make_rounds()[0]


@pytest.fixture
def office(round) -> Client:
    client = Client()
    client.force_login(make_user("rita", round.project, MemberRole.REQUESTER))
    return client


def url(round: Round, name: str, *arguments: object) -> str:
    return reverse(f"qualification:{name}", args=[round.project.slug, *arguments])


def invite(office: Client, round: Round, **fields):
    return office.post(url(round, "invite", round.pk), {"ids": "", **fields}, follow=True)


def withdraw(office: Client, round: Round, worker: Worker):
    address = url(round, "withdraw", round.pk, worker.pseudonym)
    return office.post(address, {"confirmed": "yes"}, follow=True)


def test_worker_unknown_to_the_marketplace_is_refused(office, round, wire):
    response = invite(office, round, ids="ANOBODY1")
    assert response.status_code == 422
    assert "The marketplace has no worker ANOBODY1" in response.content.decode()
    assert not Enrolment.objects.exists()
    assert not Worker.objects.exists()


def test_workers_are_invited_by_id_and_from_the_list(office, round, wire):
    account, known = join(1), make_worker()
    simulated = make_worker()
    simulated.is_simulated = True
    simulated.save()
    page = office.get(url(round, "invite", round.pk)).content.decode()
    assert known.pseudonym in page
    assert simulated.pseudonym not in page
    assert known.external_id not in page
    response = invite(office, round, ids=account.code, worker=[known.pk])
    assert "2 workers are invited." in response.content.decode()
    assert {row.worker.external_id for row in Enrolment.objects.all()} == {
        account.code,
        known.external_id,
    }
    page = office.get(url(round, "invite", round.pk)).content.decode()
    assert "No workers to choose from" in page
    page = invite(office, round, ids=account.code).content.decode()
    assert "1 worker was invited to this round before." in page
    assert "0 workers are invited" not in page


def test_id_that_can_not_be_verified_is_invited_with_a_warning(office, round, wire, settings):
    settings.MTURK_IS_OURS = False  # like MTurk, which cannot verify worker ids
    account = join(1)
    response = invite(office, round, ids=account.code)
    assert "can’t confirm that these ids exist" in response.content.decode()
    assert Enrolment.objects.get().worker.external_id == account.code


def test_invitation_while_the_marketplace_is_down_warns(office, round, wire):
    wire.faults = lambda operation: "throttle=1"
    response = invite(office, round, ids="A1B2C3")
    assert "can’t confirm that these ids exist" in response.content.decode()


@pytest.mark.parametrize(
    ("provider", "ids", "problem"),
    [
        ("mturk", "", "Select at least one worker, or enter an id."),
        ("mturk", "A1B2C3\nanna3, A4", "Line 2: &#x27;anna3&#x27; is not a worker id."),
        ("prolific", "A1B2C3", "Line 1: &#x27;A1B2C3&#x27; is not a Prolific ID"),
    ],
)
def test_invitation_names_the_line_of_a_text_that_is_no_id(office, round, provider, ids, problem):
    round.project.provider = provider
    round.project.save()
    response = invite(office, round, ids=ids)
    assert response.status_code == 422
    assert problem in response.content.decode()
    assert not Worker.objects.exists()


def test_id_that_is_wrong_is_shown_as_it_was_entered_and_can_be_withdrawn(
    office, round, wire, clock
):
    wire.faults = lambda operation: "throttle=1"  # so that the id can't be verified
    invite(office, round, ids="AGH0ST")
    wire.faults = lambda operation: ""
    ghost = Worker.objects.get()
    page = office.get(url(round, "publish", round.pk)).content.decode()
    assert ghost.pseudonym in page
    assert "id AGH0ST, no work yet" in page
    assert office.get(url(round, "worker", ghost.pseudonym)).status_code == 200
    publish_round(round=round, actor="rita", now=clock())
    send_due_grants(clock=clock)
    page = office.get(url(round, "publish", round.pk)).content.decode()
    assert "The marketplace refused this worker:" in page
    assert "id AGH0ST" in page
    withdraw(office, round, ghost)
    assert "AGH0ST" not in office.get(url(round, "publish", round.pk)).content.decode()


def test_candidates_show_their_rounds_and_those_declined_are_set_apart(office, round):
    second = round.project.rounds.last()
    passed, declined, fresh = (make_worker() for _ in range(3))
    for worker, state in ((passed, "passed"), (declined, "declined")):
        Enrolment.objects.create(round=round, worker=worker, state=state, enrolled_at=NOW)

    def shown(**query: str) -> set[Worker]:
        listing = office.get(url(round, "invite", second.pk), query).context["listing"]
        return {row.worker for row in listing.page_rows}

    assert shown() == {passed, fresh}
    assert shown(group=f"passed-{round.pk}") == {passed}
    assert shown(group="turned-down") == {declined}
    assert shown(text=fresh.pseudonym) == {fresh}
    label_worker(project=round.project, worker=passed, nickname="Ada", tags=["fast"])
    assert shown(text="ada") == {passed}
    assert "Ada" in office.get(url(round, "invite", second.pk)).content.decode()
    page = office.get(url(round, "invite", second.pk), {"group": "turned-down"}).content.decode()
    assert "state--declined" in page


def test_declined_worker_is_invited_only_after_a_confirmation(office, round):
    second = round.project.rounds.last()
    passed, declined = make_worker(), make_worker()
    for worker, state in ((passed, "passed"), (declined, "declined")):
        Enrolment.objects.create(round=round, worker=worker, state=state, enrolled_at=NOW)
    page = invite(office, second, worker=[passed.pk, declined.pk]).content.decode()
    assert f"{declined.pseudonym} was declined in Training 1." in page
    assert not second.enrolments.exists()
    invite(office, second, worker=[passed.pk, declined.pk], confirmed="yes")
    assert {row.worker for row in second.enrolments.all()} == {passed, declined}


def test_invitation_grants_the_request_for_the_round(office, round, pending_request):
    invite(office, round, worker=[pending_request.worker.pk])
    pending_request.refresh_from_db()
    assert pending_request.state == RequestState.GRANTING


def test_blocked_worker_is_not_offered_and_can_not_be_entered(office, round):
    worker = make_worker()
    Block.objects.create(worker=worker, reason="Copied.", changed_at=NOW)
    assert worker.pseudonym not in office.get(url(round, "invite", round.pk)).content.decode()
    page = invite(office, round, ids=worker.external_id).content.decode()
    assert f"Blocked workers can’t be invited: {worker.external_id} (line 1)" in page


def test_withdrawn_invitation_without_hits_can_be_repeated(office, round):
    worker = make_worker()
    invite_workers(round=round, workers=[worker], actor="rita", now=NOW)
    assert "was withdrawn." in withdraw(office, round, worker).content.decode()
    assert Enrolment.objects.get().state == "withdrawn"
    assert "No workers are waiting" in office.get(url(round, "publish", round.pk)).content.decode()
    invite(office, round, worker=[worker.pk], confirmed="yes")
    assert Enrolment.objects.get().state == "invited"


def test_withdrawn_invitation_releases_its_reserve_and_ends_the_hits(office, round, wire, clock):
    workers = [
        register_worker(provider="mturk", external_id=join(number).code, now=NOW)
        for number in (1, 2)
    ]
    invite_workers(round=round, workers=workers, actor="rita", now=clock())
    publish_round(round=round, actor="rita", now=clock())
    budget = round.project.budget
    budget.refresh_from_db()
    reserved = budget.reserved_cents
    assert reserved > 0
    send_due_grants(clock=clock)
    create_pending_hits(clock=clock)
    page = withdraw(office, round, workers[0]).content.decode()
    budget.refresh_from_db()
    assert budget.reserved_cents * 2 == reserved
    assert f"${reserved / 200:.2f} are available again." in page
    send_due_grants(clock=clock)
    assert QualificationGrant.objects.get(worker=workers[0]).state == "revoked"
    assert round.cohorts.get().batch.state == "open"
    withdraw(office, round, workers[1])
    budget.refresh_from_db()
    assert budget.reserved_cents == 0
    assert round.cohorts.get().batch.state == "closed"
    send_due_ends(clock=clock)
    clock.skip(days=3)
    sync_due_hits(clock=clock)
    budget.refresh_from_db()
    assert (budget.reserved_cents, budget.spent_cents) == (0, 0)


def test_answered_invitation_can_not_be_withdrawn(office, enrolment):
    enrolled = enrolment.round
    client = Client()
    client.force_login(make_user("rob", enrolled.project, MemberRole.REQUESTER))
    page = withdraw(client, enrolled, enrolment.worker).content.decode()
    assert "has answered the invitation" in page


def ask(qualification, account: market_models.WorkerAccount) -> None:
    kind = market_models.QualificationType.objects.get(code=qualification.external_id)
    request_qualification(worker=account, kind=kind, answer="", now=NOW)


@pytest.fixture
def pending_request(round, wire) -> QualificationRequest:
    kind = round_qualification(round)
    ask(ensure_type(provider=kind.provider, code=kind.code), join(1))
    assert fetch_requests(now=NOW) == 1
    assert fetch_requests(now=NOW) == 0
    return QualificationRequest.objects.get()


def test_request_is_shown_to_the_requester(office, round, pending_request):
    user = office.get("/").wsgi_request.user
    [waiting] = [
        row for row in pending_tasks(progress_of(project=round.project)) if "requests" in row.label
    ]
    assert (waiting.role, waiting.count) == ("requester", 1)
    assert "qualification:requests" in {row.tasks.route for row in tasks_of(user)}
    page = office.get(url(round, "requests")).content.decode()
    assert pending_request.worker.pseudonym in page
    assert f"Invite to {round.title}" in page


def test_granted_request_invites_to_the_round(office, round, pending_request, clock):
    office.post(url(round, "grant_request", pending_request.pk))
    enrolment = Enrolment.objects.get()
    assert (enrolment.worker, enrolment.state) == (pending_request.worker, "invited")
    assert send_due_answers(clock=clock) == 1
    pending_request.refresh_from_db()
    assert (pending_request.state, pending_request.decided_by) == (RequestState.GRANTED, "rita")
    assert market_models.QualificationRequest.objects.get().status == "Accepted"
    assert QualificationGrant.objects.get().state == "held"
    assert market_models.Grant.objects.get().value == 0  # a value that admits to no cohort yet
    publish_round(round=round, actor="rita", now=clock())
    send_due_grants(clock=clock)
    assert market_models.Grant.objects.get().value == 1


def test_answer_with_unknown_outcome_is_not_repeated(office, round, pending_request, wire, clock):
    office.post(url(round, "grant_request", pending_request.pk))
    wire.faults = lambda operation: "timeout_after_success=1"
    assert send_due_answers(clock=clock) == 0
    wire.faults = lambda operation: ""
    clock.skip(minutes=5)
    assert send_due_answers(clock=clock) == 1
    pending_request.refresh_from_db()
    assert pending_request.state == RequestState.GRANTED


def test_refusal_requires_a_reason_that_is_sent_to_the_worker(
    office, round, pending_request, clock
):
    refuse = url(round, "refuse_request", pending_request.pk)
    assert office.post(refuse, {"reason": " "}).status_code == 422
    office.post(refuse, {"reason": "The round is full."})
    assert send_due_answers(clock=clock) == 1
    assert market_models.QualificationRequest.objects.get().reason == "The round is full."
    assert market_models.Message.objects.get().text == "The round is full."
    page = office.post(
        url(round, "grant_request", pending_request.pk), follow=True
    ).content.decode()
    assert "has been decided already" in page
    assert not Enrolment.objects.exists()


def test_request_for_the_pool_admits_to_it(office, round, wire, clock):
    pool = pool_of(round.project, "consolidator")
    pool = ensure_type(provider=pool.provider, code=pool.code)
    for number in (1, 2):
        ask(pool, join(number))
    fetch_requests(now=NOW)
    for request in QualificationRequest.objects.all():
        office.post(url(round, "grant_request", request.pk))
    assert send_due_answers(clock=clock) == 2
    assert sorted(market_models.Grant.objects.values_list("value", flat=True)) == [1, 2]


def test_request_that_was_decided_elsewhere_is_closed(round, pending_request, clock):
    market_models.QualificationRequest.objects.update(status="Rejected")
    clock.skip(days=1)
    fetch_requests(now=clock())
    pending_request.refresh_from_db()
    assert pending_request.state == RequestState.GONE


def test_request_of_another_project_is_not_found(pending_request, client):
    other = make_project("other")
    client.force_login(make_user("otto", other, MemberRole.REQUESTER))
    path = reverse("qualification:grant_request", args=["other", pending_request.pk])
    assert client.post(path).status_code == 404
