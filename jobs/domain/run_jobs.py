"""Run jobs: lease a job, renew the lease while it runs, and store the outcome."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection, transaction

from audit.domain.change_state import change_state
from jobs.domain.kinds import TRANSITIONS, JobCancelledError, JobFailedError, JobRun, kind_of
from jobs.enums import UNFINISHED, JobState
from jobs.models import Job

ATTEMPTS = 3
HEARTBEAT_SECONDS = 1.0
LOG_LINES = 100
Clock = Callable[[], datetime]


def run_next_job(*, clock: Clock, heartbeat: float = HEARTBEAT_SECONDS) -> bool:
    """Run the oldest job that is due. Return False if no job is due.

    Running jobs are due again when their lease expires. An unexpected error is stored and raised,
    and the job is queued again until it has had ATTEMPTS attempts.
    """
    job = _take(clock())
    if job is None:
        return False
    run = JobRun(job)
    if job.attempts > ATTEMPTS:
        problem = (
            f"Gave up after {ATTEMPTS} attempts. Each time, the worker process ended before the job "
            "was done. See the worker's log. It may have run out of memory or time."
        )
        _end(run, JobState.FAILED, clock(), problem=problem)
        return True
    with _heartbeat(run, clock, heartbeat):
        _run(run, clock)
    return True


@transaction.atomic
def _take(now: datetime) -> Job | None:
    # Lock all rows without skipping any, so that two processes cannot both start a job that
    # must run alone. All holders of these locks are short updates.
    jobs = Job.objects.filter(state__in=UNFINISHED).order_by("pk").select_for_update()
    unfinished = list(jobs)
    leased = [job for job in unfinished if job.leased_until and job.leased_until >= now]
    busy = {job.kind for job in leased if kind_of(job).runs_alone}
    due = [job for job in unfinished if job not in leased and job.kind not in busy]
    if not due:
        return None
    job = due[0]
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


def _run(run: JobRun, clock: Clock) -> None:
    kind = kind_of(run.job)
    try:
        result = kind.run(run)
    except JobFailedError as error:
        _end(run, JobState.FAILED, clock(), problem=str(error), result=error.result)
    except JobCancelledError:
        _end(run, JobState.CANCELLED, clock())
    except Exception as error:
        _end_attempt(run, f"{type(error).__name__}: {error}", clock())
        raise
    else:
        _end(run, JobState.FINISHED, clock(), result=result)


def _end_attempt(run: JobRun, problem: str, now: datetime) -> None:
    """Queue the job for another attempt, or fail it after the last one."""
    log = _with_line(run.job, f"Attempt {run.job.attempts} failed: {problem}", now)
    if run.job.attempts < ATTEMPTS:
        _end(run, JobState.QUEUED, now, problem=problem, log=log)
        return
    problem = f"Gave up after {ATTEMPTS} attempts. The last error was {problem}"
    _end(run, JobState.FAILED, now, problem=problem, log=log)


def _end(run: JobRun, state: JobState, now: datetime, **fields: Any) -> None:
    """Store the state unless the job was cancelled or taken over, and delete files no longer needed."""
    with transaction.atomic():
        job = Job.objects.select_for_update().get(pk=run.job.pk)
        if job.state == JobState.RUNNING and job.attempts == run.job.attempts:
            fields = {"problem": "", "leased_until": None, "progress": run.progress, **fields}
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
    if job.state not in UNFINISHED:
        kind_of(job).clean_up(job)


def _with_line(job: Job, text: str, now: datetime) -> list[dict[str, str]]:
    return [*job.log, {"at": now.isoformat(), "text": text}][-LOG_LINES:]


@contextmanager
def _heartbeat(run: JobRun, clock: Clock, seconds: float) -> Iterator[None]:
    """Renew the lease and save the progress from a thread, for as long as the process lives."""
    ended = threading.Event()
    thread = threading.Thread(target=_beat, args=(run, clock, seconds, ended), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _beat(run: JobRun, clock: Clock, seconds: float, ended: threading.Event) -> None:
    try:
        while not ended.wait(seconds):
            with suppress(DatabaseError):  # the next heartbeat retries
                _save_progress(run, clock())
    finally:
        connection.close()


def _save_progress(run: JobRun, now: datetime) -> None:
    row = Job.objects.filter(pk=run.job.pk)
    mine = row.filter(state=JobState.RUNNING, attempts=run.job.attempts)
    fields: dict[str, Any] = {"progress": dict(run.progress), "leased_until": now + settings.LEASE}
    if run.total is not None:
        fields["total"] = run.total
    if not mine.update(**fields):
        run.is_lost = row.exists()
