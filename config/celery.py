"""The Celery application."""

import gc
import logging
import os
import time
from typing import Any

from celery import Celery, bootsteps
from celery.beat import EmbeddedService
from celery.signals import beat_init, worker_before_create_process, worker_init
from click import Option
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

log = logging.getLogger("touchstone.queues")


class SiteCelery(Celery):
    """A Celery application that sends no message that a queue has no room for.

    All tasks find their work in the database, and beat requests them again, so no message is needed.
    """

    _full: set[str] = set()

    def send_task(self, name: str, *args: Any, **options: Any) -> Any:
        from operations.domain import queues  # noqa: PLC0415 - reads the settings

        route = self.conf.task_routes.get(name, {})
        queue = str(options.get("queue") or route.get("queue", queues.MAIN))
        if self._is_full(queue, queues.MAX_MESSAGES, queues.length_of):
            return None
        headers = {**(options.pop("headers", None) or {}), queues.PUBLISHED_AT: time.time()}
        try:
            return super().send_task(name, *args, headers=headers, **options)
        except OperationalError as error:
            log.warning("%s was not requested, because the broker failed: %s", name, error)
            return None

    def _is_full(self, queue: str, limit: int, length_of: Any) -> bool:
        """Return True if the queue has too many messages. Log when that changes."""
        try:
            is_full = length_of(queue) >= limit
        except RedisError:
            return False  # sending logs the error
        if is_full and queue not in self._full:
            log.error(
                "The queue %s has %s messages, so no more are added. Is its worker running?",
                queue,
                limit,
            )
            self._full.add(queue)
        elif not is_full and queue in self._full:
            log.warning("The queue %s accepts messages again.", queue)
            self._full.discard(queue)
        return is_full


app = SiteCelery("touchstone", task_cls="config.slow_tasks:SiteTask")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


class BeatThread(bootsteps.StartStopStep):
    """Run beat in a thread of the worker. Celery's `--beat` starts another process."""

    def __init__(self, parent: Any, *, beat_thread: bool = False, **options: Any) -> None:
        super().__init__(parent, **options)
        self.enabled = beat_thread

    def create(self, parent: Any) -> Any:
        return EmbeddedService(parent.app, thread=True)


app.steps["worker"].add(BeatThread)
app.user_options["worker"].add(
    Option(["--beat-thread"], is_flag=True, help="Run beat in a thread of this worker.")
)


@worker_init.connect
def prepare_worker(**_: object) -> None:
    from database.limits import limit_database  # noqa: PLC0415 - importing this reads the settings

    limit_database("worker")
    _check_data()


@beat_init.connect
def prepare_beat(**_: object) -> None:
    _check_data()


def _check_data() -> None:
    from audit.domain.data_version import exit_with_other_data  # noqa: PLC0415 - reads the settings

    exit_with_other_data(1)


@worker_before_create_process.connect
def share_memory(**_: object) -> None:
    """Load the URL patterns, which tasks reverse, before processes fork.

    Their memory stays shared, because the garbage collector no longer visits what is loaded by now.
    A pool of threads loads them when a task needs them.
    """
    from django.urls import get_resolver  # noqa: PLC0415 - importing this reads the settings

    get_resolver().url_patterns  # noqa: B018 - loads the routes
    gc.freeze()
