from collections.abc import Iterator

import pytest

from tests.fakes.prolific import FakeProlific


@pytest.fixture
def prolific() -> Iterator[FakeProlific]:
    """Return the stand-in without a thread, for tests of its Python methods."""
    server = FakeProlific()
    yield server
    server.server_close()
