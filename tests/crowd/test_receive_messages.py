"""Tests of fetching what workers write at the marketplace."""

import pytest
from django.utils import timezone

from crowd.domain.hits.create_hits import create_pending_hits
from crowd.domain.workers.receive_messages import fetch_messages
from crowd.domain.workers.register_worker import register_worker
from crowd.models import Message, ReceivedMessage
from marketplace import models as market_models
from marketplace.domain.notifications.worker_messages import write_to_requester
from tests.crowd.factories import NOW, make_budget, make_hits
from tests.crowd.in_process import join

pytestmark = pytest.mark.django_db


@pytest.fixture
def projects(wire, clock):
    """Return the budgets of two projects with a live HIT each."""
    budgets = [make_budget(), make_budget()]
    for budget in budgets:
        make_hits(1, budget=budget)
    create_pending_hits(clock=clock)
    return budgets


def write(
    worker: market_models.WorkerAccount, text: str, hit: market_models.Hit | None = None
) -> None:
    requester = market_models.Requester.objects.get()
    write_to_requester(worker=worker, requester=requester, text=text, hit=hit, now=timezone.now())


def received() -> dict[str, int]:
    """Return the budgets of the messages by text."""
    return dict(ReceivedMessage.objects.values_list("text", "budget"))


def test_message_belongs_to_the_project_of_its_hit(projects):
    worker = join(1)
    for budget in projects:
        hit = market_models.Hit.objects.get(code=budget.hits.get().external_id)
        write(worker, f"to {budget.pk}", hit)
    assert fetch_messages(now=NOW) == 2
    assert received() == {f"to {budget.pk}": budget.pk for budget in projects}
    [row] = ReceivedMessage.objects.filter(text=f"to {projects[0].pk}")
    assert row.worker.external_id == worker.code
    assert row.subject == "About “Ask about a verb”"
    assert fetch_messages(now=NOW) == 0


def test_answer_belongs_to_the_project_that_wrote(projects):
    account = join(1)
    worker = register_worker(provider="mturk", external_id=account.code, now=NOW)
    for budget, subject in zip(projects, ["Pay", "Guidelines"], strict=True):
        Message.objects.create(worker=worker, budget=budget, subject=subject, written_at=NOW)
    market_models.Message.objects.create(
        worker=account,
        requester=market_models.Requester.objects.get(),
        subject="Pay",
        text="?",
        sent_at=NOW,
    )
    write(account, "How much?")
    fetch_messages(now=NOW)
    assert received() == {"How much?": projects[0].pk}


def test_messages_of_a_deleted_project_do_not_return(projects):
    worker = join(1)
    write(worker, "old")
    fetch_messages(now=NOW)
    ReceivedMessage.objects.all().delete()
    write(worker, "new")
    assert fetch_messages(now=NOW) == 1
    assert received().keys() == {"new"}


def test_messages_wait_while_the_marketplace_is_down(projects, wire):
    write(join(1), "hello")
    wire.faults = lambda operation: "throttle=1"
    assert fetch_messages(now=NOW) == 0
    wire.faults = lambda operation: ""
    assert fetch_messages(now=NOW) == 1


def test_other_marketplaces_have_no_inbox_here(projects, settings):
    write(join(1), "hello")
    settings.MTURK_IS_OURS = False
    assert fetch_messages(now=NOW) == 0
