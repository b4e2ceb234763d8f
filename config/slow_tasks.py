"""The class of all Celery tasks, which limits slow tasks on sites without Redis."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from celery import Task
from django.conf import settings


class SiteTask(Task):
    """A task that keeps one thread or process free for payments and recording.

    Slow tasks are those with a queue of their own: imports, and calls to other servers. Without
    Redis, one worker that does two tasks at a time serves all queues, so only one slow task runs at
    a time. Beat requests the others again.
    """

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        is_slow = self.name in settings.CELERY_TASK_ROUTES
        if not is_slow or settings.REDIS_URL or self.request.called_directly:
            return super().__call__(*args, **kwargs)
        with _slot() as is_free:
            return super().__call__(*args, **kwargs) if is_free else None


_has_slot = ContextVar("has_slot", default=False)


@contextmanager
def _slot() -> Iterator[bool]:
    """Yield True if no other task of this site is in the block, except those that run this one."""
    if _has_slot.get():
        yield True
        return
    with (settings.VAR_DIR / "slow-task.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        token = _has_slot.set(True)
        try:
            yield True
        finally:
            _has_slot.reset(token)
