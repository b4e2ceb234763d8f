"""Queue imports of uploaded corpora: store the files, and read them in a job."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.core.files.uploadedfile import UploadedFile

from annotation.domain.import_corpus import CorpusOptions, Import, ImportReport
from annotation.domain.text_encodings import UTF_8
from annotation.domain.uploads import (
    delete_uploads,
    describe_error,
    open_uploads,
    store_uploads,
    stored_errors,
)
from jobs.domain.kinds import JobFailedError, JobKind, JobRun
from jobs.domain.queue_job import queue_job
from jobs.enums import JobState
from jobs.models import Job
from projects.models import Project
from schemes.base import FileError

IMPORT = "import"


def queue_import(
    *,
    project: Project,
    fmt: str,
    files: "Sequence[UploadedFile[bytes]]",
    items_files: "Sequence[UploadedFile[bytes]]",
    images: "UploadedFile[bytes] | None" = None,
    search: str = "",
    domain: str,
    partition: str,
    strict: bool,
    actor: str,
    now: datetime,
    state: JobState = JobState.QUEUED,
) -> Job:
    """Store the files and queue a job that imports them. `images` is a ZIP archive.

    The encoding of each file is detected. A job in the state UPLOADED waits for confirmation.
    """
    parameters: dict[str, Any] = {
        "format": fmt,
        "search": search,
        "domain": domain,
        "partition": partition,
        "strict": strict,
        "files": [],
        "items_files": [],
        "images": [],
    }
    uploads = {"files": files, "items_files": items_files, "images": [images] if images else []}
    stored = store_uploads([file for uploaded in uploads.values() for file in uploaded])
    try:
        for kind, uploaded in uploads.items():
            parameters[kind] = [stored.pop(0) for _ in uploaded]
        return queue_job(
            kind=IMPORT,
            scope=project.slug,
            parameters=parameters,
            actor=actor,
            now=now,
            state=state,
        )
    except BaseException:
        delete_uploads(_stored(parameters))
        raise


def set_encoding(*, job: Job, encoding: str) -> None:
    """Read the sentences of an upload in this encoding from now on."""
    for file in job.parameters["files"]:
        file["encoding"] = encoding
    job.save(update_fields=["parameters"])


def encoding_of(job: Job) -> str:
    """Return the encoding in which the sentences of an upload are read."""
    return str(job.parameters["files"][0].get("encoding", UTF_8))


def bytes_of(job: Job) -> int:
    """Return the size of an upload without its images."""
    files = [*job.parameters["files"], *job.parameters["items_files"]]
    return sum(file["bytes"] for file in files)


def _stored(parameters: dict[str, Any]) -> list[dict[str, Any]]:
    return [*parameters["files"], *parameters["items_files"], *parameters["images"]]


@dataclass(frozen=True, slots=True)
class OpenUpload:
    """The local files of an upload. `names` maps their paths to their original names.

    `images` is an archive, if there is one.
    """

    corpus: list[Path]
    items: list[Path]
    images: Path | None
    names: dict[str, str]

    def describe(self, error: Exception) -> str:
        """Return the error's message with the original file names."""
        return describe_error(error, self.names)


@contextmanager
def open_upload(job: Job) -> Iterator[OpenUpload]:
    """Yield the files of an upload, with their text as UTF-8."""
    with open_uploads(_stored(job.parameters)) as (paths, names):
        count = len(job.parameters["files"])
        images = paths.pop() if job.parameters["images"] else None
        yield OpenUpload(paths[:count], paths[count:], images, names)


def _run(run: JobRun) -> dict[str, Any]:
    project = Project.objects.get(slug=run.job.scope)
    try:
        with open_upload(run.job) as upload:
            return _import(run, project, upload)
    except OSError as error:
        raise JobFailedError(f"The upload cannot be read: {error}.") from error


def _import(run: JobRun, project: Project, upload: OpenUpload) -> dict[str, Any]:
    options = CorpusOptions(
        fmt=run.job.parameters["format"],
        items=upload.items,
        images=upload.images,
        search=run.job.parameters["search"],
        domain=run.job.parameters["domain"],
        partition=run.job.parameters["partition"],
        strict=run.job.parameters["strict"],
    )
    counts: Counter[str] = Counter()

    def progress(unit: str, count: int) -> None:
        counts[unit] += count
        run.report(**counts)

    importer = Import(project=project, options=options, progress=progress)
    try:
        report = importer.run(upload.corpus)
    except (FileError, OSError, UnicodeDecodeError) as error:
        problem = upload.describe(error)
        if options.strict:
            raise JobFailedError(f"{problem} Nothing was imported.") from error
        raise JobFailedError(problem, result=_result(importer.report, upload)) from error
    return _result(report, upload)


def _result(report: ImportReport, upload: OpenUpload) -> dict[str, Any]:
    return {
        **report.counts(),
        "errors": stored_errors(report.errors, upload.names),
        "warnings": stored_errors(report.warnings, upload.names),
    }


KIND = JobKind(run=_run, clean_up=lambda job: delete_uploads(_stored(job.parameters)))
