"""What workers can do with their own data: read answers, change the email, download, close."""

import io
import json
import re
import zipfile
from datetime import timedelta

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from marketplace.domain.accounts.payouts import payouts
from marketplace.models import Assignment, LedgerEntry, Message, WorkerAccount, WorkerSession

from .conftest import PASSWORD, accept, log_in, make_worker, submit

pytestmark = pytest.mark.django_db


def test_submitted_answer_is_shown_in_a_readable_form(publish, browser, worker):
    assignment = accept(browser, publish())
    content = {"questions": [{"question": "Who ran?", "answers": [[1, 2]]}]}
    fields = {"comment": "<b>Hard</b>", "deep": "[" * 200 + "]" * 200}
    submit(browser, assignment, content=json.dumps(content), **fields)
    address = f"/hits/history/{assignment}/"
    assert f'href="{address}"' in browser.get("/hits/history/").content.decode()
    page = browser.get(address).content.decode()
    text = " ".join(re.sub(r"<[^>]*>", " ", page).split())
    assert "questions : question : Who ran? answers : 1, 2" in text
    assert "&lt;b&gt;Hard&lt;/b&gt;" in page
    assert log_in(make_worker("bob")).get(address).status_code == 404


def test_email_changes_with_the_password_if_the_site_sends_no_mail(browser, worker, settings):
    settings.MAIL_IS_ON = False
    fields = {"email": "new@example.org", "password": "wrong"}
    assert (
        "The password is incorrect."
        in browser.post("/hits/account/email/", fields).content.decode()
    )
    browser.post("/hits/account/email/", fields | {"password": PASSWORD})
    worker.refresh_from_db()
    assert worker.email == "new@example.org"


def test_email_changes_when_the_link_in_the_mail_is_confirmed(browser, worker, settings):
    settings.MAIL_IS_ON = True
    fields = {"email": "new@example.org", "password": PASSWORD}
    browser.post("/hits/account/email/", fields)
    [message] = mail.outbox
    assert message.to == ["new@example.org"]
    link = re.search(r"/hits/account/email/\S+", message.body)[0]
    worker.refresh_from_db()
    assert worker.email == "ann@example.org"
    assert "Use new@example.org?" in browser.get(link).content.decode()
    stranger = log_in(make_worker("bob"))
    stranger.post(link)
    worker.refresh_from_db()
    assert worker.email == "ann@example.org"
    browser.post(link)
    worker.refresh_from_db()
    assert worker.email == "new@example.org"
    WorkerAccount.objects.update(email="third@example.org")
    browser.post(link)  # used
    worker.refresh_from_db()
    assert worker.email == "third@example.org"


def test_mail_that_can_not_be_sent_is_reported(browser, worker, settings):
    settings.MAIL_IS_ON = True
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    fields = {"email": "new@example.org", "password": PASSWORD}
    page = browser.post("/hits/account/email/", fields).content.decode()
    assert "The email could not be sent." in page


def test_worker_downloads_their_data(mturk, earned, browser, requester):
    browser.post(f"/hits/requesters/{requester[0].code}/messages/", {"text": "Thank you"})
    response = browser.get("/hits/account/data/")
    archive = zipfile.ZipFile(io.BytesIO(response.getvalue()))
    data = {name: json.loads(archive.read(name)) for name in archive.namelist()}
    assert data["account.json"]["email"] == "ann@example.org"
    [assignment] = data["assignments.json"]
    assert (assignment["state"], assignment["answer"]) == ("Approved", {"answer": "yes"})
    assert [row["amount"] for row in data["payments.json"]] == ["0.05", "0.11", "1.00"]
    [message] = data["messages.json"]
    assert (message["from"], message["to"], message["text"]) == ("you", "lab", "Thank you")
    assert data["qualifications.json"] == []


def test_closing_erases_the_person_and_keeps_the_books(publish, earned, browser, worker, requester):
    browser.post(f"/hits/requesters/{requester[0].code}/messages/", {"text": "I am Ann"})
    accept(browser, publish(Title="Another"))
    entries = LedgerEntry.objects.filter(worker=worker).count()
    page = browser.get("/hits/account/close/").content.decode()
    assert "1 task in progress will be returned" in page
    assert "$1.16" in page
    wrong = browser.post("/hits/account/close/", {"password": "wrong"})
    assert "The password is incorrect." in wrong.content.decode()
    browser.post("/hits/account/close/", {"password": PASSWORD})
    worker.refresh_from_db()
    identity = (worker.username, worker.email, worker.country, worker.active)
    assert identity == (f"closed-{worker.code.lower()}", "", "", False)
    assert not WorkerSession.objects.filter(worker=worker).exists()
    assert browser.get("/hits/").status_code == 302
    login = Client().post("/hits/login/", {"username": "ann", "password": PASSWORD})
    assert "incorrect" in login.content.decode()
    assert not Message.objects.filter(text__contains="Ann").exists()
    states = Assignment.objects.order_by("pk").values_list("status", flat=True)
    assert list(states) == ["Approved", "Returned"]
    assert LedgerEntry.objects.filter(worker=worker).count() == entries
    # The name is free for another person.
    assert make_worker("ann").pk != worker.pk


def test_email_is_kept_for_the_last_payout_until_the_operator_erases_it(
    earned, browser, worker, operator
):
    browser.post("/hits/account/close/", {"password": PASSWORD, "keeps_email": "on"})
    now = timezone.now()
    [row] = payouts(since=now - timedelta(days=1), until=now + timedelta(days=1))
    assert (row["email"], row["total_cents"]) == ("ann@example.org", 116)
    address = f"/hits/operator/workers/{worker.code}/"
    assert "for the last payout" in operator.get(address).content.decode()
    reopened = {"country": "US", "active": "on"}
    operator.post(address, reopened)
    operator.post(f"{address}erase-email/")
    worker.refresh_from_db()
    assert (worker.email, worker.active) == ("", False)
    assert "for the last payout" not in operator.get(address).content.decode()


def test_email_of_an_open_account_is_not_erased(operator, worker):
    operator.post(f"/hits/operator/workers/{worker.code}/erase-email/")
    worker.refresh_from_db()
    assert worker.email == "ann@example.org"
