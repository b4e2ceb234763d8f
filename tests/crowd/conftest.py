import pytest

from crowd.providers.registry import PROVIDERS
from tests.crowd.in_process import InProcess, Times, connect


@pytest.fixture
def wire(db, settings, monkeypatch) -> InProcess:
    """Connect the client to the marketplace in this process, with requests that can be made to fail."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.MARKETPLACE_ALLOW_HTTP = True
    settings.MARKETPLACE_FAULTS = ""
    settings.MARKETPLACE_REQUESTS_PER_SECOND = 0
    settings.MARKETPLACE_BUILTIN_KEY = (
        settings.MTURK_ACCESS_KEY_ID,
        settings.MTURK_SECRET_ACCESS_KEY,
    )
    wire = InProcess()
    market = connect(wire)
    monkeypatch.setitem(PROVIDERS, "mturk", lambda: market)
    return wire


@pytest.fixture
def clock() -> Times:
    return Times()
