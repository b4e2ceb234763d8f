import pytest
from django.test import Client

from annotation.enums import MemberRole
from tests.dashboard.campaign import Campaign, make_project, make_user


@pytest.fixture
def project(db):
    return make_project()


@pytest.fixture
def campaign(project):
    return Campaign(project, 12)


@pytest.fixture
def requester(project):
    return make_user("rita", project, MemberRole.REQUESTER)


@pytest.fixture
def office(requester) -> Client:
    """A client signed in as the project's requester."""
    client = Client()
    client.force_login(requester)
    return client
