"""The Celery application."""

import gc
import os
from typing import Any

from celery import Celery, bootsteps
from celery.beat import EmbeddedService
from celery.signals import worker_init
from click import Option

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("touchstone", task_cls="config.slow_tasks:SiteTask")
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
def share_memory(**_: object) -> None:
    """Load the URL patterns, which tasks reverse, before worker processes fork.

    Their memory stays shared, because the garbage collector no longer visits what is loaded by now.
    """
    from django.urls import get_resolver  # noqa: PLC0415 - importing this reads the settings

    get_resolver().url_patterns  # noqa: B018 - loads the routes
    gc.freeze()
