"""The dataset: one gold file per domain and partition, its sentences beside it, and a manifest.

Everything is streamed. A file takes its final name only when it is whole, and the manifest comes
last, so that a folder with a manifest is a complete export. The same gold gives the same bytes.
"""

import hashlib
import hmac
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet

from annotation.domain.import_corpus import batched
from annotation.models import Project, Sentence
from consolidation.enums import GoldSource
from consolidation.models import CaseSource, Gold
from schemes.base import ExportRow, Json, SentenceRecord
from schemes.registry import get_scheme

CHUNK = 2000
SUFFIXES = {"qasrl-csv": "csv", "qasrl-bank": "jsonl.gz"}


class NothingToExport(Exception):
    """No gold matches."""


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What to export, and how. Workers leave as pseudonyms unless `raw_worker_ids`."""

    fmt: str
    source: str = GoldSource.CONSOLIDATED
    domain: str | None = None
    partition: str | None = None
    raw_worker_ids: bool = False


@dataclass
class Counts:
    """What the exported rows hold in all."""

    items: int = 0
    questions: int = 0
    answers: int = 0


@dataclass
class Export:
    """A finished export: its manifest and where it lies."""

    folder: Path
    manifest: dict[str, Any] = field(default_factory=dict)


def export_gold(*, project: Project, options: ExportOptions, folder: Path) -> Export:
    """Write the newest gold of the source into `folder`. Raises NothingToExport, OSError."""
    groups = _groups(project, options)
    if not groups:
        raise NothingToExport(f"{project.slug} has no {options.source} gold that matches.")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "manifest.json").unlink(missing_ok=True)
    counts = Counts()
    files: dict[str, Any] = {}
    for group in groups:
        files |= _export_group(project, options, folder, group, counts)
    manifest = _manifest(project, options, files, counts)
    with _whole_file(folder / "manifest.json") as path:
        path.write_text(json.dumps(manifest, indent=2, sort_keys=True) + "\n", "utf-8")
    return Export(folder=folder, manifest=manifest)


def standing_gold(project: Project, source: str) -> QuerySet[Gold]:
    """The newest version of each item's gold from this source."""
    newer = Gold.objects.filter(
        item=OuterRef("item"), source=OuterRef("source"), version__gt=OuterRef("version")
    )
    return Gold.objects.filter(item__project=project, source=source).exclude(Exists(newer))


def _groups(project: Project, options: ExportOptions) -> list[tuple[str, str]]:
    sentences = Sentence.objects.filter(project=project, items__gold__source=options.source)
    if options.domain is not None:
        sentences = sentences.filter(domain=options.domain)
    if options.partition is not None:
        sentences = sentences.filter(partition=options.partition)
    return sorted(set(sentences.order_by().values_list("domain", "partition").distinct()))


def _export_group(
    project: Project, options: ExportOptions, folder: Path, group: tuple[str, str], counts: Counts
) -> dict[str, Any]:
    domain, partition = group
    stem = f"{domain or project.slug}.{partition or 'all'}"
    scheme = get_scheme(project.scheme)
    gold = standing_gold(project, options.source).filter(
        item__sentence__domain=domain, item__sentence__partition=partition
    )
    gold_name = f"{stem}.gold.{SUFFIXES[options.fmt]}"
    sentences_name = f"{stem}.sentences.csv"
    with _whole_file(folder / gold_name) as path:
        rows = scheme.write_gold(_counted(_rows(gold, options), counts), path, fmt=options.fmt)
    with _whole_file(folder / sentences_name) as path:
        sentences = scheme.write_sentences(_sentences(gold), path)
    return {
        gold_name: _described(folder / gold_name, rows),
        sentences_name: _described(folder / sentences_name, sentences),
    }


def _rows(gold: QuerySet[Gold], options: ExportOptions) -> Iterator[ExportRow]:
    stream = (
        gold.order_by("item__sentence_id", "item_id")
        .values_list(
            "item__sentence__external_id",
            "item__sentence__tokens",
            "item__target",
            "content",
            "provenance",
            "case_id",
            "submission__worker__external_id",
            "submission__worker__pseudonym",
            "submission__assignment__external_id",
        )
        .iterator(chunk_size=CHUNK)
    )
    for batch in batched(stream, CHUNK):
        sources = _source_assignments({row[5] for row in batch if row[5]})
        for external_id, tokens, target, content, provenance, case, raw, pseudonym, own in batch:
            worker = raw if options.raw_worker_ids else pseudonym
            origins = [
                _origin(one, sources.get(case, []), worker, own, options) for one in provenance
            ]
            yield ExportRow(external_id, tuple(tokens), target, content, origins)


def _source_assignments(cases: set[int]) -> dict[int, list[str]]:
    """The assignments behind each case's sources, in the order of their positions."""
    found: dict[int, list[str]] = {}
    sources = CaseSource.objects.filter(case__in=cases).order_by("case_id", "position")
    for case, assignment in sources.values_list("case_id", "submission__assignment__external_id"):
        found.setdefault(case, []).append(assignment or "")
    return found


def _origin(
    one: Json,
    sources: list[str],
    worker: str | None,
    assignment: str | None,
    options: ExportOptions,
) -> Json:
    """Where a question came from, in ids that may leave the house."""
    if worker is None:  # imported gold: the ids are those of its file
        given = one.get("worker_id", "")
        kept = given if options.raw_worker_ids or not given else foreign_pseudonym(given)
        return {**one, "worker_id": kept}
    position = one.get("source")
    return {
        "worker_id": worker,
        "assign_id": assignment or "",
        "source_assign_id": sources[position] if position is not None else "",
    }


def foreign_pseudonym(worker_id: str) -> str:
    """A pseudonym for a worker whom only an imported file knows: the same for the same id."""
    digest = hmac.new(settings.SECRET_KEY.encode(), worker_id.encode(), hashlib.sha256)
    return "X" + digest.hexdigest()[:9].upper()


def _counted(rows: Iterable[ExportRow], counts: Counts) -> Iterator[ExportRow]:
    for row in rows:
        questions = row.content.get("questions", [])
        counts.items += 1
        counts.questions += len(questions)
        counts.answers += sum(len(one.get("answers", ())) for one in questions)
        yield row


def _sentences(gold: QuerySet[Gold]) -> Iterator[SentenceRecord]:
    sentences = Sentence.objects.filter(Exists(gold.filter(item__sentence=OuterRef("pk"))))
    stream = sentences.order_by("pk").values_list("external_id", "tokens")
    for external_id, tokens in stream.iterator(chunk_size=CHUNK):
        yield SentenceRecord(external_id, tuple(tokens), 0)


def _described(path: Path, rows: int) -> dict[str, Any]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"rows": rows, "bytes": path.stat().st_size, "sha256": digest}


def _manifest(
    project: Project, options: ExportOptions, files: dict[str, Any], counts: Counts
) -> dict[str, Any]:
    return {
        "software": f"touchstone {settings.VERSION}",
        "project": project.slug,
        "scheme": project.scheme,
        "schema_version": get_scheme(project.scheme).schema_version,
        "seed": project.seed,
        "format": options.fmt,
        "source": str(options.source),
        "filters": {"domain": options.domain, "partition": options.partition},
        "worker_ids": "raw" if options.raw_worker_ids else "pseudonyms",
        "counts": {
            "items": counts.items,
            "questions": counts.questions,
            "answers": counts.answers,
        },
        "files": files,
    }


@contextmanager
def _whole_file(path: Path) -> Iterator[Path]:
    """A path to write to, which becomes `path` if all goes well and nothing if not."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield unfinished
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
