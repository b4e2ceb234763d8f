"""The consumer of Celery's workers, which waits while Redis has no memory left."""

import logging
import time

from celery.worker.consumer import Consumer
from celery.worker.state import maybe_shutdown
from redis.exceptions import OutOfMemoryError

from touchstone.program import as_called

log = logging.getLogger("touchstone.queues")
# Seconds between attempts
WAIT_SECONDS = 10


class PatientConsumer(Consumer):
    """A consumer that waits while Redis has no memory left, instead of restarting at once."""

    def on_connection_error_before_connected(self, exc: Exception) -> None:
        if not self._wait_for_room(exc):
            super().on_connection_error_before_connected(exc)

    def on_connection_error_after_connected(self, exc: Exception) -> None:
        super().on_connection_error_after_connected(exc)
        self._wait_for_room(exc)

    def _wait_for_room(self, exc: Exception) -> bool:
        if not isinstance(exc, OutOfMemoryError):
            return False
        remedy = as_called("manage.py empty_queues")
        log.error("Redis has no memory left, so this worker waits. See %s.", remedy)
        for _ in range(WAIT_SECONDS):
            maybe_shutdown()
            time.sleep(1)
        return True
