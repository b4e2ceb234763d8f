"""Run jobs: lease a job, renew the lease while it runs, and store the outcome."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils.module_loading import import_string

from audit.domain.change_state import change_state
from jobs.domain.kinds import (
    TRANSITIONS,
    JobCancelledError,
    JobFailedError,
    JobKind,
    JobRun,
    kind_of,
)
from jobs.domain.lease import renewing
from jobs.enums import UNFINISHED, JobState
from jobs.models import Job

HEARTBEAT_SECONDS = 1.0
LOG_LINES = 100
Clock = Callable[[], datetime]


def run_next_job(*, clock: Clock, heartbeat: float = HEARTBEAT_SECONDS) -> bool:
    """Run the oldest job that is due. Return False if no job is due.

    Running jobs are due again when their lease expires. An unexpected error is stored and raised,
    and the job is queued again until it has had the attempts of its kind. A job that ran out of memory
    is not repeated.
    """
    job = _take(clock())
    if job is None:
        return False
    run = JobRun(job)
    if job.attempts > kind_of(job).attempts:
        _end(run, JobState.FAILED, clock(), problem=_ended_too_often(kind_of(job)))
        return True
    with renewing(lambda: _save_progress(run, clock()), seconds=heartbeat):
        _run(run, clock)
    return True


@transaction.atomic
def _take(now: datetime) -> Job | None:
    # Lock all rows without skipping any, so that two processes cannot both start a job that
    # must run alone. All holders of these locks are short updates.
    jobs = Job.objects.filter(state__in=UNFINISHED).order_by("pk").select_for_update()
    unfinished = list(jobs)
    leased = [job for job in unfinished if job.leased_until and job.leased_until >= now]
    job = next((job for job in unfinished if job not in leased and _may_run(job, leased)), None)
    if job is None:
        return None
    fields: dict[str, Any] = {
        "attempts": job.attempts + 1,
        "leased_until": now + settings.LEASE,
        "started_at": now,
        "progress": {},
    }
    if job.state == JobState.RUNNING:
        text = f"The worker process of attempt {job.attempts} ended before the job was done."
        fields["log"] = _with_line(job, text, now)
        Job.objects.filter(pk=job.pk).update(**fields)
        job.refresh_from_db()
        return job
    return change_state(
        instance=job,
        new=JobState.RUNNING,
        transitions=TRANSITIONS,
        actor=job.kind,
        now=now,
        **fields,
    )


def _may_run(job: Job, running: Sequence[Job]) -> bool:
    kind = kind_of(job)
    if kind.runs_alone and any(other.kind == job.kind for other in running):
        return False
    return not kind.reads_uploads or not any(
        other.scope == job.scope and kind_of(other).reads_uploads for other in running
    )


def _ended_too_often(kind: JobKind) -> str:
    if kind.attempts == 1:
        return (
            "The worker process ended before the file was read. It may have run out of memory or time. "
            "Try a smaller file, or read this one again."
        )
    return (
        f"Gave up after {kind.attempts} attempts. Each time, the worker process ended before the job "
        "was done. See the worker's log. It may have run out of memory or time."
    )


def _run(run: JobRun, clock: Clock) -> None:
    kind = kind_of(run.job)
    try:
        result = kind.run(run)
    except JobFailedError as error:
        _end(run, JobState.FAILED, clock(), problem=str(error), result=error.result)
    except JobCancelledError:
        _end(run, JobState.CANCELLED, clock())
    except MemoryError:
        problem = "The worker process ran out of memory. Try a smaller file."
        _end(run, JobState.FAILED, clock(), problem=problem)
        raise
    except Exception as error:
        _end_attempt(run, f"{type(error).__name__}: {error}", clock())
        raise
    else:
        _end(run, JobState.FINISHED, clock(), result=result)


def _end_attempt(run: JobRun, problem: str, now: datetime) -> None:
    """Queue the job for another attempt, or fail it after the last one."""
    log = _with_line(run.job, f"Attempt {run.job.attempts} failed: {problem}", now)
    attempts = kind_of(run.job).attempts
    if run.job.attempts < attempts:
        _end(run, JobState.QUEUED, now, problem=problem, log=log)
        return
    if attempts > 1:
        problem = f"Gave up after {attempts} attempts. The last error was {problem}"
    _end(run, JobState.FAILED, now, problem=problem, log=log)


def _end(run: JobRun, state: JobState, now: datetime, **fields: Any) -> None:
    """Store the state unless the job was cancelled or taken over, and delete files no longer needed."""
    with transaction.atomic():
        job = Job.objects.select_for_update().get(pk=run.job.pk)
        if job.state == JobState.RUNNING and job.attempts == run.job.attempts:
            fields = {
                "problem": "",
                "leased_until": None,
                "progress": run.progress,
                **({} if run.result is None else {"result": run.result}),
                **fields,
            }
            if run.total is not None:
                fields["total"] = run.total
            if state != JobState.QUEUED:
                fields["ended_at"] = now
            job = change_state(
                instance=job,
                new=state,
                transitions=TRANSITIONS,
                actor=job.kind,
                now=now,
                reason=fields["problem"],
                **fields,
            )
            if state != JobState.QUEUED:
                import_string(settings.ON_JOB_END)(job, now)
    if job.state not in UNFINISHED:
        kind_of(job).clean_up(job)


def _with_line(job: Job, text: str, now: datetime) -> list[dict[str, str]]:
    return [*job.log, {"at": now.isoformat(), "text": text}][-LOG_LINES:]


def _save_progress(run: JobRun, now: datetime) -> None:
    """Save the progress and renew the lease."""
    row = Job.objects.filter(pk=run.job.pk)
    mine = row.filter(state=JobState.RUNNING, attempts=run.job.attempts)
    fields: dict[str, Any] = {
        "progress": dict(run.progress),
        "leased_until": now + settings.LEASE,
    }
    if run.result is not None:
        fields["result"] = run.result
    if run.total is not None:
        fields["total"] = run.total
    if not mine.update(**fields):
        run.is_lost = row.exists()
