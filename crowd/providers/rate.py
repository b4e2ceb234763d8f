"""A limit on calls per second."""

import threading
import time


class RateLimit:
    """A limit on this process's calls per second, evenly spaced. 0 means no limit."""

    def __init__(self, per_second: float) -> None:
        self._gap = 1 / per_second if per_second else 0.0
        self._next = 0.0
        self._lock = threading.Lock()

    def wait(self) -> None:
        if not self._gap:
            return
        with self._lock:
            start = max(time.monotonic(), self._next)
            self._next = start + self._gap
        time.sleep(max(0.0, start - time.monotonic()))
