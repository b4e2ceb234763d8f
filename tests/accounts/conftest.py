import pytest
from django.core.cache import cache
from django.test import Client

from projects.enums import MemberRole
from tests.dashboard.campaign import make_project, make_user

PASSWORD = "a long enough password"


@pytest.fixture(autouse=True)
def _no_codes_of_earlier_tests():
    """Clear the cache, which has limits and used codes under the ids of users."""
    cache.clear()


@pytest.fixture
def project(db):
    return make_project()


@pytest.fixture
def admin(project):
    user = make_user("ada", project, MemberRole.ADMIN)
    user.email = "ada@touchstone.example"
    user.save()
    return user


@pytest.fixture
def signed_in(admin) -> Client:
    """Return a client in which the project's admin has signed in with the password."""
    client = Client(headers={"User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"})
    client.post("/login/", {"login": "ada", "password": PASSWORD})
    return client
