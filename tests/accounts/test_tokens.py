"""Tests that API tokens end with the password under which they were issued."""

import re

import pytest
from django.contrib.auth import authenticate
from django.core import mail
from django.test import Client
from django.utils import timezone

from accounts.tasks import send_password_resets
from audit.models import StateChange
from projects.domain.api_tokens import find_token, issue_token
from tests.accounts.conftest import PASSWORD

NEW = "another long password"


@pytest.fixture
def secret(admin) -> str:
    now = timezone.now()
    _, secret = issue_token(
        user=admin, name="nightly", scopes=["read"], projects=None, expires_at=None, now=now
    )
    assert is_live(secret)
    return secret


def is_live(secret: str) -> bool:
    return find_token(secret=secret, now=timezone.now()) is not None


def test_changed_password_revokes_tokens(signed_in, secret):
    form = {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW}
    assert signed_in.post("/account/password/", form).status_code == 302
    assert not is_live(secret)
    logged = StateChange.objects.filter(aggregate="projects.ApiToken").latest("pk")
    assert (logged.new, logged.actor) == ("revoked", "ada")


def test_password_reset_revokes_tokens(client, secret):
    client.post("/account/password/reset/", {"email": "ada@touchstone.example"})
    send_password_resets()
    path = re.search(r"/account/password/reset/\S+", mail.outbox[0].body)[0]
    page = client.get(path, follow=True)
    client.post(page.redirect_chain[-1][0], {"password1": NEW, "password2": NEW})
    assert authenticate(Client().get("/").wsgi_request, username="ada", password=NEW)
    assert not is_live(secret)


def test_password_set_by_program_revokes_tokens(admin, secret):
    """The admin site and the command `changepassword` set passwords this way."""
    admin.set_password(NEW)
    admin.save()
    assert not is_live(secret)


def test_new_hash_of_the_same_password_revokes_nothing(admin, secret, settings):
    settings.PASSWORD_HASHERS = [
        "django.contrib.auth.hashers.PBKDF2PasswordHasher",
        *settings.PASSWORD_HASHERS,
    ]
    before = admin.password
    assert admin.check_password(PASSWORD)
    admin.refresh_from_db()
    assert admin.password != before
    assert is_live(secret)


def test_other_changes_of_an_account_revoke_nothing(admin, secret):
    admin.email = "new@touchstone.example"
    admin.save()
    assert is_live(secret)


def test_tokens_of_other_users_stay_valid(admin, secret, django_user_model):
    other = django_user_model.objects.create_user("bea", password=PASSWORD)
    other.set_password(NEW)
    other.save()
    assert is_live(secret)
