"""Celery's own signals: a task carries the id of the request that asked for it, and is counted."""

import logging
import time
from contextlib import ExitStack
from typing import Any

from celery import signals
from django.db import DatabaseError

from operation.domain.task_tallies import count_run
from operation.request_id import current_request_id, request_named

log = logging.getLogger("touchstone.tasks")
CARRIED = "touchstone_request_id"

_running: dict[str, tuple[float, ExitStack]] = {}


@signals.before_task_publish.connect
def carry_request_id(headers: dict[str, Any] | None = None, **_: object) -> None:
    if headers is not None and (name := current_request_id()):
        headers[CARRIED] = name


@signals.task_prerun.connect
def begin(task_id: str, task: Any, **_: object) -> None:
    stack = ExitStack()
    stack.enter_context(request_named(task.request.get(CARRIED) or task_id))
    _running[task_id] = (time.perf_counter(), stack)


@signals.task_postrun.connect
def end(task_id: str, task: Any, state: str | None = None, **_: object) -> None:
    begun, stack = _running.pop(task_id, (None, None))
    if begun is None or stack is None:
        return
    seconds, outcome = time.perf_counter() - begun, (state or "unknown").lower()
    facts = {"outcome": outcome, "ms": round(seconds * 1000, 1)}
    log.info("%s: %s in %s ms", task.name, outcome, facts["ms"], extra={"facts": facts})
    try:
        count_run(task=task.name, outcome=outcome, seconds=seconds)
    except DatabaseError:  # the run is over: what it did stands, counted or not
        log.warning("A run of %s was not counted: the database did not take it.", task.name)
    stack.close()
