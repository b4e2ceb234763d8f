import re

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from annotation.domain.work.compensate import pay_compensations, publish_compensation
from annotation.models import Compensation
from crowd.domain.hits.create_hits import create_pending_hits
from crowd.domain.hits.sync_hits import schedule_sync, sync_due_hits
from crowd.domain.money.ledger import BudgetExceededError
from crowd.domain.money.send_payments import send_due_payments
from crowd.domain.workers.qualifications import send_due_grants
from crowd.domain.workers.register_worker import register_worker
from crowd.models import Assignment, Budget, Payment, Worker
from marketplace import models as market_models
from marketplace.domain.errors import RefusalError
from marketplace.domain.work import work
from projects.models import Project
from tests.annotation.factories import NOW, make_project
from tests.crowd.conftest import clock, wire  # noqa: F401
from tests.crowd.factories import make_assignment, make_worker
from tests.crowd.in_process import accept, join
from tests.crowd.test_ledger import balance, cached


def offer(project: Project, worker: Worker, **changes) -> Compensation:
    terms = {"amount_cents": 54, "reason": "The HIT ran out.", "key": "3T3", "actor": "me"}
    return publish_compensation(project=project, worker=worker, now=NOW, **terms | changes)


def test_compensation_is_for_one_worker_and_paid_once(wire, clock, settings):  # noqa: F811
    project, owed, other = make_project(), join(1), join(2)
    worker = register_worker(provider="mturk", external_id=owed.code, now=clock())
    compensation = offer(project, worker)
    assert offer(project, worker) == compensation
    assert cached(project.budget) == (54 + 11, 0)
    send_due_grants(clock=clock)
    assert create_pending_hits(clock=clock) == 1
    compensation.hit.refresh_from_db()
    with pytest.raises(RefusalError):
        accept(compensation.hit, other)

    assignment = accept(compensation.hit, owed)
    query = {"assignmentId": assignment, "turkSubmitTo": settings.MTURK_WORKER_ORIGINS[0]}
    page = Client().get(f"/compensation/{compensation.public_id}/", query).content.decode()
    fields = re.findall(r'name="(\w+)" value="([^"]*)"', page)
    assert ("assignmentId", assignment) in fields
    work.submit(
        worker_code=owed.code, assignment_code=assignment, fields=fields, now=timezone.now()
    )
    schedule_sync(external_ids=[compensation.hit.external_id], now=clock())
    clock.skip(minutes=2)
    assert sync_due_hits(clock=clock) == 1
    assert pay_compensations(clock=clock) == 1
    assert pay_compensations(clock=clock) == 0
    assert send_due_payments(clock=clock) == 1
    assert market_models.Assignment.objects.get().status == "Approved"
    assert cached(project.budget) == balance(project.budget) == (0, 54 + 11)


@pytest.mark.django_db
def test_form_is_missing_in_the_preview_and_refused_to_unknown_sites(settings):
    compensation = offer(make_project(), make_worker())
    page = Client().get(f"/compensation/{compensation.public_id}/")
    assert "The HIT ran out." in page.content.decode()
    assert "<form" not in page.content.decode()
    query = {"assignmentId": "A1", "turkSubmitTo": "https://elsewhere.example"}
    assert Client().get(f"/compensation/{compensation.public_id}/", query).status_code == 400
    ancestors = page["Content-Security-Policy"].partition("frame-ancestors ")[2].split(";")[0]
    assert ancestors.split() == settings.MTURK_WORKER_ORIGINS


@pytest.mark.django_db
def test_submission_of_another_worker_is_neither_paid_nor_rejected():
    compensation = offer(make_project(), make_worker())
    assignment = make_assignment(compensation.hit)
    assert pay_compensations(clock=lambda: NOW) == 0
    assignment.refresh_from_db()
    assert (assignment.state, Payment.objects.count()) == ("submitted", 0)
    assert "another worker" in assignment.error
    assert not Assignment.objects.unrecorded().exists()


@pytest.mark.django_db
def test_compensation_stays_under_the_cap_and_needs_an_amount_and_a_reason():
    project, worker = make_project(), make_worker()
    Budget.objects.update(cap_cents=10)
    with pytest.raises(BudgetExceededError):
        offer(project, worker)
    for wrong in ({"amount_cents": 0}, {"amount_cents": 100_001}, {"reason": " "}):
        with pytest.raises(ValueError, match="1 to 100000 cents"):
            offer(project, worker, **wrong)
    assert not Compensation.objects.exists()
    with pytest.raises(CommandError, match="dollars left"):
        call_command("compensate", "news", worker.pseudonym, "54", "--for", "x", "--reason", "y")
    Budget.objects.update(cap_cents=None)
    call_command("compensate", "news", worker.pseudonym, "54", "--for", "x", "--reason", "y")
    assert Compensation.objects.get().worker == worker
