"""Tests of password resets, which must not reveal accounts."""

import re
import smtplib
from datetime import timedelta

import pytest
from django.core import mail
from django.core.mail.backends import locmem
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.domain.reset_password import send_due_resets
from accounts.models import PasswordResetRequest
from accounts.tasks import send_password_resets
from jobs.models import SweepFailure

PAGE = "/account/password/reset/"
KNOWN = "ada@touchstone.example"
UNKNOWN = "nobody@touchstone.example"
NEW = {"password1": "another long password", "password2": "another long password"}


def request_reset(client: Client, email: str, **extra: str) -> int:
    response = client.post(PAGE, {"email": email}, **extra)
    if response.status_code == 302:
        assert response.url.endswith("/sent/")
    return response.status_code


def test_link_in_the_mail_works_once(client, admin, settings):
    settings.SITE_URL = "https://touchstone.example"
    settings.ALLOWED_HOSTS = ["touchstone.example", "127.0.0.1", "testserver"]
    request_reset(client, "ADA@touchstone.example", HTTP_HOST="127.0.0.1")
    assert mail.outbox == []
    send_password_resets()
    assert mail.outbox[0].to == [KNOWN]
    pattern = r"https://touchstone.example(/account/password/reset/\S+)"
    path = re.search(pattern, mail.outbox[0].body)[1]
    page = client.get(path, follow=True)
    assert client.post(page.redirect_chain[-1][0], NEW).status_code == 302
    assert client.post("/login/", {"login": "ada", "password": "another long password"}).url == "/"
    assert "has expired or was already used" in Client().get(path, follow=True).content.decode()


def test_request_is_answered_once(client, admin):
    request_reset(client, KNOWN)
    send_password_resets()
    send_password_resets()
    assert len(mail.outbox) == 1
    assert not PasswordResetRequest.objects.exists()


def test_unknown_address_gets_no_mail(client, admin):
    request_reset(client, UNKNOWN)
    send_password_resets()
    assert mail.outbox == []
    assert not PasswordResetRequest.objects.exists()


def test_page_does_the_same_for_known_and_unknown_addresses(client, admin):
    statements = []
    for email in (KNOWN, UNKNOWN):
        with CaptureQueriesContext(connection) as queries:
            request_reset(client, email)
        statements.append([re.sub(r"'[^']*'", "?", query["sql"]) for query in queries])
    assert statements[0] == statements[1]
    assert not [sql for sql in statements[0] if "auth_user" in sql or "emailaddress" in sql]
    assert mail.outbox == []


@pytest.mark.parametrize("email", [KNOWN, UNKNOWN])
def test_resets_from_a_network_address_are_limited(client, admin, email):
    name, host = email.split("@")
    statuses = [
        request_reset(client, f"{name}{n}@{host}", REMOTE_ADDR="198.51.100.77") for n in range(6)
    ]
    assert statuses == [302] * 5 + [429]


@pytest.mark.parametrize("email", [KNOWN, UNKNOWN])
def test_resets_for_an_email_address_are_limited(client, admin, email):
    spellings = (email, email.upper(), email, email)
    statuses = [
        request_reset(client, spelling, REMOTE_ADDR=f"198.51.100.{n}")
        for n, spelling in enumerate(spellings)
    ]
    assert statuses == [302] * 3 + [429]


class DownBackend(locmem.EmailBackend):
    def send_messages(self, messages):
        raise smtplib.SMTPServerDisconnected("down")


@pytest.mark.failing_rows
def test_mail_is_sent_later_while_the_mail_server_is_down(client, admin, settings):
    backend = settings.EMAIL_BACKEND
    settings.EMAIL_BACKEND = f"{__name__}.DownBackend"
    request_reset(client, KNOWN)
    send_password_resets()
    assert SweepFailure.objects.get().sweep == "send password resets"
    settings.EMAIL_BACKEND = backend
    send_due_resets(clock=lambda: timezone.now() + timedelta(minutes=2))
    assert len(mail.outbox) == 1
    assert not SweepFailure.objects.exists()


def test_old_request_is_dropped(client, admin):
    request_reset(client, KNOWN)
    send_due_resets(clock=lambda: timezone.now() + timedelta(minutes=61))
    assert mail.outbox == []
    assert not PasswordResetRequest.objects.exists()
