"""Queue imports of uploaded annotations: store the files, and read them in a job."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.utils import timezone

from annotation.domain.uploads import (
    delete_uploads,
    describe_error,
    open_uploads,
    store_uploads,
    stored_errors,
)
from consolidation.domain.import_gold import GoldPreview, import_gold, preview_gold
from jobs.domain.kinds import JobFailedError, JobKind, JobRun
from jobs.domain.queue_job import queue_job
from jobs.enums import JobState
from jobs.models import Job
from projects.models import Project
from schemes.base import FileError
from schemes.registry import get_scheme

GOLD_IMPORT = "gold-import"
MAX_HEADER = 1 << 16


def queue_gold(
    *,
    project: Project,
    fmt: str,
    source: str,
    files: "Sequence[UploadedFile[bytes]]",
    actor: str,
    now: datetime,
    state: JobState = JobState.UPLOADED,
) -> Job:
    """Store the files and queue a job that imports them, which first waits for confirmation."""
    stored = store_uploads(files)
    parameters = {"format": fmt, "source": source, "files": stored, "columns": {}}
    try:
        return queue_job(
            kind=GOLD_IMPORT,
            scope=project.slug,
            parameters=parameters,
            actor=actor,
            now=now,
            state=state,
        )
    except BaseException:
        delete_uploads(stored)
        raise


def choose_columns(*, job: Job, columns: Mapping[str, str]) -> None:
    """Read the required columns from these columns of the files. Both are names in a header."""
    job.parameters["columns"] = dict(columns)
    job.save(update_fields=["parameters"])


@dataclass(frozen=True, slots=True)
class OpenGold:
    """The local files of an upload. `header` has the names of the columns of the first file."""

    paths: list[Path]
    names: dict[str, str]
    header: list[str]

    def describe(self, error: Exception) -> str:
        return describe_error(error, self.names)


@contextmanager
def open_gold(job: Job) -> Iterator[OpenGold]:
    """Yield the files of an upload with the columns that the user chose."""
    columns = job.parameters["columns"]
    with (
        open_uploads(job.parameters["files"]) as (stored, names),
        TemporaryDirectory(prefix="gold-", dir=settings.VAR_DIR) as folder,
    ):
        header = header_of(stored[0])
        # The copies have the same file names, so that errors name the original files.
        paths = [
            _with_columns(path, columns, Path(folder, str(number))) if columns else path
            for number, path in enumerate(stored)
        ]
        yield OpenGold(paths, names, header)


def header_of(path: Path) -> list[str]:
    """Return the names of the columns of a CSV file, or nothing for another file."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return [name.strip() for name in next(csv.reader([file.readline(MAX_HEADER)]), [])]
    except (OSError, UnicodeDecodeError, csv.Error):
        return []


def suggested_columns(*, required: Sequence[str], header: Sequence[str]) -> dict[str, str]:
    """Return the column of the header for each required column that has a similar name."""
    by_name = {_letters(name): name for name in reversed(header)}
    return {name: by_name[_letters(name)] for name in required if _letters(name) in by_name}


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name.lower()))


def _with_columns(path: Path, columns: Mapping[str, str], folder: Path) -> Path:
    """Copy a CSV file with the required names in its header."""
    names = {theirs: ours for ours, theirs in columns.items()}
    taken = set(columns)
    folder.mkdir()
    copy = folder / path.name
    with (
        path.open(encoding="utf-8-sig", newline="") as source,
        copy.open("w", encoding="utf-8", newline="") as target,
    ):
        header = next(csv.reader([source.readline(MAX_HEADER)]), [])
        stripped = [name.strip() for name in header]
        csv.writer(target).writerow(
            # A column that is not chosen must not have the name of one that is.
            names.get(name, f"{name} (not used)" if name in taken else name)
            for name in stripped
        )
        while text := source.read(1 << 20):
            target.write(text)
    return copy


def preview_upload(*, project: Project, job: Job) -> tuple[GoldPreview, OpenGold]:
    """Return the preview of an upload, and the names of its files and columns."""
    with open_gold(job) as files:
        preview = preview_gold(
            project=project,
            paths=files.paths,
            fmt=job.parameters["format"],
            source=job.parameters["source"],
        )
        return preview, files


def _run(run: JobRun) -> dict[str, Any]:
    project = Project.objects.get(slug=run.job.scope)
    try:
        with open_gold(run.job) as files:
            return _import(run, project, files)
    except OSError as error:
        raise JobFailedError(f"The upload cannot be read: {error}.") from error


def _import(run: JobRun, project: Project, files: OpenGold) -> dict[str, Any]:
    errors: list[FileError] = []
    try:
        report = import_gold(
            project=project,
            paths=files.paths,
            fmt=run.job.parameters["format"],
            source=run.job.parameters["source"],
            on_error=errors.append,
            now=timezone.now(),
            progress=lambda count: run.report(items=count),
        )
    except (FileError, OSError, UnicodeDecodeError) as error:
        raise JobFailedError(files.describe(error)) from error
    return {**asdict(report), "errors": stored_errors(errors, files.names)}


KIND = JobKind(run=_run, clean_up=lambda job: delete_uploads(job.parameters["files"]))


def format_of(*, project: Project, names: Sequence[str]) -> str:
    """Return the gold format of files by their names, or the scheme's usual one."""
    corpus = get_scheme(project.scheme).corpus
    for fmt in corpus.gold_formats:
        endings = tuple(corpus.formats.get(fmt, ()))
        if endings and all(name.lower().endswith(endings) for name in names):
            return fmt
    return corpus.gold_formats[0]
