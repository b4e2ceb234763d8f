"""Accounts of participants: off by default, with a proven address, without any project."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.domain.sign_up import (
    SignUpOverError,
    create_account,
    request_sign_up,
    sign_up_of,
    token_of,
)
from accounts.models import ParticipantSignUp
from accounts.tasks import send_sign_up_links
from audit.models import StateChange
from projects.domain.new_user import UsernameTakenError
from projects.domain.queries import projects_of

PAGE = "/sign-up/"
NEW = {
    "username": "ann",
    "password1": "a long enough password",
    "password2": "a long enough password",
}
pytestmark = pytest.mark.django_db


@pytest.fixture
def _is_open(settings):
    settings.PARTICIPANT_SIGNUP = True
    settings.SITE_URL = "https://touchstone.example"


def link_in_the_mail() -> str:
    send_sign_up_links()
    match = re.search(r"https://touchstone.example(/sign-up/\S+)", mail.outbox[-1].body)
    assert match
    return match[1]


def test_pages_do_not_exist_by_default(client):
    row = ParticipantSignUp.objects.create(
        email="ann@lab.example", path="/benchmarks/", requested_at=timezone.now()
    )
    for path in (PAGE, reverse("accounts:finish_sign_up", args=[token_of(row)])):
        assert client.get(path).status_code == 404
        assert client.post(path, NEW).status_code == 404
    assert not get_user_model().objects.exists()


@pytest.mark.usefixtures("_is_open")
def test_account_is_created_with_the_link_and_has_no_project(client):
    path = "/benchmarks/wikinews/1.0/team/"
    assert client.get(f"{PAGE}?next={path}").status_code == 200
    page = client.post(f"{PAGE}?next={path}", {"email": "Ann@Lab.example"}).content.decode()
    assert "Check your email" in page
    assert mail.outbox == []
    link = link_in_the_mail()
    assert mail.outbox[0].to == ["ann@lab.example"]
    assert client.get(link).status_code == 200
    assert client.post(link, {**NEW, "password2": "other"}).status_code == 422
    answer = client.post(link, NEW)
    assert (answer.status_code, answer.url) == (302, path)
    user = get_user_model().objects.get()
    assert (user.username, user.email, user.is_staff) == ("ann", "ann@lab.example", False)
    assert not projects_of(user=user).exists()
    assert not user.get_all_permissions()
    assert client.get("/").status_code == 200
    assert client.get(reverse("projects:project_new")).status_code == 403
    assert StateChange.objects.filter(new="signed up", actor="ann").exists()
    # The link works once.
    assert Client().get(link).status_code == 410
    assert Client().post(link, {**NEW, "username": "ben"}).status_code == 410


@pytest.mark.usefixtures("_is_open", "admin")
def test_known_address_gets_no_second_account(client):
    known = client.post(PAGE, {"email": "ADA@touchstone.example"})
    unknown = client.post(PAGE, {"email": "ann@lab.example"})
    shown = known.content.decode().replace("ada@touchstone.example", "ann@lab.example")
    assert shown == unknown.content.decode()
    send_sign_up_links()
    to_ada = next(message for message in mail.outbox if message.to == ["ada@touchstone.example"])
    assert "the address has an account" in to_ada.body
    assert "/sign-up/" not in to_ada.body


@pytest.mark.usefixtures("_is_open")
@pytest.mark.parametrize(
    "path",
    ["https://evil.example/", "//evil.example/", "/admin/", "/benchmarks/\\evil", "", "x" * 999],
)
def test_participants_return_to_benchmarks_only(client, path):
    client.post(PAGE, {"email": "ann@lab.example", "next": path})
    assert client.post(link_in_the_mail(), NEW).url == "/benchmarks/"


@pytest.mark.usefixtures("_is_open")
def test_links_expire_and_are_deleted(client):
    client.post(PAGE, {"email": "ann@lab.example"})
    link = link_in_the_mail()
    ParticipantSignUp.objects.update(requested_at=timezone.now() - timedelta(days=1, seconds=1))
    assert client.get(link).status_code == 410
    send_sign_up_links()
    assert not ParticipantSignUp.objects.exists()
    assert client.get("/sign-up/invented/").status_code == 410


@pytest.mark.usefixtures("_is_open")
def test_two_links_of_an_address_make_one_account():
    now = timezone.now()
    for _ in range(2):
        request_sign_up(email="ann@lab.example", path="/benchmarks/", now=now)
    first, second = ParticipantSignUp.objects.all()
    create_account(row=first, username="ann", password="a long enough password", now=now)
    with pytest.raises(SignUpOverError):
        create_account(row=second, username="ben", password="a long enough password", now=now)
    with pytest.raises(SignUpOverError):
        sign_up_of(token=token_of(second), now=now)
    assert get_user_model().objects.count() == 1


@pytest.mark.usefixtures("_is_open")
def test_requests_are_limited(client):
    answers = [client.post(PAGE, {"email": "ann@lab.example"}).status_code for _ in range(4)]
    assert answers == [200, 200, 200, 429]
    others = [client.post(PAGE, {"email": f"{n}@lab.example"}).status_code for n in range(4)]
    assert 429 in others


@pytest.mark.usefixtures("_is_open", "admin")
def test_username_that_differs_in_case_only_is_refused(client):
    client.post(PAGE, {"email": "ann@lab.example"})
    answer = client.post(link_in_the_mail(), {**NEW, "username": "ADA"})
    assert answer.status_code == 422
    assert "already exists" in answer.content.decode()
    assert get_user_model().objects.count() == 1


@pytest.mark.usefixtures("_is_open")
def test_link_stays_valid_if_the_username_was_taken_meanwhile():
    now = timezone.now()
    for email in ("ann@lab.example", "ben@lab.example"):
        request_sign_up(email=email, path="/benchmarks/", now=now)
    first, second = ParticipantSignUp.objects.order_by("pk")
    create_account(row=first, username="ann", password="a long enough password", now=now)
    with pytest.raises(UsernameTakenError):
        create_account(row=second, username="ann", password="a long enough password", now=now)
    row = sign_up_of(token=token_of(second), now=now)
    create_account(row=row, username="ben", password="a long enough password", now=now)
    assert get_user_model().objects.count() == 2
