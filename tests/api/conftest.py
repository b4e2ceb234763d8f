"""A project with work in every state, and API clients that authenticate with tokens."""

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from projects.domain.api_tokens import issue_token
from projects.enums import MemberRole, TokenScope
from tests.dashboard.campaign import Campaign, make_project, make_user


@pytest.fixture(autouse=True)
def _fresh_throttles(job_files):
    """Clear the throttles, and store files with the test."""
    cache.clear()


@pytest.fixture
def project(db):
    return make_project()


@pytest.fixture
def campaign(project):
    return Campaign(project, 12)


@pytest.fixture
def requester(project):
    return make_user("rita", project, MemberRole.REQUESTER)


def token_of(user, *, scopes=tuple(TokenScope), projects=None, expires_at=None, now=None) -> str:
    _, secret = issue_token(
        user=user,
        name="script",
        scopes=scopes,
        projects=projects,
        expires_at=expires_at,
        now=now or timezone.now(),
    )
    return secret


def calling(user, **token_options) -> Client:
    """Return a client that authenticates with a token of the user."""
    return Client(headers={"Authorization": f"Bearer {token_of(user, **token_options)}"})


@pytest.fixture
def api(requester) -> Client:
    """Return a client of the project's requester with every scope."""
    return calling(requester)
