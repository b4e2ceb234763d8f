"""Receivers of Celery's signals that record workers and background tasks."""

import logging
import time
from typing import Any

from celery import signals
from django.db import DatabaseError, connection
from django.db.models import F
from django.utils import timezone

from operations.domain import heartbeat
from operations.domain.queues import QUEUES
from operations.models import TaskStats

log = logging.getLogger("touchstone.tasks")
_started: dict[str, float] = {}


@signals.worker_ready.connect
def record_start(sender: Any, **_: object) -> None:
    """Store the first heartbeat of the queues that the worker serves."""
    served = sender.app.amqp.queues.consume_from
    for queue in QUEUES.keys() & served.keys():
        heartbeat.start(queue=queue, now=timezone.now())
    connection.close()  # not shared with the processes that the worker forks later


@signals.task_prerun.connect
def start_timer(task_id: str, **_: object) -> None:
    _started[task_id] = time.perf_counter()


@signals.task_postrun.connect
def record_run(task_id: str, task: Any, state: str | None = None, **_: object) -> None:
    """Log the run, and add it to the task's statistics."""
    start = _started.pop(task_id, None)
    if start is None:
        return
    seconds, outcome = time.perf_counter() - start, (state or "unknown").lower()
    fields = {"outcome": outcome, "ms": round(seconds * 1000, 1)}
    log.info("%s: %s in %s ms", task.name, outcome, fields["ms"], extra=fields)
    try:
        count_run(task=task.name, outcome=outcome, seconds=seconds)
    except DatabaseError:  # must not fail the task, whose work is committed
        log.warning("A run of %s was not counted because of a database error.", task.name)


def count_run(*, task: str, outcome: str, seconds: float) -> None:
    added = {
        "runs": F("runs") + 1,
        "seconds": F("seconds") + seconds,
        "last_run_at": timezone.now(),
    }
    stats = TaskStats.objects.filter(task=task, outcome=outcome)
    if not stats.update(**added):
        TaskStats.objects.get_or_create(task=task, outcome=outcome)
        stats.update(**added)
