from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Any

from celery import current_app
from django.db import transaction

from audit.domain.change_state import Transitions, change_state, log_state_change
from jobs.enums import JobState
from jobs.models import Job


@transaction.atomic
def queue_job(
    *,
    kind: str,
    scope: str,
    parameters: Mapping[str, Any],
    actor: str,
    now: datetime,
    state: JobState = JobState.QUEUED,
    total: int | None = None,
) -> Job:
    """Create a job and request a run. A job created as UPLOADED awaits confirmation."""
    job = Job.objects.create(
        kind=kind,
        scope=scope,
        state=state,
        parameters=dict(parameters),
        total=total,
        requested_by=actor,
        requested_at=now,
    )
    log_state_change(instance=job, old="", new=state, actor=actor, now=now)
    if state == JobState.QUEUED:
        _request_run()
    return job


@transaction.atomic
def confirm_job(*, job: Job, actor: str, now: datetime) -> None:
    """Queue an uploaded job. Raise TransitionNotAllowedError."""
    moves: Transitions = {JobState.UPLOADED: [JobState.QUEUED]}
    change_state(
        instance=job, new=JobState.QUEUED, transitions=moves, actor=actor, now=now, requested_at=now
    )
    _request_run()


def _request_run() -> None:
    # By name, because the domain must not import tasks. Robust, because beat also requests runs.
    request = partial(current_app.send_task, "jobs.tasks.run_jobs")
    transaction.on_commit(request, robust=True)
