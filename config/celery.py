"""The Celery application; every app's `tasks.py` is found by name."""

import os

from celery import Celery
from celery.signals import worker_init

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("touchstone")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_init.connect
def load_routes(**_: object) -> None:
    """Before the processes are forked: tasks write addresses, and each process would load them anew."""
    from django.urls import get_resolver  # noqa: PLC0415 - settings are read with the first import

    get_resolver().url_patterns  # noqa: B018 - loads the routes
