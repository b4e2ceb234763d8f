"""Tests of a user's session list, of ending sessions, and of passwords."""

from datetime import timedelta
from ipaddress import ip_network

import pytest
from allauth.usersessions.models import UserSession
from axes.models import AccessAttempt
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.tasks import clear_expired_sessions
from audit.models import StateChange
from tests.accounts.conftest import PASSWORD
from tests.dashboard.campaign import make_user

ACCOUNT = "/account/"
RIGHT = {"login": "ada", "password": PASSWORD}
WRONG = {"login": "ada", "password": "wrong"}
PROXY = "10.0.0.2"


@pytest.fixture
def other_session(admin) -> Client:
    agent = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/604.1"
    client = Client(headers={"User-Agent": agent})
    client.post("/login/", RIGHT, REMOTE_ADDR="203.0.113.7")
    return client


def test_only_own_sessions_are_listed(signed_in, other_session, project):
    make_user("eve", project)
    Client(headers={"User-Agent": "EveBrowser/1.0"}).post(
        "/login/", {"login": "eve", "password": PASSWORD}
    )
    page = signed_in.get("/account/").content.decode()
    assert "Firefox on Linux" in page
    assert "Safari on iOS" in page
    assert "203.0.113.7" in page
    assert "EveBrowser" not in page
    for key in UserSession.objects.values_list("session_key", flat=True):
        assert key not in page


def test_session_started_outside_the_sign_in_page_is_listed(db, django_user_model):
    django_user_model.objects.create_superuser("root", password=PASSWORD)
    client = Client(headers={"User-Agent": "Mozilla/5.0 (Windows NT 10.0) Chrome/140.0"})
    client.post("/hits/operator/login/", {"username": "root", "password": PASSWORD})
    assert "Chrome on Windows" in client.get("/account/").content.decode()


def test_last_visit_is_updated_at_intervals(signed_in):
    signed_in.get("/")
    before = UserSession.objects.get().last_seen_at
    with CaptureQueriesContext(connection) as queries:
        signed_in.get("/")
    assert not [query for query in queries if query["sql"].startswith(("UPDATE", "INSERT"))]
    cache.clear()
    signed_in.get("/")
    assert UserSession.objects.get().last_seen_at > before


def test_expired_sessions_are_deleted(signed_in, other_session):
    old = Session.objects.filter(session_key=other_session.session.session_key)
    old.update(expire_date=timezone.now() - timedelta(seconds=1))
    clear_expired_sessions()
    assert not old.exists()
    page = signed_in.get("/account/").content.decode()
    assert "Firefox on Linux" in page
    assert "Safari on iOS" not in page


def test_signing_out_other_sessions_keeps_this_one(signed_in, other_session):
    signed_in.post(ACCOUNT)
    assert signed_in.get("/").status_code == 200
    assert other_session.get("/").status_code == 302
    assert StateChange.objects.get(aggregate="auth.User").new == "signed out"


def end(client: Client, session: UserSession) -> int:
    return client.post(f"/account/sessions/{session.pk}/end/").status_code


def test_single_session_is_ended(signed_in, other_session, admin):
    third = Client()
    third.post("/login/", RIGHT)
    session = UserSession.objects.get(session_key=other_session.session.session_key)
    assert end(signed_in, session) == 302
    clients = (signed_in, other_session, third)
    assert [client.get("/").status_code for client in clients] == [200, 302, 200]
    assert StateChange.objects.get(aggregate="auth.User").new == "signed out"


def test_session_of_another_user_can_not_be_ended(signed_in, project):
    make_user("eve", project)
    eve = Client()
    eve.post("/login/", {"login": "eve", "password": PASSWORD})
    session = UserSession.objects.get(session_key=eve.session.session_key)
    assert end(signed_in, session) == 404
    assert eve.get("/").status_code == 200


def test_password_change_ends_the_other_sessions(signed_in, other_session):
    new = "another long password"
    form = {"oldpassword": PASSWORD, "password1": new, "password2": new}
    assert signed_in.post("/account/password/", form).status_code == 302
    assert signed_in.get("/").status_code == 200
    assert other_session.get("/").status_code == 302
    assert "Safari on iOS" not in signed_in.get("/account/").content.decode()
    assert StateChange.objects.get(aggregate="auth.User").new == "new password"


# --- throttling behind a proxy -------------------------------------------------------------------


@pytest.fixture
def behind_a_proxy(settings):
    settings.TRUSTED_PROXIES = [ip_network("10.0.0.0/8")]


def attempt(form: dict[str, str], client_address: str, *, claimed: str = "") -> int:
    """Try to sign in with the header that the proxy sends.

    The proxy appends the client's address to the header that the client claims.
    """
    header = f"{claimed}, {client_address}" if claimed else client_address
    return (
        Client().post("/login/", form, REMOTE_ADDR=PROXY, HTTP_X_FORWARDED_FOR=header).status_code
    )


def test_forged_header_does_not_evade_the_lock(admin, behind_a_proxy, settings):
    for number in range(settings.AXES_FAILURE_LIMIT):
        status = attempt(WRONG, "203.0.113.7", claimed=f"198.51.100.{number}")
    assert status == 429
    assert attempt(RIGHT, "203.0.113.7", claimed="198.51.100.200") == 429
    assert set(AccessAttempt.objects.values_list("ip_address", flat=True)) == {"203.0.113.7"}


def test_forged_header_does_not_lock_out_another(admin, behind_a_proxy, settings):
    for _ in range(settings.AXES_FAILURE_LIMIT + 1):
        attempt(WRONG, "203.0.113.7", claimed="198.51.100.9")
    assert attempt(RIGHT, "198.51.100.9") == 302


def test_header_is_ignored_without_trusted_proxies(admin, settings):
    for number in range(settings.AXES_FAILURE_LIMIT):
        status = attempt(WRONG, f"198.51.100.{number}")
    assert status == 429
