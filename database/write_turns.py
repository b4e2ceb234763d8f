"""Leave other processes their turns to write between the transactions of long work."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

# SQLite has no queue of writers. A waiting connection tries again after at most 0.1 seconds.
MIN_SECONDS = 0.12


@contextmanager
def write_turn() -> Iterator[None]:
    """Do a transaction. On SQLite, then leave as much time to other connections.

    On a busy machine, a pause of a fixed length could pass before a waiting process runs.
    """
    start = time.monotonic()
    yield
    if connection.vendor == "sqlite":
        time.sleep(max(MIN_SECONDS, time.monotonic() - start))
