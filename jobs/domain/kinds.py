"""Job kinds. settings.JOB_KINDS maps the name of each kind to the dotted path of a JobKind."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string

from audit.domain.change_state import Transitions
from jobs.enums import JobState
from jobs.models import Job

TRANSITIONS: Transitions = {
    JobState.UPLOADED: [JobState.QUEUED, JobState.CANCELLED],
    JobState.QUEUED: [JobState.RUNNING, JobState.CANCELLED],
    JobState.RUNNING: [
        JobState.QUEUED,
        JobState.FINISHED,
        JobState.FAILED,
        JobState.CANCELLED,
    ],
}


ATTEMPTS = 3


class JobFailedError(Exception):
    """A failure that another attempt would not change. The message is shown to the requester."""

    def __init__(self, message: str, *, result: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.result = result or {}


class JobCancelledError(Exception):
    """The job was cancelled, or another process has taken it over."""


class JobRun:
    """A running attempt at a job, with the progress that the heartbeat saves.

    `result` is what the job has done so far, if this attempt leaves it to the heartbeat to store that. It
    remains if the attempt fails. An attempt that stores it in its own transactions leaves it None.
    """

    def __init__(self, job: Job) -> None:
        self.job = job
        self.progress: dict[str, int] = {}
        self.result: dict[str, Any] | None = None
        self.total: int | None = None
        self.is_lost = False

    def show(self, result: dict[str, Any]) -> None:
        """Store the result so far, which pages can show while the job runs."""
        mine = Job.objects.filter(
            pk=self.job.pk, state=JobState.RUNNING, attempts=self.job.attempts
        )
        if not mine.update(result=result):
            raise JobCancelledError
        self.result = result

    def report(self, *, total: int | None = None, **done: int) -> None:
        """Record the progress by unit. Raise JobCancelledError if the job should stop."""
        self.progress |= done
        self.total = total
        if self.is_lost:
            raise JobCancelledError


@dataclass(frozen=True, slots=True)
class JobKind:
    """How to run jobs of a kind. `run` does the work and returns the job's result.

    `run` may be repeated after its process was killed, up to `attempts` in all. `clean_up` deletes the
    files that a job without a result, or an import at its end, leaves behind. Only one job that
    `runs_alone` runs at a time. Each project has one running job whose kind `reads_uploads`, so that its
    files delay no other project.
    """

    run: Callable[[JobRun], dict[str, Any]]
    clean_up: Callable[[Job], None] = lambda job: None
    runs_alone: bool = False
    reads_uploads: bool = False
    attempts: int = ATTEMPTS


def kind_of(job: Job) -> JobKind:
    kind: JobKind = import_string(settings.JOB_KINDS[job.kind])
    return kind
