from datetime import timedelta

import pytest
from axes.models import AccessAttempt, AccessLog
from django.db.models import Sum
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.lockout import FAILURES_OF_NAME
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


@pytest.mark.parametrize("page", [LOGIN, "/hits/operator/login/"])
def test_one_address_does_not_lock_a_person_out_elsewhere(client, person, page):
    right = {"login": "rita", "username": "rita", "password": "a long enough password"}
    for number in range(120):
        agent = f"Browser/{number}"
        answer = client.post(page, right | {"password": "wrong"}, headers={"User-Agent": agent})
        assert answer.status_code == (200 if number < 9 else 429)
    assert client.post(page, right).status_code == 429
    assert client.post(page, right, REMOTE_ADDR="192.0.2.9").status_code == 302
    # The refused attempts do not count.
    counted = AccessAttempt.objects.aggregate(number=Sum("failures_since_start"))
    assert counted == {"number": 10}


@pytest.mark.parametrize("page", [LOGIN, "/hits/operator/login/"])
def test_name_is_limited_from_all_addresses_but_the_persons_own(client, person, page):
    right = {"login": "rita", "username": "rita", "password": "a long enough password"}
    assert client.post(page, right, REMOTE_ADDR="192.0.2.200").status_code == 302
    client.logout()
    for number in range(FAILURES_OF_NAME):
        address = f"192.0.2.{number // 9}"
        assert (
            client.post(page, right | {"password": "wrong"}, REMOTE_ADDR=address).status_code == 200
        )
    assert client.post(page, right, REMOTE_ADDR="192.0.2.100").status_code == 429
    assert client.post(page, right, REMOTE_ADDR="192.0.2.200").status_code == 302


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
