import pytest

from operations.domain import queues


@pytest.fixture(autouse=True)
def _empty_queues():
    """Delete what earlier tests of the process have sent, because old messages are a problem."""
    for name in queues.QUEUES:
        queues.empty(name)
