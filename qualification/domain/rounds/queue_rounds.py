"""Set up rounds from uploaded files: store them, and read them in a job."""

from datetime import datetime
from pathlib import Path
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet
from django.utils import timezone

from annotation.domain.corpus.uploads import (
    delete_uploads,
    describe_error,
    open_uploads,
    store_uploads,
)
from jobs.domain.kinds import JobFailedError, JobKind, JobRun
from jobs.domain.queries import jobs_of
from jobs.domain.queue_job import queue_job
from jobs.models import Job
from projects.domain.schemes import scheme_of
from projects.models import Project
from qualification.domain.rounds.set_up_rounds import (
    RoundSetupError,
    plans_of_preset,
    read_given_annotations,
    read_round_items,
    set_up_rounds,
)
from schemes.contract.errors import FileError, MissingPartError

ROUND_SETUP = "round-setup"


def queue_rounds(
    *,
    project: Project,
    preset: str,
    items: "UploadedFile[bytes] | None",
    annotations: "UploadedFile[bytes] | None",
    actor: str,
    now: datetime,
) -> Job:
    """Store the files and queue a job that sets up the rounds of a preset with what they list."""
    files = store_uploads([file for file in (items, annotations) if file])
    try:
        return queue_job(
            kind=ROUND_SETUP,
            scope=project.slug,
            parameters={
                "preset": preset,
                "files": files,
                "has_items": bool(items),
                "has_annotations": bool(annotations),
            },
            actor=actor,
            now=now,
        )
    except BaseException:
        delete_uploads(files)
        raise


def round_setups(project: Project) -> QuerySet[Job]:
    """Return the jobs that set up rounds, newest first."""
    return jobs_of(scope=project.slug, kind=ROUND_SETUP)


def _run(run: JobRun) -> dict[str, Any]:
    project = Project.objects.get(slug=run.job.scope)
    with open_uploads(run.job.parameters["files"]) as (paths, names):
        try:
            return {"rounds": _set_up(project, run.job, paths)}
        except (FileError, MissingPartError, RoundSetupError, OSError) as error:
            raise JobFailedError(describe_error(error, names)) from error


def _set_up(project: Project, job: Job, paths: list[Path]) -> int:
    """Set up the rounds, and return their number."""
    parameters = job.parameters
    items = paths[0] if parameters["has_items"] else None
    annotations = paths[-1] if parameters["has_annotations"] else None
    plans = plans_of_preset(
        scheme=scheme_of(project),
        preset=parameters["preset"],
        keys=read_round_items(project, items) if items else {},
        given=read_given_annotations(project, annotations) if annotations else {},
    )
    now = timezone.now()
    return len(set_up_rounds(project=project, plans=plans, actor=job.requested_by, now=now))


KIND = JobKind(
    run=_run,
    clean_up=lambda job: delete_uploads(job.parameters["files"]),
    reads_uploads=True,
    attempts=1,
)
