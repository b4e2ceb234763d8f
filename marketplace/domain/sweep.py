"""Sweeps in which a failing row does not stop the others.

The marketplace imports no other app, so it does not use the sweep in `jobs`.
"""

import logging
from collections.abc import Callable, Iterable
from typing import TypeVar

log = logging.getLogger("touchstone.sweep")
T = TypeVar("T")


def for_each_row(action: str, rows: Iterable[T], process: Callable[[T], bool]) -> int:
    """Process each row and return how many were processed.

    `process` runs its own transaction. An exception is logged, and its row is left for the next
    sweep.
    """
    count = 0
    for row in rows:
        try:
            count += process(row)
        except Exception:
            log.exception("%s failed for %r", action, row)
    return count
