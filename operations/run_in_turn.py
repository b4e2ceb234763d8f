"""Run several tasks in the process of one, because each message would cost more than an idle task."""

import time
from collections.abc import Sequence

from celery import current_app
from django.conf import settings


def run_in_turn(tasks: Sequence[str]) -> None:
    """Run the tasks with these names in order. A failing task does not stop the others.

    Each is logged and counted like a task of its own (see `operations.task_records`). A busy site
    has more work than one process should do: after SWEEP_SECONDS, the others are sent as messages.
    """
    end = time.monotonic() + settings.SWEEP_SECONDS
    for name in tasks:
        task = current_app.tasks[name]
        if time.monotonic() < end:
            task.apply()
        else:
            task.apply_async(expires=settings.SWEEP_SECONDS * 3)
