"""Queue imports of uploaded corpora: store the files, and read them in a job."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.core.files.uploadedfile import UploadedFile

from annotation.domain.corpus.check_corpus import CorpusOptions
from annotation.domain.corpus.choose_columns import prefill_columns, reading_of
from annotation.domain.corpus.import_corpus import Import, ImportReport
from annotation.domain.corpus.source_files import (
    AS_IT_IS,
    ColumnsError,
    OpenFiles,
    OpenTable,
    ReadOptions,
    open_items,
    open_sentences,
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
from jobs.domain.kinds import JobFailedError, JobKind, JobRun
from jobs.domain.queue_job import queue_job
from jobs.enums import JobState
from jobs.models import Job
from projects.domain.bad_rows import BadRows
from projects.domain.schemes import scheme_of
from projects.models import Project
from schemes.contract.errors import FileError
from schemes.import_settings import Setting

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
    reading: ReadOptions = AS_IT_IS,
    settings: Collection[Setting] = (),
    state: JobState = JobState.QUEUED,
) -> Job:
    """Store the files and queue a job that imports them. `images` is a ZIP archive.

    Without `fmt`, the job that reads the files recognises the format. A job in the state UPLOADED waits
    for confirmation.
    """
    parameters: dict[str, Any] = {
        "format": fmt,
        "search": search,
        "domain": domain,
        "partition": partition,
        "strict": strict,
        "reading": asdict(reading),
        "settings": [setting.parameter for setting in settings],
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


def complete_reading(project: Project, parameters: dict[str, Any]) -> None:
    """Add the format that is recognised, and the columns for a person to confirm. Raise FileError."""
    try:
        with (
            open_uploads(parameters["files"]) as (paths, names),
            _opened(project, paths, parameters) as files,
        ):
            parameters["format"] = files.fmt
            prefill_columns(
                kind=IMPORT, scope=project.slug, parameters=parameters, table=files.table
            )
    except FileError as error:
        # A file whose format is named may be readable in another encoding.
        if not parameters["format"]:
            raise with_names(error, names) from error


def _opened(
    project: Project, paths: Sequence[Path], parameters: dict[str, Any]
) -> AbstractContextManager[OpenFiles]:
    corpus = scheme_of(project).corpus
    return open_sentences(
        paths, corpus=corpus, fmt=parameters["format"], options=reading_of(parameters)
    )


def bytes_of(job: Job) -> tuple[int, int]:
    """Return the sizes of an upload's texts and of its images."""
    texts = [*job.parameters["files"], *job.parameters["items_files"]]
    images = job.parameters["images"]
    return sum(file["bytes"] for file in texts), sum(file["bytes"] for file in images)


def _stored(parameters: dict[str, Any]) -> list[dict[str, Any]]:
    return [*parameters["files"], *parameters["items_files"], *parameters["images"]]


@dataclass(frozen=True, slots=True)
class OpenUpload:
    """The readable files of an upload. `names` maps their paths to their original names.

    `fmt` is the format that was named or recognised. `images` is an archive, if there is one. `table`
    describes the first file if it is a table.
    """

    fmt: str
    corpus: list[Path]
    items: list[Path]
    images: Path | None
    names: dict[str, str]
    table: OpenTable | None

    def describe(self, error: Exception) -> str:
        """Return the error's message with the original file names."""
        return describe_error(error, self.names)

    def options(self, parameters: dict[str, Any]) -> CorpusOptions:
        """Return the options of the job's import."""
        settings = parameters["settings"]
        return CorpusOptions(
            fmt=self.fmt,
            items=self.items,
            images=self.images,
            search=parameters["search"],
            domain=parameters["domain"],
            partition=parameters["partition"],
            strict=parameters["strict"],
            update=Setting.UPDATE.parameter in settings,
            align=Setting.ALIGN.parameter in settings,
            rescale=Setting.RESCALE_BOXES.parameter in settings,
        )


@contextmanager
def open_upload(job: Job) -> Iterator[OpenUpload]:
    """Yield the files of an upload. Raise FileError with their original names."""
    project = Project.objects.get(slug=job.scope)
    corpus = scheme_of(project).corpus
    options = reading_of(job.parameters)
    with open_uploads(_stored(job.parameters)) as (paths, names), ExitStack() as stack:
        count = len(job.parameters["files"])
        images = paths.pop() if job.parameters["images"] else None
        try:
            files = stack.enter_context(_opened(project, paths[:count], job.parameters))
            items = stack.enter_context(open_items(paths[count:], corpus=corpus, options=options))
        except FileError as error:
            raise with_names(error, names) from error
        of_copies = {
            copy: names.get(name, name) for copy, name in {**items.names, **files.names}.items()
        }
        yield OpenUpload(
            fmt=files.fmt,
            corpus=files.paths,
            items=items.paths,
            images=images,
            names={**names, **of_copies},
            table=files.table,
        )


def _run(run: JobRun) -> dict[str, Any]:
    project = Project.objects.get(slug=run.job.scope)
    try:
        with open_upload(run.job) as upload:
            if upload.fmt != run.job.parameters["format"]:
                run.job.parameters["format"] = upload.fmt
                run.job.save(update_fields=["parameters"])
            return _import(run, project, upload)
    except (FileError, ColumnsError) as error:
        raise JobFailedError(str(error)) from error
    except OSError as error:
        raise JobFailedError(f"The upload cannot be read: {error}.") from error


def _import(run: JobRun, project: Project, upload: OpenUpload) -> dict[str, Any]:
    options = upload.options(run.job.parameters)
    counts: Counter[str] = Counter()
    earlier = run.job.result

    def progress(unit: str, count: int) -> None:
        counts[unit] += count
        store_counts()
        run.report(**counts)

    def store_counts() -> None:
        # A strict import that fails stores nothing.
        if not options.strict:
            run.result = _with_earlier(earlier, importer.report.counts())

    with BadRows(renamed=lambda error: with_names(error, upload.names)) as bad_rows:
        importer = Import(project=project, options=options, on_error=bad_rows, progress=progress)
        try:
            problem = _problem_of(importer, upload)
        except Exception:
            store_counts()
            raise
        # A strict import that fails adds nothing and reports its first bad row.
        result = {} if problem and options.strict else _result(importer.report, upload, bad_rows)
    result = _with_earlier(earlier, result) if result else {}
    if problem:
        raise JobFailedError(problem, result=result)
    return result


def _with_earlier(earlier: dict[str, Any], counts: dict[str, Any]) -> dict[str, Any]:
    """Return the counts of all attempts. What an earlier one has stored is known to the next."""
    total = dict(counts)
    for unit in ("sentences", "items"):
        stored = 0
        for change in ("added", "updated"):
            before = earlier.get(f"{unit}_{change}", 0)
            total[f"{unit}_{change}"] += before
            stored += before
        total[f"{unit}_known"] = max(0, total[f"{unit}_known"] - stored)
    return total


def _problem_of(importer: Import, upload: OpenUpload) -> str:
    """Run the import, and return why it failed or an empty text."""
    try:
        report = importer.run(upload.corpus)
    except (FileError, OSError, UnicodeDecodeError) as error:
        nothing = " Nothing was imported." if importer.options.strict else ""
        return f"{upload.describe(error)}{nothing}"
    return (
        f"None of the {report.error_count:,} rows could be imported." if report.is_useless else ""
    )


def _result(report: ImportReport, upload: OpenUpload, bad_rows: BadRows) -> dict[str, Any]:
    result = {
        **report.counts(),
        "errors": stored_errors(report.errors, upload.names),
        "warnings": stored_errors(report.warnings, upload.names),
    }
    if bad_rows.count:
        result["bad_rows"] = store_bad_rows(bad_rows.content())
    return result


KIND = JobKind(
    run=_run,
    clean_up=lambda job: delete_uploads(_stored(job.parameters)),
    reads_uploads=True,
)
