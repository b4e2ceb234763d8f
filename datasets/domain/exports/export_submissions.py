"""Export every accepted submission of a project, with a file per role."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import orjson
from django.db.models import Max, QuerySet

from annotation.models import Submission
from audit.errors import TouchstoneError
from datasets.domain.exports.export_jsonl import BUFFER, OPTIONS
from datasets.domain.exports.export_rows import EXPERT, MODEL
from projects.domain.schemes import scheme_of
from projects.enums import Role
from projects.models import Project
from schemes.contract.records import SubmittedRow
from schemes.contract.scheme import Scheme
from schemes.contract.values import Json
from schemes.registry import SCHEMES

JSONL = "jsonl"
# The folder of individual annotations, and the source of an export without gold.
ANNOTATIONS = "annotations"
CHUNK = 500
_Write = Callable[[Iterable[SubmittedRow], Path], int]


class SubmissionFormatError(TouchstoneError):
    """The scheme has no such format of submissions, or the project has no submission."""


@dataclass(frozen=True, slots=True)
class SubmissionOptions:
    """The format and the filters of exported submissions.

    Workers are pseudonyms unless `raw_worker_ids` is set.
    """

    fmt: str
    domain: str | None = None
    partition: str | None = None
    raw_worker_ids: bool = False


def submission_formats() -> list[str]:
    """Return the formats of all schemes."""
    return sorted({fmt for scheme in SCHEMES.values() for fmt in submission_formats_of(scheme)})


def submission_formats_of(scheme: Scheme) -> list[str]:
    """Return the formats in which the scheme's submissions can be exported."""
    return list(_writers(scheme))


def submissions_of(
    project: Project, *, domain: str | None = None, partition: str | None = None
) -> QuerySet[Submission]:
    """Return the accepted submissions of production items."""
    rows = Submission.objects.accepted().filter(item__project=project, item__in_production=True)
    if domain is not None:
        rows = rows.filter(item__sentence__domain=domain)
    if partition is not None:
        rows = rows.filter(item__sentence__partition=partition)
    return rows


def export_submissions(
    *, project: Project, options: SubmissionOptions, folder: Path
) -> dict[str, int]:
    """Write the accepted submissions of production items. Return the rows by file name.

    Raise SubmissionFormatError and OSError.
    """
    writers, fmt = _writers(scheme_of(project)), options.fmt
    if fmt not in writers:
        raise SubmissionFormatError(
            f"{project.slug} has no format {fmt!r} of submissions. Choose from: {', '.join(writers)}."
        )
    submissions = submissions_of(project, domain=options.domain, partition=options.partition)
    # Work accepted during the export belongs to the next one.
    submissions = submissions.filter(pk__lte=submissions.aggregate(last=Max("pk"))["last"] or 0)
    roles = [role for role in Role.values if submissions.filter(role=role).exists()]
    if not roles:
        raise SubmissionFormatError(f"{project.slug} has no accepted submission.")
    folder.mkdir(parents=True, exist_ok=True)
    worker_field = "external_id" if options.raw_worker_ids else "pseudonym"
    counts = {}
    for role in roles:
        path = folder / f"{project.slug}.{role}.{'jsonl' if fmt == JSONL else 'csv'}"
        rows = _rows(submissions.filter(role=role), role, worker_field)
        counts[path.name] = _write_whole(writers[fmt], rows, path)
    return counts


def _writers(scheme: Scheme) -> dict[str, _Write]:
    exports = scheme.exports
    return {**(exports.submissions if exports else {}), JSONL: _write_jsonl}


def _write_whole(write: _Write, rows: Iterable[SubmittedRow], path: Path) -> int:
    """Write a file, which appears only when it is complete."""
    partial = path.with_name(path.name + ".part")
    try:
        count = write(rows, partial)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return count


def _rows(
    submissions: QuerySet[Submission], role: str, worker_field: str
) -> Iterator[SubmittedRow]:
    fields = (
        "item__sentence__external_id",
        "item__sentence__tokens",
        "item__sentence__text",
        "item__sentence__offsets",
        "item__sentence__group",
        "item__target",
        f"worker__{worker_field}",
        "assignment__external_id",
        "content",
        "original",
        "original_version",
        "system",
    )
    ordered = submissions.order_by("item__sentence_id", "item_id", "pk").values_list(*fields)
    for external_id, tokens, text, offsets, document, *more in ordered.iterator(CHUNK):
        target, worker, assignment, content, original, version, system = more
        yield SubmittedRow(
            external_id=external_id,
            tokens=tuple(tokens),
            target=target,
            role=role,
            worker_id=f"{MODEL}{system}" if system else worker or EXPERT,
            assign_id=assignment or "",
            content=content,
            text=text,
            offsets=offsets,
            document=document,
            original=original,
            original_version=version,
        )


def _write_jsonl(rows: Iterable[SubmittedRow], path: Path) -> int:
    count = 0
    with path.open("wb", buffering=BUFFER) as file:
        for row in rows:
            line: Json = {
                "sentence_id": row.external_id,
                "tokens": row.tokens,
                "target": row.target,
                "role": row.role,
                "worker_id": row.worker_id,
                "assign_id": row.assign_id,
                "content": row.content,
            }
            if row.original is not None:
                line["original"] = row.original
                line["original_version"] = row.original_version
            if row.document:
                line["document"] = row.document
            if row.text:
                line["text"] = row.text
            if row.offsets:
                line["offsets"] = row.offsets
            file.write(orjson.dumps(line, option=OPTIONS))
            count += 1
    return count
