"""Queue imports of resources, such as a lexicon: store the file, and read it in a job."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.utils import timezone

from annotation.domain.corpus.uploads import (
    delete_uploads,
    describe_error,
    open_uploads,
    store_uploads,
)
from audit.errors import TouchstoneError
from consolidation.domain.gold.save_version import VersionEffectsError, import_version
from consolidation.domain.gold.version_effects import describe_effects
from jobs.domain.kinds import JobFailedError, JobKind, JobRun
from jobs.domain.queries import jobs_of
from jobs.domain.queue_job import queue_job
from jobs.models import Job
from projects.domain.resources import declared_resource
from projects.models import Project
from schemes.contract.errors import ContentError, FileError

RESOURCE_IMPORT = "resource-import"


def queue_resource(
    *,
    project: Project,
    name: str,
    file: "UploadedFile[bytes] | None",
    fmt: str,
    switches: Mapping[str, bool],
    presets: Mapping[str, str],
    actor: str,
    now: datetime,
) -> Job:
    """Store the file and queue a job that imports it as a new version of the resource.

    Without a file, only switches and presets change. Raise UnknownResourceError.
    """
    declared_resource(project, name)
    stored = store_uploads([file] if file else [])
    try:
        return queue_job(
            kind=RESOURCE_IMPORT,
            scope=project.slug,
            parameters={
                "name": name,
                "format": fmt,
                "files": stored,
                "switches": dict(switches),
                "presets": dict(presets),
            },
            actor=actor,
            now=now,
        )
    except BaseException:
        delete_uploads(stored)
        raise


def last_import(*, project: Project, name: str) -> Job | None:
    """Return the newest import of the resource, or None."""
    return jobs_of(scope=project.slug, kind=RESOURCE_IMPORT).filter(parameters__name=name).first()


def _run(run: JobRun) -> dict[str, Any]:
    parameters = run.job.parameters
    with open_uploads(parameters["files"]) as (paths, names):
        try:
            imported = import_version(
                project=Project.objects.get(slug=run.job.scope),
                name=parameters["name"],
                path=paths[0] if paths else None,
                fmt=parameters["format"],
                switches=parameters["switches"],
                presets=parameters["presets"],
                actor=run.job.requested_by,
                now=timezone.now(),
                accepts_effects=False,
            )
        except VersionEffectsError as error:
            reasons = " ".join(describe_effects(error.effects))
            raise JobFailedError(f"{error} {reasons}") from error
        except (FileError, ContentError, TouchstoneError, OSError) as error:
            raise JobFailedError(describe_error(error, names)) from error
    return {
        "version": imported.resource.version,
        "is_new": imported.is_new,
        "counts": dict(imported.counts),
    }


KIND = JobKind(
    run=_run,
    clean_up=lambda job: delete_uploads(job.parameters["files"]),
    reads_uploads=True,
    attempts=1,
)
