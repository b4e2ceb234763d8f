"""Exports of a project's gold, written by a worker process."""

import hashlib
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.files import File
from django.core.files.storage import Storage, storages
from django.db.models import QuerySet

from audit.errors import TouchstoneError
from datasets.domain.exports.export_gold import DATA_CARD, MANIFEST, ExportOptions, manifest_text
from datasets.domain.exports.export_submissions import submission_formats_of, submissions_of
from datasets.domain.exports.gold_files import JSONL
from datasets.domain.exports.store_export import ExportNotStoredError, store_export
from jobs.domain.kinds import JobFailedError, JobKind, JobRun
from jobs.domain.queries import jobs_of
from jobs.domain.queue_job import queue_job
from jobs.domain.stored_files import delete_files
from jobs.enums import JobState
from jobs.models import Job
from projects.domain.schemes import scheme_of
from projects.models import Project
from schemes.contract.errors import FileError

EXPORT = "export"


def queue_export(
    *,
    project: Project,
    fmt: str,
    source: str,
    actor: str,
    now: datetime,
    domain: str = "",
    partition: str = "",
    licence: str = "",
    annotations: bool = False,
    certainty: bool = False,
) -> Job:
    """Queue an export. An empty domain or partition means all.

    With `annotations`, individual annotations are added to the gold. The source ANNOTATIONS means
    them alone. With `certainty`, gold has the estimates of the project's latest fit.
    """
    parameters = {
        "source": source,
        "domain": domain,
        "partition": partition,
        "licence": licence,
        "annotations": annotations,
        "certainty": certainty,
    }
    return queue_job(
        kind=EXPORT,
        scope=project.slug,
        parameters={"format": fmt, **parameters},
        actor=actor,
        now=now,
    )


def exports_of(project: Project) -> QuerySet[Job]:
    """Return the project's exports, newest first."""
    return jobs_of(scope=project.slug, kind=EXPORT)


def _storage() -> Storage:
    return storages["exports"]


def _folder(job: Job) -> str:
    return f"{job.scope}/{job.pk}"


def _run(run: JobRun) -> dict[str, Any]:
    parameters = run.job.parameters
    project = Project.objects.get(slug=run.job.scope)
    options = ExportOptions(
        fmt=parameters["format"],
        source=parameters["source"],
        domain=parameters["domain"] or None,
        partition=parameters["partition"] or None,
        licence=parameters["licence"],
        annotations=_annotation_format(project, parameters),
        certainty=parameters.get("certainty", False),
    )
    try:
        export = store_export(
            project=project,
            options=options,
            storage=_storage(),
            folder=_folder(run.job),
            archived=True,
            progress=lambda done, total: run.report(files=done, total=total),
        )
    except (TouchstoneError, FileError, ExportNotStoredError, OSError) as error:
        raise JobFailedError(str(error)) from error
    text = manifest_text(export.manifest).encode()
    sha256 = hashlib.sha256(text).hexdigest()
    return {
        "manifest": export.manifest,
        "sha256": sha256,
        "bytes": len(text),
        "archive": export.archive,
    }


def _annotation_format(project: Project, parameters: dict[str, Any]) -> str:
    """Return the format of the individual annotations beside gold, or "" for none.

    It is that of the gold, if submissions have it too.
    """
    if not parameters.get("annotations") or not submissions_of(project).exists():
        return ""
    fmt: str = parameters["format"]
    return fmt if fmt in submission_formats_of(scheme_of(project)) else JSONL


def _clean_up(job: Job) -> None:
    if job.state == JobState.FINISHED:
        return
    _delete_folder(_folder(job))


def delete_export(job: Job) -> None:
    """Delete the files of an export."""
    _delete_folder(_folder(job))


def _delete_folder(folder: str) -> None:
    try:
        folders, names = _storage().listdir(folder)
    except FileNotFoundError:
        return
    for name in folders:
        _delete_folder(f"{folder}/{name}")
    delete_files(_storage(), [f"{folder}/{name}" for name in names])
    if not names:
        with suppress(OSError):
            _storage().delete(folder)


KIND = JobKind(run=_run, clean_up=_clean_up)


@dataclass(frozen=True, slots=True)
class ExportFile:
    name: str
    rows: int | None
    bytes: int
    sha256: str


def files_of(job: Job) -> list[ExportFile]:
    """Return the files of a finished export, its manifest last."""
    if job.state != JobState.FINISHED:
        return []
    files = job.result["manifest"]["files"]
    return [
        *(ExportFile(name, **facts) for name, facts in sorted(files.items())),
        ExportFile(MANIFEST, None, job.result["bytes"], job.result["sha256"]),
    ]


def archive_of(job: Job) -> ExportFile | None:
    """Return the ZIP file of a finished export. Exports of earlier versions have none."""
    facts = job.result.get("archive") if job.state == JobState.FINISHED else None
    return ExportFile(rows=None, **facts) if facts else None


def earliest_with_same_bytes(job: Job) -> Job | None:
    """Return the project's first export with the same bytes, if there is an earlier one.

    The manifest lists all other files' checksums, so comparing the manifest's checksum is enough.
    """
    same = Job.objects.filter(
        scope=job.scope, kind=EXPORT, state=JobState.FINISHED, result__sha256=job.result["sha256"]
    )
    return same.filter(pk__lt=job.pk).order_by("pk").first()


def open_file(job: Job, name: str) -> "tuple[File[bytes], ExportFile] | None":
    """Open the archive, or a file of the manifest. Return None if there is no such file."""
    files = [*files_of(job), archive_of(job)]
    file = next((file for file in files if file and file.name == name), None)
    try:
        return (_storage().open(f"{_folder(job)}/{name}"), file) if file else None
    except FileNotFoundError:
        return None


def data_card_of(job: Job) -> str:
    """Return the export's data card, in Markdown with front matter."""
    opened = open_file(job, DATA_CARD)
    if opened is None:
        return ""
    with opened[0] as file:
        return str(file.read(), "utf-8")
