"""The Celery application."""

import gc
import os

from celery import Celery
from celery.signals import worker_init

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("touchstone", task_cls="config.slow_tasks:SiteTask")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_init.connect
def share_memory(**_: object) -> None:
    """Load the URL patterns, which tasks reverse, before worker processes fork.

    Their memory stays shared, because the garbage collector no longer visits what is loaded by now.
    """
    from django.urls import get_resolver  # noqa: PLC0415 - importing this reads the settings

    get_resolver().url_patterns  # noqa: B018 - loads the routes
    gc.freeze()
