"""Queue imports of uploaded corpora: store the files, and read them in a job."""

import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePath
from typing import Any

from django.core.files.storage import Storage, storages
from django.core.files.uploadedfile import UploadedFile
from django.utils.text import get_valid_filename

from annotation.domain.import_corpus import CorpusOptions, Import, ImportReport
from jobs.domain.kinds import JobFailedError, JobKind, JobRun
from jobs.domain.queue_job import queue_job
from jobs.domain.stored_files import delete_files, local_paths
from jobs.enums import JobState
from jobs.models import Job
from projects.models import Project
from schemes.base import FileError

IMPORT = "import"
ERRORS_STORED = 100


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

    A job in the state UPLOADED waits for confirmation.
    """
    folder = uuid.uuid4().hex
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
    try:
        number = 0
        for kind, uploaded in uploads.items():
            for file in uploaded:
                parameters[kind].append(_store(file, folder, number))
                number += 1
        return queue_job(
            kind=IMPORT,
            scope=project.slug,
            parameters=parameters,
            actor=actor,
            now=now,
            state=state,
        )
    except BaseException:
        _delete_files(parameters)
        raise


def _store(file: "UploadedFile[bytes]", folder: str, number: int) -> dict[str, Any]:
    # Readers recognize a format by the suffix of the file name.
    name = PurePath(file.name or "corpus").name[-100:]
    path = _storage().save(f"{folder}/{get_valid_filename(f'{number}-{name}')}", file)
    return {"name": name, "path": path, "bytes": file.size}


def _storage() -> Storage:
    return storages["uploads"]


def _stored(parameters: dict[str, Any]) -> list[dict[str, Any]]:
    return [*parameters["files"], *parameters["items_files"], *parameters["images"]]


def _delete_files(parameters: dict[str, Any]) -> None:
    delete_files(_storage(), [file["path"] for file in _stored(parameters)])


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
        if isinstance(error, FileError):
            file = self.names.get(error.file, error.file)
            return str(FileError(file, error.line, error.message, field=error.field))
        message = str(error)
        for path, name in self.names.items():
            message = message.replace(path, name)
        return message


@contextmanager
def open_upload(job: Job) -> Iterator[OpenUpload]:
    files = _stored(job.parameters)
    with local_paths(_storage(), [file["path"] for file in files]) as paths:
        names = {
            key: file["name"]
            for path, file in zip(paths, files, strict=True)
            for key in (str(path), path.name)
        }
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
    errors = [
        {
            "file": upload.names.get(error.file, error.file),
            "line": error.line,
            "field": error.field,
            "message": error.message,
        }
        for error in report.errors[:ERRORS_STORED]
    ]
    return {**report.counts(), "errors": errors}


KIND = JobKind(run=_run, clean_up=lambda job: _delete_files(job.parameters))
