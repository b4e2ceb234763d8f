"""Every route for twelve identities, without server errors or data of a project for strangers."""

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from projects.enums import MemberRole
from tests.dashboard.campaign import Campaign, make_project, make_user
from tests.hostile.routes import routes
from tests.marketplace.conftest import log_in, make_worker

SECRETS = (b"Zanzibar survey", b"xylograph")
ROLES = list(MemberRole)
STRANGERS = ["visitor", "worker", "former", *(f"stranger-{role}" for role in ROLES)]
MEMBERS = ["superuser", *(f"member-{role}" for role in ROLES)]


@pytest.fixture
def project(db):
    project = make_project()
    project.title = "Zanzibar survey"
    project.save()
    campaign = Campaign(project, 4)
    sentence = campaign.items[0].sentence
    sentence.tokens = ["xylograph", *sentence.tokens[1:]]
    sentence.save()
    return project


def client_of(identity: str, project) -> Client:
    kind, _, role = identity.partition("-")
    if kind == "worker":
        client = log_in(make_worker())
    else:
        client = Client()
        if user := _user(kind, role, project):
            client.force_login(user)
    client.raise_request_exception = False
    return client


def _user(kind: str, role: str, project):
    users = get_user_model().objects
    if kind == "superuser":
        return users.create_superuser("root", password="pw")
    if kind == "former":
        return users.create_user("gone", password="pw")
    if kind == "stranger":
        return make_user("sam", make_project("other"), MemberRole(role))
    return make_user("kim", project, MemberRole(role)) if kind == "member" else None


def test_there_are_twelve_identities():
    assert len(STRANGERS) + len(MEMBERS) == 12


# `make test-long` opens the routes for the others.
ALWAYS = ("visitor", "worker", "stranger-requester", "superuser")


@pytest.mark.parametrize(
    "identity",
    [
        pytest.param(name, marks=[] if name in ALWAYS else pytest.mark.long)
        for name in (*STRANGERS, *MEMBERS)
    ],
)
def test_no_route_fails_or_leaks(identity, project, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    client = client_of(identity, project)
    addresses = list(routes(project))
    assert len(addresses) > 200
    failures, leaking = [], []
    for address in addresses:
        for method in (client.get, client.post):
            response = method(address)
            body = response.getvalue()
            if response.status_code >= 500:
                failures.append((method.__name__, address, response.status_code))
            if identity in STRANGERS and any(secret in body for secret in SECRETS):
                leaking.append((method.__name__, address))
    assert failures == []
    # The page of a task is open to workers, whom a marketplace sends there.
    assert [leak for leak in leaking if not _is_task(leak[1])] == []


def _is_task(address: str) -> bool:
    return address.startswith(("/generate/", "/consolidate/", "/validate/", "/revise/"))
