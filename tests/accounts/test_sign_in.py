from datetime import timedelta

import pytest
from axes.models import AccessAttempt, AccessLog
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.tasks import LOGINS_DAYS, forget_old_logins
from tests.dashboard.campaign import make_user

LOGIN = "/login/"


@pytest.fixture
def person(db):
    return make_user("rita")


def test_correct_password_opens_the_requested_page(client, person):
    form = {"login": "rita", "password": "a long enough password", "next": "/?a=1"}
    assert client.post(LOGIN, form).url == "/?a=1"


def test_sign_in_does_not_redirect_to_another_site(client, person):
    form = {"login": "rita", "password": "a long enough password", "next": "https://evil.test/"}
    assert client.post(LOGIN, form).url == reverse("dashboard:projects")


def test_wrong_password_message_does_not_reveal_the_account(client, person):
    response = client.post(LOGIN, {"login": "rita", "password": "wrong"})
    assert b"The username and/or password you specified are not correct" in response.content


def test_too_many_failures_lock_the_username(client, person, settings):
    for _ in range(settings.AXES_FAILURE_LIMIT):
        response = client.post(LOGIN, {"login": "rita", "password": "wrong"})
    assert response.status_code == 429
    assert b"Too many attempts" in response.content
    right = {"login": "rita", "password": "a long enough password"}
    assert client.post(LOGIN, right).status_code == 429
    AccessAttempt.objects.all().delete()


def test_name_is_limited_from_all_addresses(client, person, settings):
    settings.ACCOUNT_RATE_LIMITS = settings.ACCOUNT_RATE_LIMITS | {"login_name": "3/h/key"}
    right = {"login": "RITA", "password": "a long enough password"}
    for number in range(3):
        wrong = {"login": "rita", "password": "wrong"}
        assert client.post(LOGIN, wrong, REMOTE_ADDR=f"192.0.2.{number}").status_code == 200
    response = client.post(LOGIN, right, REMOTE_ADDR="192.0.2.9")
    assert response.status_code == 200
    assert b"Too many failed login attempts" in response.content


def test_address_is_limited_with_many_names(client, person, settings):
    settings.ACCOUNT_RATE_LIMITS = settings.ACCOUNT_RATE_LIMITS | {"login": "3/15m/ip"}
    for number in range(3):
        client.post(LOGIN, {"login": f"name{number}", "password": "wrong"})
    right = {"login": "rita", "password": "a long enough password"}
    assert client.post(LOGIN, right).status_code == 429
    assert client.post(LOGIN, right, REMOTE_ADDR="192.0.2.9").status_code == 302


def test_sign_in_records_are_deleted_after_a_month(client, person):
    for browser in (client, Client()):
        browser.post(LOGIN, {"login": "rita", "password": "a long enough password"})
    old = timezone.now() - timedelta(days=LOGINS_DAYS + 1)
    AccessLog.objects.filter(pk=AccessLog.objects.first().pk).update(attempt_time=old)
    forget_old_logins()
    assert AccessLog.objects.count() == 1


def test_signing_out_requires_post_and_ends_the_session(client, person):
    client.force_login(person)
    assert client.get("/logout/").status_code == 405
    client.post("/logout/")
    assert client.get("/").status_code == 302


def test_forged_form_is_refused(person):
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(LOGIN, {"login": "rita", "password": "x"}).status_code == 403
