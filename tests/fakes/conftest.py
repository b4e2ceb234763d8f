from collections.abc import Iterator

import pytest

from tests.fakes.prolific import FakeProlific


@pytest.fixture
def prolific() -> Iterator[FakeProlific]:
    """The stand-in without a thread: tests use its Python methods."""
    server = FakeProlific()
    yield server
    server.server_close()
