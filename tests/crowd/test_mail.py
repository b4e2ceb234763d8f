"""Emails for messages, over a real connection, with safe retries and no duplicates."""

from datetime import timedelta

import pytest

from crowd.domain.workers.write_mail import (
    also_by_mail,
    forget_address,
    keep_address,
    send_again,
    send_due_mail,
)
from crowd.domain.workers.write_messages import MAX_ATTEMPTS
from crowd.enums import MailState
from crowd.models import Mail, MailAddress, Message
from tests.crowd.factories import NOW, make_worker
from tests.fakes.mail_server import Behaviour, MailServer

pytestmark = pytest.mark.django_db


@pytest.fixture
def server(settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_TIMEOUT = 5
    settings.MAIL_IS_ON = True
    with MailServer() as server:
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
        yield server
        server.shutdown()


@pytest.fixture
def mail(server):
    worker = make_worker()
    keep_address(worker=worker, address="ann@example.org", now=NOW)
    return also_by_mail(message=write(worker))


def write(worker, text="Your feedback is ready."):
    return Message.objects.create(worker=worker, subject="Feedback", text=text, written_at=NOW)


def sweep(after=timedelta(0)):
    return send_due_mail(clock=lambda: NOW + after)


def state_of(mail):
    mail.refresh_from_db()
    return mail.state


def test_mail_is_sent_once(server, mail):
    assert sweep() == 1
    assert sweep(timedelta(days=2)) == 0
    [letter] = server.accepted
    assert (letter["To"], letter["Subject"]) == ("ann@example.org", "Feedback")
    assert letter["Message-ID"] == f"<mail-{mail.pk}@127.0.0.1>"
    assert letter.get_payload().strip() == "Your feedback is ready."
    assert (state_of(mail), mail.sent_at) == (MailState.SENT, NOW)


def test_worker_without_an_address_gets_none(server):
    assert also_by_mail(message=write(make_worker())) is None
    assert not Mail.objects.exists()


def test_site_without_a_mail_server_sends_none(server, mail, settings):
    settings.MAIL_IS_ON = False
    assert also_by_mail(message=write(mail.message.worker)) is None
    assert sweep() == 0
    assert server.accepted == []


@pytest.mark.parametrize("command", ["MAIL", "RCPT", "DATA"])
def test_deferred_mail_is_retried_later(server, mail, command):
    server.behaviour = Behaviour(answer_to={command: "451 later"})
    assert sweep() == 0
    assert state_of(mail) == MailState.PENDING
    assert "deferred it" in mail.error
    server.behaviour = Behaviour()
    assert sweep(timedelta(minutes=5)) == 0
    assert sweep(timedelta(minutes=11)) == 1
    assert state_of(mail) == MailState.SENT
    assert len(server.accepted) == 1


@pytest.mark.parametrize("command", ["MAIL", "RCPT", "DATA"])
def test_refused_mail_is_shown_and_not_retried(server, mail, command):
    server.behaviour = Behaviour(answer_to={command: "550 no such person"})
    assert sweep() == 1
    assert state_of(mail) == MailState.FAILED
    assert "no such person" in mail.error
    server.behaviour = Behaviour()
    assert sweep(timedelta(days=2)) == 0
    assert send_again(mail=mail, now=NOW)
    assert sweep() == 1
    assert state_of(mail) == MailState.SENT
    assert not send_again(mail=mail, now=NOW)


def test_accepted_mail_with_a_lost_response_is_not_sent_twice(server, mail):
    server.behaviour = Behaviour(hang_up_after="DATA")
    assert sweep() == 1
    assert len(server.accepted) == 1
    assert state_of(mail) == MailState.UNCERTAIN
    server.behaviour = Behaviour()
    assert sweep(timedelta(days=2)) == 0
    assert len(server.accepted) == 1


def test_outcome_is_unknown_after_the_process_died_while_sending(server, mail):
    Mail.objects.update(state=MailState.SENDING, leased_until=NOW + timedelta(minutes=1))
    sweep()
    assert state_of(mail) == MailState.SENDING
    sweep(timedelta(minutes=2))
    assert state_of(mail) == MailState.UNCERTAIN
    assert "died" in mail.error
    assert server.accepted == []


def test_unavailable_server_is_retried_up_to_the_limit(server, mail, settings, free_port):
    settings.EMAIL_PORT = free_port
    now = timedelta(0)
    for _ in range(MAX_ATTEMPTS):
        assert state_of(mail) == MailState.PENDING
        sweep(now)
        now += timedelta(days=3)
    assert state_of(mail) == MailState.FAILED
    assert "No connection to the mail server" in mail.error


def test_withdrawn_address_is_deleted_everywhere(server, mail):
    worker = mail.message.worker
    assert forget_address(worker=worker)
    assert not forget_address(worker=worker)
    assert (state_of(mail), mail.address) == (MailState.DROPPED, "")
    assert sweep() == 0
    assert server.accepted == []
    assert not send_again(mail=mail, now=NOW)


def test_new_address_gets_pending_mail(server, mail):
    keep_address(worker=mail.message.worker, address="ann@example.com", now=NOW)
    assert MailAddress.objects.count() == 1
    sweep()
    assert [letter["To"] for letter in server.accepted] == ["ann@example.com"]
