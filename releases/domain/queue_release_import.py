"""Import an uploaded release into a new project, in a job."""

from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.utils import timezone

from annotation.domain.corpus.source_files import with_names
from annotation.domain.corpus.uploads import (
    delete_uploads,
    describe_error,
    open_uploads,
    store_uploads,
)
from audit.errors import TouchstoneError
from jobs.domain.kinds import JobFailedError, JobKind, JobRun
from jobs.domain.queue_job import queue_job
from jobs.models import Job
from projects.models import Project
from releases.domain.import_release import create_from_release, import_release
from releases.domain.release_archive import open_release
from schemes.contract.errors import FileError

RELEASE_IMPORT = "release-import"


def queue_release_import(
    *,
    file: "UploadedFile[bytes]",
    slug: str,
    title: str,
    owner: AbstractBaseUser,
    actor: str,
    now: datetime,
) -> tuple[Project, Job]:
    """Create the project with the release's scheme, and queue the import of its items.

    Raise FileError for a file that is no release, ProjectExistsError, and ReleaseImportError for a scheme
    that is not known here.
    """
    stored = store_uploads([file])
    try:
        with open_uploads(stored) as (paths, names), transaction.atomic():
            try:
                with open_release(paths[0]) as archive:
                    project = create_from_release(
                        archive, slug=slug, title=title, owner=owner, actor=actor, now=now
                    )
                    version = str(archive.manifest.get("version", ""))
            except FileError as error:
                raise with_names(error, names) from error
            parameters = {"title": version, "files": stored}
            job = queue_job(
                kind=RELEASE_IMPORT, scope=slug, parameters=parameters, actor=actor, now=now
            )
    except BaseException:
        delete_uploads(stored)
        raise
    return project, job


def _run(run: JobRun) -> dict[str, Any]:
    with open_uploads(run.job.parameters["files"]) as (paths, names):
        try:
            report = import_release(
                path=paths[0],
                slug=run.job.scope,
                actor=run.job.requested_by,
                now=timezone.now(),
                progress=lambda count: run.report(items=count),
            )
        except (FileError, TouchstoneError, OSError) as error:
            raise JobFailedError(describe_error(error, names)) from error
    return {
        "version": report.version,
        "sentences": report.sentences,
        "items": report.items,
        "gold": report.gold,
        "known": report.known,
    }


KIND = JobKind(
    run=_run,
    clean_up=lambda job: delete_uploads(job.parameters["files"]),
    reads_uploads=True,
)
