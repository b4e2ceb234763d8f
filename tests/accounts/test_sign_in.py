import pytest
from axes.models import AccessAttempt
from django.test import Client
from django.urls import reverse

from tests.dashboard.campaign import make_user

LOGIN = "/login/"


@pytest.fixture
def person(db):
    return make_user("rita")


def test_right_password_opens_the_page_that_was_asked_for(client, person):
    form = {"login": "rita", "password": "a long enough password", "next": "/?a=1"}
    assert client.post(LOGIN, form).url == "/?a=1"


def test_login_never_leads_to_another_site(client, person):
    form = {"login": "rita", "password": "a long enough password", "next": "https://evil.test/"}
    assert client.post(LOGIN, form).url == reverse("dashboard:projects")


def test_wrong_password_is_told_without_saying_which_part(client, person):
    response = client.post(LOGIN, {"login": "rita", "password": "wrong"})
    assert b"The username and/or password you specified are not correct" in response.content


def test_too_many_failures_lock_the_name_out(client, person, settings):
    for _ in range(settings.AXES_FAILURE_LIMIT):
        response = client.post(LOGIN, {"login": "rita", "password": "wrong"})
    assert response.status_code == 429
    assert b"Too many attempts" in response.content
    right = {"login": "rita", "password": "a long enough password"}
    assert client.post(LOGIN, right).status_code == 429
    AccessAttempt.objects.all().delete()


def test_signing_out_needs_a_post_and_ends_the_session(client, person):
    client.force_login(person)
    assert client.get("/logout/").status_code == 405
    client.post("/logout/")
    assert client.get("/").status_code == 302


def test_forged_form_is_refused(person):
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(LOGIN, {"login": "rita", "password": "x"}).status_code == 403
