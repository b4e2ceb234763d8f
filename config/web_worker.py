"""gunicorn's worker for this site: its threads wait a moment for a connection's next request."""

import select
import threading
from collections import deque

from gunicorn.workers.gthread import TConn, ThreadWorker

# What follows an answer at once comes within this time: where a redirect leads, what a page loads, the
# next call of a program.
WAIT_MS = 20


class WebWorker(ThreadWorker):
    """gthread gives each kept-alive connection back to the main thread after every answer, and takes it
    up again from there: two switches of threads and a dozen system calls for each request. Here the
    thread that has answered waits for what comes next, as long as nobody is kept waiting by that: one
    thread of the process does not wait, and none does while a request is queued.
    """

    def init_process(self) -> None:
        self._queued: deque[None] = deque()  # one for each connection that has no thread yet
        self._may_wait = threading.Semaphore(self.cfg.threads - 1)
        super().init_process()

    def enqueue_req(self, conn: TConn) -> None:
        self._queued.append(None)
        super().enqueue_req(conn)

    def handle(self, conn: TConn) -> object:
        """True to keep the connection, False to close it; gthread has a third answer."""
        self._queued.popleft()
        kept = super().handle(conn)
        while kept is True and self._is_next_here(conn):
            kept = super().handle(conn)
        return kept

    def _is_next_here(self, conn: TConn) -> bool:
        if self._queued or not self._may_wait.acquire(blocking=False):
            return False
        try:
            poll = select.poll()
            poll.register(conn.sock, select.POLLIN)
            return bool(poll.poll(WAIT_MS))
        finally:
            self._may_wait.release()
