"""Tests of session lifetimes. Staff sessions end when they are idle or old."""

from datetime import datetime, timedelta

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from accounts.domain.session_lifetime import BEGAN, EXPIRES
from marketplace.domain.accounts.accounts import SESSION_LASTS
from marketplace.models import WorkerSession
from tests.accounts.conftest import PASSWORD
from tests.marketplace.conftest import log_in, make_worker

HTMX = {"HX-Request": "true"}
NEARLY = timedelta(minutes=1)


def is_signed_in(client: Client) -> bool:
    return client.get("/").status_code == 200


def change_session(client: Client, **values: datetime) -> None:
    session = client.session
    session.update({key: value.isoformat() for key, value in values.items()})
    session.save()


def stored_expiry() -> datetime:
    return Session.objects.get().expire_date


def approximately(moment: datetime) -> pytest.approx:
    return pytest.approx(moment, abs=NEARLY)


@pytest.fixture(autouse=True)
def _limits(settings):
    settings.SESSION_IDLE = timedelta(hours=12)
    settings.SESSION_LIFETIME = timedelta(days=14)


def test_idle_session_ends(signed_in):
    assert is_signed_in(signed_in)
    assert stored_expiry() == approximately(timezone.now() + timedelta(hours=12))
    change_session(signed_in, **{EXPIRES: timezone.now() - timedelta(seconds=1)})
    assert not is_signed_in(signed_in)


def test_session_of_the_sign_in_page_ends(signed_in):
    assert stored_expiry() == approximately(timezone.now() + timedelta(hours=12))


def test_cookie_ends_with_the_session(signed_in):
    cookie = signed_in.get("/").cookies["sessionid"]
    assert cookie["max-age"] == pytest.approx(12 * 3600, abs=60)


def test_use_extends_the_session(signed_in):
    is_signed_in(signed_in)
    change_session(signed_in, **{EXPIRES: timezone.now() + timedelta(hours=1)})
    assert is_signed_in(signed_in)
    assert stored_expiry() == approximately(timezone.now() + timedelta(hours=12))


def test_automatic_refresh_does_not_extend_the_session(signed_in):
    is_signed_in(signed_in)
    soon = timezone.now() + timedelta(hours=1)
    change_session(signed_in, **{EXPIRES: soon})
    assert signed_in.get("/", headers=HTMX).status_code == 200
    assert stored_expiry() == approximately(soon)


def test_old_session_ends_despite_use(signed_in):
    started_at = timezone.now() - timedelta(days=13, hours=23)
    change_session(signed_in, **{BEGAN: started_at, EXPIRES: timezone.now() + timedelta(hours=2)})
    assert is_signed_in(signed_in)
    assert stored_expiry() == approximately(started_at + timedelta(days=14))
    change_session(signed_in, **{BEGAN: started_at - timedelta(hours=2)})
    assert not is_signed_in(signed_in)
    assert not Session.objects.exists()


def test_new_sign_in_starts_a_new_lifetime(signed_in):
    change_session(signed_in, **{BEGAN: timezone.now() - timedelta(days=13, hours=23)})
    signed_in.post("/logout/")
    signed_in.post("/login/", {"login": "ada", "password": PASSWORD})
    assert is_signed_in(signed_in)
    assert stored_expiry() == approximately(timezone.now() + timedelta(hours=12))


def test_shorter_limit_applies_to_existing_sessions(signed_in, settings):
    is_signed_in(signed_in)
    settings.SESSION_LIFETIME = timedelta(0)
    assert not is_signed_in(signed_in)


def test_operator_of_the_marketplace_is_staff(db, django_user_model):
    django_user_model.objects.create_superuser("root", password=PASSWORD)
    client = Client()
    client.post("/hits/operator/login/", {"username": "root", "password": PASSWORD})
    change_session(client, **{BEGAN: timezone.now() - timedelta(days=15)})
    assert not is_signed_in(client)


def test_worker_sessions_have_a_separate_lifetime(db, settings):
    settings.SESSION_IDLE = settings.SESSION_LIFETIME = timedelta(0)
    client = log_in(make_worker())
    assert client.get("/hits/account/").status_code == 200
    assert WorkerSession.objects.get().expires_at == approximately(timezone.now() + SESSION_LASTS)
