"""Sweeps in which a failing row does not stop the others, without importing `jobs`."""

import logging
from collections.abc import Callable, Iterable
from typing import TypeVar

log = logging.getLogger("touchstone.sweep")
T = TypeVar("T")


def for_each_row(action: str, rows: Iterable[T], process: Callable[[T], bool]) -> int:
    """Process each row in its own transaction, and log exceptions. Return how many succeeded."""
    count = 0
    for row in rows:
        try:
            count += process(row)
        except Exception:
            log.exception("%s failed for %r", action, row)
    return count
