"""Queue imports of uploaded annotations: store the files, and read them in a job."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.utils import timezone

from annotation.domain.corpus.choose_columns import prefill_columns, reading_of
from annotation.domain.corpus.source_files import (
    AS_IT_IS,
    ColumnsError,
    OpenTable,
    ReadOptions,
    open_gold,
    with_names,
)
from annotation.domain.corpus.uploads import (
    delete_uploads,
    describe_error,
    open_uploads,
    store_bad_rows,
    store_uploads,
    stored_errors,
)
from consolidation.domain.gold.import_gold import import_gold
from jobs.domain.kinds import JobFailedError, JobKind, JobRun
from jobs.domain.queue_job import queue_job
from jobs.enums import JobState
from jobs.models import Job
from projects.domain.bad_rows import BadRows
from projects.domain.schemes import scheme_of
from projects.models import Project
from schemes.contract.errors import FileError
from schemes.import_settings import Setting

GOLD_IMPORT = "gold-import"


def queue_gold(
    *,
    project: Project,
    fmt: str,
    source: str,
    files: "Sequence[UploadedFile[bytes]]",
    actor: str,
    now: datetime,
    strict: bool = False,
    reading: ReadOptions = AS_IT_IS,
    settings: Collection[Setting] = (),
    state: JobState = JobState.UPLOADED,
) -> Job:
    """Store the files and queue a job that imports them, which first waits for confirmation.

    Without `fmt`, the job that reads the files recognises the format.
    """
    stored = store_uploads(files)
    parameters = {
        "format": fmt,
        "source": source,
        "strict": strict,
        "files": stored,
        "reading": asdict(reading),
        "settings": [setting.parameter for setting in settings],
    }
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


def complete_reading(project: Project, parameters: dict[str, Any]) -> None:
    """Add the format that is recognised, and the columns for a person to confirm. Raise FileError."""
    try:
        with open_gold_files(project, parameters) as files:
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
def open_gold_files(project: Project, parameters: dict[str, Any]) -> Iterator[OpenGold]:
    """Yield the files of an upload. Raise FileError with their original names."""
    corpus = scheme_of(project).corpus
    options = reading_of(parameters)
    with open_uploads(parameters["files"]) as (paths, names), ExitStack() as stack:
        gold = open_gold(paths, corpus=corpus, fmt=parameters["format"], options=options)
        try:
            files = stack.enter_context(gold)
        except FileError as error:
            raise with_names(error, names) from error
        of_copies = {copy: names.get(name, name) for copy, name in files.names.items()}
        yield OpenGold(files.paths, {**names, **of_copies}, files.fmt, files.table)


def _run(run: JobRun) -> dict[str, Any]:
    project = Project.objects.get(slug=run.job.scope)
    try:
        with open_gold_files(project, run.job.parameters) as files:
            if files.fmt != run.job.parameters["format"]:
                run.job.parameters["format"] = files.fmt
                run.job.save(update_fields=["parameters"])
            return _import(run, project, files)
    except (FileError, ColumnsError) as error:
        raise JobFailedError(str(error)) from error
    except OSError as error:
        raise JobFailedError(f"The upload cannot be read: {error}.") from error


def _import(run: JobRun, project: Project, files: OpenGold) -> dict[str, Any]:
    errors: list[FileError] = []
    strict, settings = run.job.parameters["strict"], run.job.parameters["settings"]
    with BadRows(show=errors.append, renamed=lambda error: with_names(error, files.names)) as rows:
        try:
            report = import_gold(
                project=project,
                paths=files.paths,
                fmt=files.fmt,
                source=run.job.parameters["source"],
                align=Setting.ALIGN.parameter in settings,
                rescale=Setting.RESCALE_BOXES.parameter in settings,
                add_roles=Setting.ADD_ROLES.parameter in settings,
                strict=strict,
                actor=run.job.requested_by,
                on_error=rows,
                now=timezone.now(),
                progress=lambda count: run.report(items=count),
            )
        except (FileError, OSError, UnicodeDecodeError) as error:
            nothing = " Nothing was imported." if strict else ""
            raise JobFailedError(f"{files.describe(error)}{nothing}") from error
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


KIND = JobKind(
    run=_run,
    clean_up=lambda job: delete_uploads(job.parameters["files"]),
    reads_uploads=True,
)
