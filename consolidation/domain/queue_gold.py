"""Queue imports of uploaded annotations: store the files, and read them in a job."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.utils import timezone

from annotation.domain.choose_columns import prefill_columns, reading_of
from annotation.domain.source_files import (
    AS_IT_IS,
    ColumnsError,
    OpenTable,
    ReadOptions,
    open_gold,
    with_names,
)
from annotation.domain.text_encodings import readings_of
from annotation.domain.uploads import (
    delete_uploads,
    describe_error,
    open_uploads,
    store_bad_rows,
    store_uploads,
    stored_errors,
)
from consolidation.domain.import_gold import GoldPreview, import_gold, preview_gold
from jobs.domain.kinds import JobFailedError, JobKind, JobRun
from jobs.domain.queue_job import queue_job
from jobs.enums import JobState
from jobs.models import Job
from projects.domain.bad_rows import BadRows
from projects.models import Project
from schemes.base import FileError
from schemes.import_settings import Setting
from schemes.registry import get_scheme

GOLD_IMPORT = "gold-import"


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
    """Store the files and queue a job that imports them, which first waits for confirmation.

    Without `fmt`, the format is recognised. The columns of tables are guessed for a person to confirm.
    Raise FileError for a file of no or an unclear format.
    """
    stored = store_uploads(files)
    parameters = {
        "format": fmt,
        "source": source,
        "files": stored,
        "reading": asdict(AS_IT_IS),
        "settings": [],
    }
    try:
        _complete(project, parameters)
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


def read_again(*, job: Job, reading: ReadOptions, settings: Collection[Setting]) -> None:
    """Read an upload in another way from now on. Columns are guessed if none are chosen."""
    is_read_otherwise = reading != reading_of(job.parameters)
    job.parameters["reading"] = asdict(reading)
    job.parameters["settings"] = [setting.parameter for setting in settings]
    if is_read_otherwise and not reading.columns:
        _complete(Project.objects.get(slug=job.scope), job.parameters)
    job.save(update_fields=["parameters"])


def _complete(project: Project, parameters: dict[str, Any]) -> None:
    """Add the format that is recognised and the columns. Raise FileError."""
    try:
        with _open_gold(project, parameters) as files:
            parameters["format"] = files.fmt
            prefill_columns(
                kind=GOLD_IMPORT, scope=project.slug, parameters=parameters, table=files.table
            )
    except FileError:
        # A file whose format is named may be readable in another encoding.
        if not parameters["format"]:
            raise


@dataclass(frozen=True, slots=True)
class OpenGold:
    """The readable files of an upload. `table` describes the first file if it is a table."""

    paths: list[Path]
    names: dict[str, str]
    fmt: str
    table: OpenTable | None

    def describe(self, error: Exception) -> str:
        return describe_error(error, self.names)


@contextmanager
def _open_gold(project: Project, parameters: dict[str, Any]) -> Iterator[OpenGold]:
    """Yield the files of an upload. Raise FileError with their original names."""
    corpus = get_scheme(project.scheme).corpus
    options = reading_of(parameters)
    with open_uploads(parameters["files"]) as (paths, names), ExitStack() as stack:
        gold = open_gold(paths, corpus=corpus, fmt=parameters["format"], options=options)
        try:
            files = stack.enter_context(gold)
        except FileError as error:
            raise with_names(error, names) from error
        of_copies = {copy: names.get(name, name) for copy, name in files.names.items()}
        yield OpenGold(files.paths, {**names, **of_copies}, files.fmt, files.table)


@dataclass(frozen=True, slots=True)
class UploadPreview:
    """The preview of an upload. `problem` gives the reason if a file can't be read at all.

    If it is not UTF-8, `readings` has the first such text in the encodings that may be right.
    """

    read: GoldPreview
    problem: str = ""
    errors: Sequence[str] = ()
    table: OpenTable | None = None
    readings: Mapping[str, str] = field(default_factory=dict)


def preview_upload(*, project: Project, job: Job) -> UploadPreview:
    """Read the beginning of an upload, without storing anything."""
    try:
        with _open_gold(project, job.parameters) as files:
            read = preview_gold(
                project=project,
                paths=files.paths,
                fmt=files.fmt,
                source=job.parameters["source"],
                align=Setting.ALIGN.parameter in job.parameters["settings"],
                rescale=Setting.RESCALE_BOXES.parameter in job.parameters["settings"],
                add_roles=Setting.ADD_ROLES.parameter in job.parameters["settings"],
            )
            problem = files.describe(read.problem) if read.problem else ""
            errors = [files.describe(error) for error in read.errors]
            table = files.table
    except (FileError, ColumnsError) as error:
        read, problem, errors, table = GoldPreview(), str(error), [], None
    readings: dict[str, str] = {}
    if problem and not job.parameters["reading"]["encoding"]:
        with open_uploads(job.parameters["files"]) as (paths, _):
            readings = readings_of(paths[0])
    return UploadPreview(read, problem, errors, table, readings)


def _run(run: JobRun) -> dict[str, Any]:
    project = Project.objects.get(slug=run.job.scope)
    try:
        with _open_gold(project, run.job.parameters) as files:
            return _import(run, project, files)
    except (FileError, ColumnsError) as error:
        raise JobFailedError(str(error)) from error
    except OSError as error:
        raise JobFailedError(f"The upload cannot be read: {error}.") from error


def _import(run: JobRun, project: Project, files: OpenGold) -> dict[str, Any]:
    errors: list[FileError] = []
    with BadRows(show=errors.append, renamed=lambda error: with_names(error, files.names)) as rows:
        try:
            report = import_gold(
                project=project,
                paths=files.paths,
                fmt=files.fmt,
                source=run.job.parameters["source"],
                align=Setting.ALIGN.parameter in run.job.parameters["settings"],
                rescale=Setting.RESCALE_BOXES.parameter in run.job.parameters["settings"],
                add_roles=Setting.ADD_ROLES.parameter in run.job.parameters["settings"],
                actor=run.job.requested_by,
                on_error=rows,
                now=timezone.now(),
                progress=lambda count: run.report(items=count),
            )
        except (FileError, OSError, UnicodeDecodeError) as error:
            raise JobFailedError(files.describe(error)) from error
        result = {
            **asdict(report),
            "notes": report.named_notes,
            "errors": stored_errors(errors, files.names),
        }
        if rows.count:
            result["bad_rows"] = store_bad_rows(rows.content())
    if report.is_useless:
        problem = f"None of the {report.error_count:,} annotations could be used."
        raise JobFailedError(problem, result=result)
    return result


KIND = JobKind(run=_run, clean_up=lambda job: delete_uploads(job.parameters["files"]))
