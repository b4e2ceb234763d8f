"""Releases that a worker process makes."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from audit.errors import TouchstoneError
from jobs.domain.kinds import JobFailedError, JobKind, JobRun
from jobs.domain.queries import jobs_of
from jobs.domain.queue_job import queue_job
from jobs.enums import UNFINISHED
from jobs.models import Job
from projects.models import Project
from releases.domain.build_release import build_release
from releases.domain.details import ReleaseDetails, ReleaseDetailsError, details_of_json
from releases.domain.freeze import check_details, freeze_release
from releases.models import Release
from schemes.contract.errors import FileError

RELEASE = "release"


@transaction.atomic
def queue_release(*, project: Project, details: ReleaseDetails, actor: str, now: datetime) -> Job:
    """Queue a release. Raise ReleaseDetailsError, also while another release is in progress."""
    _check_none_unfinished(project)
    check_details(project, details)
    parameters = {"title": details.version, "details": details.as_json()}
    return queue_job(kind=RELEASE, scope=project.slug, parameters=parameters, actor=actor, now=now)


@transaction.atomic
def queue_build(*, release: Release, actor: str, now: datetime) -> Job:
    """Queue the files of a release whose job ended before they were stored. Raise ReleaseDetailsError."""
    _check_none_unfinished(release.project)
    parameters = {"title": release.version, "release": release.pk}
    return queue_job(
        kind=RELEASE, scope=release.project.slug, parameters=parameters, actor=actor, now=now
    )


def _check_none_unfinished(project: Project) -> None:
    # Two requests at once must not both start one.
    Project.objects.select_for_update(of=("self",)).get(pk=project.pk)
    if release_jobs(project).filter(state__in=UNFINISHED).exists():
        raise ReleaseDetailsError("Another release is in progress. Wait until it has ended.")


def release_jobs(project: Project) -> QuerySet[Job]:
    """Return the jobs that make releases, newest first."""
    return jobs_of(scope=project.slug, kind=RELEASE)


def _run(run: JobRun) -> dict[str, Any]:
    """Freeze the gold, unless an earlier attempt did, and write the files."""
    try:
        release = _frozen(run.job)
        run.report(items=release.items.count())
        release = build_release(release)
    except (TouchstoneError, FileError, OSError) as error:
        raise JobFailedError(str(error)) from error
    return {"release": release.pk, "version": release.version, **release.archive}


def _frozen(job: Job) -> Release:
    """Return the job's release, which is frozen now if it is new."""
    if pk := job.parameters.get("release"):
        return Release.objects.get(pk=pk)
    release = Release.objects.filter(job=job).first()
    if release is not None:
        return release
    assert job.started_at
    return freeze_release(
        project=Project.objects.get(slug=job.scope),
        details=details_of_json(job.parameters["details"]),
        actor=job.requested_by,
        now=job.started_at,
        job=job,
    )


KIND = JobKind(run=_run)
