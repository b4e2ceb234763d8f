"""How a sweep goes about its work."""

import time
from collections.abc import Callable

from django.conf import settings

# At least this long, so that starting a sweep is worth it where beat is quick.
LEAST_SECONDS = 5.0


def sweep(bite: Callable[[], int]) -> int:
    """Call `bite`, which returns how many rows it moved on, until it moves none or the time is up.

    Short bites leave a killed process little to repeat. The time is that between two of beat's
    rounds: the sweeps of other kinds get their turn, and one kind alone runs without a pause.
    """
    end = time.monotonic() + max(LEAST_SECONDS, settings.SWEEP_SECONDS)
    moved = 0
    while time.monotonic() < end and (step := bite()):
        moved += step
    return moved
