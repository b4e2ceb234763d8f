"""How a sweep goes about its work."""

import time
from collections.abc import Callable

SECONDS = 60.0


def sweep(bite: Callable[[], int], *, seconds: float = SECONDS) -> int:
    """Call `bite`, which returns how many rows it moved on, until it moves none or the time is up.

    Short bites leave a killed process little to repeat; the limit leaves the queue to others.
    """
    end = time.monotonic() + seconds
    moved = 0
    while time.monotonic() < end and (step := bite()):
        moved += step
    return moved
