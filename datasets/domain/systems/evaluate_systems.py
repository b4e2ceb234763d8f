"""Evaluations of systems against a project's gold or an uploaded reference, run by a worker process."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet

from annotation.domain.corpus.text_encodings import all_as_utf_8
from annotation.domain.corpus.uploads import (
    delete_uploads,
    describe_error,
    open_uploads,
    store_uploads,
)
from audit.errors import TouchstoneError
from consolidation.domain.cases.queries import count_gold
from datasets.domain.exports.export_gold import ExportOptions, export_gold
from jobs.domain.kinds import JobFailedError, JobKind, JobRun
from jobs.domain.queries import jobs_of
from jobs.domain.queue_job import queue_job
from jobs.models import Job
from metrics.intervals import Interval
from projects.domain.schemes import scheme_of
from projects.models import Project
from schemes.contract.errors import FileError
from schemes.contract.records import SentenceRecord
from schemes.contract.scoring import ScoredSystem, SystemScoring, TypeTable
from schemes.reports import UsageError

if TYPE_CHECKING:  # numpy is slow to import
    from metrics.document_bootstrap import Difference

EVALUATION = "system-evaluation"
REPETITIONS = 1000
MAX_SYSTEMS = 12


class EvaluationError(TouchstoneError):
    """Files or options with which nothing can be evaluated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """The project's newest gold of a source, of one partition or all, or uploaded files."""

    source: str = ""
    partition: str = ""
    files: "Sequence[UploadedFile[bytes]]" = ()


def evaluations_of(project: Project) -> QuerySet[Job]:
    """Return the project's evaluations of systems, newest first."""
    return jobs_of(scope=project.slug, kind=EVALUATION)


def queue_evaluation(
    *,
    project: Project,
    reference: Reference,
    systems: "Sequence[UploadedFile[bytes]]",
    sentences: "Sequence[UploadedFile[bytes]]" = (),
    variant: str = "",
    skip_bad_rows: bool = False,
    actor: str,
    now: datetime,
) -> Job:
    """Store the files and queue an evaluation. Raise EvaluationError and MissingPartError.

    Without a `variant`, the scheme's first is used.
    """
    variants = scheme_of(project).get_scoring().variants
    variant = variant or next(iter(variants), "")
    if variant and variant not in variants:
        raise EvaluationError(f"There is no task {variant!r}. Choose from: {', '.join(variants)}.")
    _check_reference(project, reference)
    _check_systems(systems)
    stored: list[dict[str, Any]] = []
    groups = {"reference": reference.files, "systems": systems, "sentences": sentences}
    try:
        files = {}
        for name, uploads in groups.items():
            files[name] = store_uploads(uploads)
            stored += files[name]
        return queue_job(
            kind=EVALUATION,
            scope=project.slug,
            parameters={
                "source": reference.source,
                "partition": reference.partition,
                "variant": variant,
                "skip_bad_rows": skip_bad_rows,
                "files": files["systems"],
                "reference_files": files["reference"],
                "sentences_files": files["sentences"],
            },
            actor=actor,
            now=now,
        )
    except BaseException:
        delete_uploads(stored)
        raise


def _check_reference(project: Project, reference: Reference) -> None:
    if not reference.source and not reference.files:
        raise EvaluationError("Choose the project's gold as the reference, or upload a file.")
    if reference.source and reference.files:
        raise EvaluationError("Choose the project's gold or upload a reference, but not both.")
    sources = count_gold(project=project).items_by_source
    if reference.source and reference.source not in sources:
        raise EvaluationError(f"The project has no {reference.source} gold.")


def _check_systems(systems: "Sequence[UploadedFile[bytes]]") -> None:
    if not 0 < len(systems) <= MAX_SYSTEMS:
        raise EvaluationError(f"Upload 1 to {MAX_SYSTEMS} systems, not {len(systems)}.")
    names = [name_of(file.name or "") for file in systems]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise EvaluationError(
            f"Two files are called {repeated[0]}. Each system needs a name of its own."
        )


def name_of(file: str) -> str:
    """Return the name of a system, which is that of its file without the suffix."""
    return PurePath(file).name.removesuffix(".gz").rpartition(".")[0] or PurePath(file).name


def _run(run: JobRun) -> dict[str, Any]:
    project = Project.objects.get(slug=run.job.scope)
    parameters = run.job.parameters
    scoring = scheme_of(project).get_scoring()
    names: dict[str, str] = {}
    try:
        with _open_files(project, scoring, parameters, names) as (reference, systems, sentences):
            scored = scoring.score(
                reference=reference,
                systems=systems,
                variant=parameters["variant"],
                sentences=sentences,
                skip_bad_rows=parameters["skip_bad_rows"],
            )
    except (FileError, UsageError, UnicodeDecodeError) as error:
        raise JobFailedError(describe_error(error, names)) from error
    except (TouchstoneError, OSError) as error:
        raise JobFailedError(str(error)) from error
    return {
        "items": scored.items,
        "documents": scored.documents,
        "facts": dict(scored.facts),
        **_compared(project, scoring, scored.systems, parameters["files"]),
    }


@contextmanager
def _open_files(
    project: Project, scoring: SystemScoring, parameters: Mapping[str, Any], names: dict[str, str]
) -> Iterator[tuple[list[Path], list[Path], list[Path]]]:
    """Yield the paths of the reference, the systems and the sentences. Add their original names."""
    with ExitStack() as stack:
        opened = []
        copies = stack.enter_context(TemporaryDirectory(prefix="utf-8-", dir=settings.VAR_DIR))
        for group in ("reference_files", "files", "sentences_files"):
            paths, of_paths = stack.enter_context(open_uploads(parameters[group]))
            readable = all_as_utf_8(paths, Path(copies, group))
            opened.append(readable)
            names |= of_paths
            names |= {
                str(copy): of_paths[str(path)] for copy, path in zip(readable, paths, strict=True)
            }
        reference, systems, sentences = opened
        if parameters["source"]:
            folder = stack.enter_context(TemporaryDirectory(prefix="gold-", dir=settings.VAR_DIR))
            options = ExportOptions(
                fmt=scoring.export_format,
                source=parameters["source"],
                partition=parameters["partition"] or None,
            )
            export_gold(project=project, options=options, folder=Path(folder))
            reference = scoring.reference_files(Path(folder), parameters["variant"])
            if scoring.sentences_help and not sentences:
                sentences = [_write_sentences(project, Path(folder, "corpus.csv"))]
        yield reference, systems, sentences


def _write_sentences(project: Project, path: Path) -> Path:
    """Write all sentences of the project, because systems annotate more than has gold."""
    exports = scheme_of(project).exports
    assert exports is not None
    assert exports.sentence_file is not None
    with exports.sentence_file(path) as add:
        for row in project.sentences.order_by("pk").iterator():
            add(SentenceRecord(row.external_id, tuple(row.tokens), 0, text=row.text))
    return path


def _compared(
    project: Project,
    scoring: SystemScoring,
    systems: Sequence[ScoredSystem],
    files: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """Return the figures, differences and tables by type as JSON."""
    from metrics.document_bootstrap import compare_systems  # noqa: PLC0415  # loads numpy

    compared = compare_systems(
        [system.scores for system in systems], repetitions=REPETITIONS, seed=project.seed
    )
    return {
        "repetitions": REPETITIONS,
        "seed": project.seed,
        "measures": [asdict(measure) for measure in scoring.measures],
        "systems": [
            {
                "name": name_of(file["name"]),
                "facts": dict(system.facts),
                "figures": {
                    key: {"value": value, **_bounds(intervals[key])}
                    for key, value in figures.items()
                },
            }
            for file, system, figures, intervals in zip(
                files, systems, compared.figures, compared.intervals, strict=True
            )
        ],
        "differences": [
            {"first": first, "second": second, "measure": measure.key}
            | _difference(by_key[measure.key])
            for measure in scoring.measures
            if measure.is_main
            for (first, second), by_key in compared.differences.items()
        ],
        "types": tables_json([system.types for system in systems]),
    }


def _bounds(interval: Interval) -> dict[str, float | None]:
    return {"low": interval.low, "high": interval.high}


def _difference(difference: "Difference") -> dict[str, float | None]:
    return {
        "value": difference.value,
        **_bounds(difference.interval),
        "p_value": difference.p_value,
        "adjusted": difference.adjusted,
    }


def tables_json(by_system: Sequence[Sequence[TypeTable]]) -> list[dict[str, Any]]:
    """Return each table by type, with the figures of all systems in each row."""
    tables = []
    for of_systems in zip(*by_system, strict=True):
        first = of_systems[0]
        # A type that only a system has is missing from the other systems' tables.
        kinds = list(dict.fromkeys(kind for table in of_systems for kind in table.rows))
        rows = []
        for kind in kinds:
            of_kind = [table.rows.get(kind) for table in of_systems]
            rows.append(
                {
                    "type": kind,
                    "count": max(row.count for row in of_kind if row),
                    "systems": [dict(row.figures) if row else {} for row in of_kind],
                }
            )
        tables.append(
            {
                "title": first.title,
                "unit": first.unit,
                "measures": [
                    {"key": measure.key, "title": measure.title} for measure in first.measures
                ],
                "rows": rows,
                **({"is_signed": True} if first.is_signed else {}),
            }
        )
    return tables


def _clean_up(job: Job) -> None:
    files = ("files", "reference_files", "sentences_files")
    delete_uploads(file for group in files for file in job.parameters[group])


KIND = JobKind(run=_run, clean_up=_clean_up, reads_uploads=True)
