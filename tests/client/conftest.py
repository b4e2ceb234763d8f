"""A live site with a campaign, and the client that sends requests to it."""

from collections.abc import Iterator

import pytest
from django.core.cache import cache

from tests.client.proxy import UnreliableProxy
from tests.dashboard.campaign import Campaign, make_project
from tests.fakes.stand_in import running
from tests.live_site import administrator_token
from touchstone_client import Touchstone, connection


@pytest.fixture
def token(transactional_db, job_files) -> str:
    cache.clear()
    return administrator_token()


@pytest.fixture
def campaign(token) -> Campaign:
    return Campaign(make_project(), 12)


@pytest.fixture
def site(live_server, token) -> Iterator[Touchstone]:
    with Touchstone(live_server.url, token) as site:
        yield site


@pytest.fixture
def proxy(live_server, token) -> Iterator[UnreliableProxy]:
    with running(UnreliableProxy(live_server.url)) as proxy:
        yield proxy


@pytest.fixture
def through_proxy(proxy, token, monkeypatch) -> Iterator[Touchstone]:
    """Return a client that uses the proxy, and waits less between its attempts."""
    monkeypatch.setattr(connection, "FIRST_DELAY", 0.01)
    with Touchstone(proxy.url, token, max_wait=2) as site:
        yield site
