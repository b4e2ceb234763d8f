"""Invited workers receive a message when their round is published."""

import pytest

from crowd.domain.workers.qualifications import send_due_grants
from crowd.domain.workers.write_mail import keep_address
from crowd.domain.workers.write_messages import send_due_messages
from crowd.enums import MessageState
from crowd.models import Mail, Message
from qualification.domain.rounds.publish_round import invite_workers, publish_round
from tests.crowd.conftest import clock, wire
from tests.crowd.factories import NOW, make_worker
from tests.crowd.in_process import join
from tests.crowd.test_people import worker_of
from tests.qualification.factories import make_rounds

__all__ = ["clock", "wire"]
pytestmark = pytest.mark.django_db


def publish(round, *workers):
    invite_workers(round=round, workers=workers, actor="rita", now=NOW)
    assert not Message.objects.exists()
    return publish_round(round=round, actor="rita", now=NOW)


def test_invited_workers_are_told_the_pay_and_the_number_of_items(settings):
    settings.MAIL_IS_ON = True
    round = make_rounds()[0]
    workers = [make_worker(), make_worker()]
    keep_address(worker=workers[0], address="a@example.org", now=NOW)
    cohort = publish(round, *workers)
    messages = Message.objects.order_by("pk")
    assert [message.worker for message in messages] == workers
    assert Mail.objects.get().message == messages[0]
    assert messages[0].subject == "Your tasks: Training 1"
    assert messages[0].text == (
        f"You are invited to “Training 1” of the project “{round.project.title}”. It has 2 items, "
        "$0.05 each, $0.10 in all. Each further question after the first 2 of an item earns a bonus. "
        f"They are in the marketplace's list, under the title “{cohort.batch.title}”."
    )


def test_message_reaches_a_worker_who_is_new_to_the_requester(wire, clock):
    account = join(1)
    round, worker = make_rounds()[0], worker_of(account)
    terms = round.project.pay_scheme
    round.project.pay_scheme = {
        **terms,
        "generator": {**terms["generator"], "free_units": 0},
    }
    round.project.save()
    publish(round, worker)
    assert send_due_messages(clock=clock) == 0  # the qualification comes first
    send_due_grants(clock=clock)
    assert send_due_messages(clock=clock) == 1
    assert Message.objects.get().state == MessageState.SENT
    assert "in all. Each question earns a bonus. They are" in account.messages.get().text


def test_message_counts_the_items_of_the_workers_own_block():
    round = make_rounds(pairs=2)[0]
    round.items_per_worker = 2
    round.save()
    publish(round, make_worker(), make_worker())
    texts = list(Message.objects.values_list("text", flat=True))
    assert ["It has 2 items, $0.05 each, $0.10 in all" in text for text in texts] == [True, True]


def test_simulated_workers_are_not_messaged():
    round, worker = make_rounds()[0], make_worker()
    worker.is_simulated = True
    worker.save()
    publish(round, worker)
    assert not Message.objects.exists()
