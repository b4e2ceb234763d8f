"""Kinds of job for tests. `CALLS` records their work."""

from jobs.domain.kinds import JobFailedError, JobKind, JobRun
from jobs.models import Job

CALLS: list[tuple[str, int]] = []


def _note(run: JobRun) -> dict[str, int]:
    CALLS.append(("run", run.job.pk))
    run.report(items=2, total=2)
    return {"answer": 42}


def _clean(job: Job) -> None:
    CALLS.append(("clean up", job.pk))


def _fail(run: JobRun) -> dict[str, int]:
    raise JobFailedError("The corpus is empty.", result={"rows": 0})


def _break(run: JobRun) -> dict[str, int]:
    raise RuntimeError("disk I/O error")


def _run_out(run: JobRun) -> dict[str, int]:
    raise MemoryError


PLAIN = JobKind(run=_note, clean_up=_clean)
ALONE = JobKind(run=_note, runs_alone=True)
FAILING = JobKind(run=_fail, clean_up=_clean)
BROKEN = JobKind(run=_break)
READER = JobKind(run=_note, reads_uploads=True)
OTHER_READER = JobKind(run=_note, reads_uploads=True, attempts=1)
HUNGRY = JobKind(run=_run_out, clean_up=_clean)
