"""A live site with an administrator's token and a job worker, for programs that use the API."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib.auth import get_user_model
from django.db import connection

from jobs.tasks import run_jobs
from tests.api.conftest import token_of


def administrator_token() -> str:
    root = get_user_model().objects.create_superuser("root", password="a long enough password")
    return token_of(root)


@contextmanager
def job_worker() -> Iterator[None]:
    """Run jobs like a worker process while the block runs."""
    stop = threading.Event()
    worker = threading.Thread(target=_work, args=[stop])
    worker.start()
    try:
        yield
    finally:
        stop.set()
        worker.join()


def _work(stop: threading.Event) -> None:
    while not stop.wait(0.2):
        run_jobs()
    connection.close()
