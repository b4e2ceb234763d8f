"""Tests of what workers see of the qualifications that projects create at the marketplace."""

import pytest
from django.test import Client

from annotation.domain.publishing.qualification_codes import done_code
from crowd.domain.workers.qualifications import define_qualification, ensure_type, send_due_grants
from crowd.domain.workers.register_worker import register_worker
from crowd.models import Message
from marketplace import models as market_models
from marketplace.domain.accounts import accounts
from projects.models import Project
from qualification.domain.pool.admit import pool_of
from qualification.domain.rounds.publish_round import (
    invite_workers,
    publish_round,
    round_qualification,
)
from qualification.domain.training.decide import Verdict, decide
from qualification.enums import EnrolmentState
from qualification.models import Enrolment
from tests.crowd.conftest import clock, wire
from tests.crowd.factories import NOW
from tests.crowd.in_process import join
from tests.dashboard.campaign import make_project
from tests.qualification.factories import make_items, make_rounds

__all__ = ["clock", "wire"]
pytestmark = pytest.mark.django_db


def offered(worker: market_models.WorkerAccount) -> str:
    client = Client()
    client.cookies[accounts.COOKIE] = accounts.start_session(worker=worker, now=NOW)
    return client.get("/hits/qualifications/").content.decode()


@pytest.fixture
def now_signed_in(monkeypatch):
    """Let sessions that start at NOW last."""
    monkeypatch.setattr(
        "marketplace.domain.accounts.accounts.SESSION_LASTS", accounts.SESSION_LASTS * 1000
    )


def test_people_are_not_offered_qualifications_of_simulated_workers(wire, now_signed_in):
    round = make_rounds()[0]
    copy = make_rounds(make_project("rehearsal-1"))[0]
    Project.objects.filter(pk=copy.project_id).update(has_simulated_work=True)
    copy.project.refresh_from_db()
    kinds = [
        round_qualification(round),
        pool_of(round.project, "generator"),
        round_qualification(copy),
        pool_of(copy.project, "generator"),
    ]
    for kind in kinds:
        ensure_type(provider=kind.provider, code=kind.code)
    page = offered(join(1))
    assert [f"<h3>{kind.name}</h3>" in page for kind in kinds] == [True, True, False, False]


def test_technical_qualifications_are_not_offered(wire, now_signed_in):
    [item, *_] = make_items(make_project("news"))
    code = done_code(item.project, item)
    define_qualification(provider="mturk", code=code, name="has done", description="x")
    kind = ensure_type(provider="mturk", code=code)
    assert not market_models.QualificationType.objects.get(code=kind.external_id).is_requestable
    assert "has done" not in offered(join(1))


def test_names_are_plain_and_differ_between_projects(db):
    first, second = make_project("news"), make_project("news-2")
    Project.objects.update(title="News")
    for project in (first, second):
        project.refresh_from_db()
    round = make_rounds(first)[0]
    assert round_qualification(round).name == "News: Training 1"
    names = [pool_of(project, "generator").name for project in (first, second)]
    assert names == ["News: trained generator", "News: trained generator (news-2-generator)"]


def test_declined_worker_gets_one_message(wire, clock):
    round, account = make_rounds()[0], join(1)
    worker = register_worker(provider="mturk", external_id=account.code, now=NOW)
    [enrolment] = invite_workers(round=round, workers=[worker], actor="tina", now=clock())
    publish_round(round=round, actor="tina", now=clock())
    send_due_grants(clock=clock)
    before = Message.objects.count()
    Enrolment.objects.update(state=EnrolmentState.FINISHED)
    decide(enrolment=enrolment, verdict=Verdict.DECLINE, reason="few", actor="tina", now=clock())
    clock.skip(minutes=5)
    send_due_grants(clock=clock)
    assert market_models.Grant.objects.get().status == "Revoked"
    assert not market_models.Message.objects.exists()
    assert Message.objects.count() == before + 1
