"""The dataset: a gold file per domain and partition, its sentences beside it, a data card and a
manifest.

Everything is streamed. A file takes its final name only when it is whole, and the manifest comes
last, so that a folder with a manifest is a complete export. The same gold gives the same bytes.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import Exists, Max, OuterRef, Q, QuerySet

from annotation.domain.collector import without_collector
from annotation.models import Project, Sentence
from consolidation.domain.data_card import write_data_card
from consolidation.domain.export_jsonl import write_jsonl
from consolidation.domain.export_rows import Given, gold_rows, sentence_rows, with_gold
from consolidation.domain.partitions import check_frozen
from consolidation.enums import GoldSource
from consolidation.models import Gold, Partitioning
from schemes.base import ExportRow, SentenceRecord
from schemes.registry import get_scheme

SUFFIXES = {"qasrl-csv": "csv", "qasrl-bank": "jsonl.gz", "jsonl": "jsonl"}
# Formats that keep what every annotator said, not the gold alone.
WITH_JUDGMENTS = ("qasrl-bank",)
FIRST_CASES = Q(case=None) | Q(case__place=0)
MANIFEST, DATA_CARD = "manifest.json", "README.md"


class NothingToExport(Exception):
    """No gold matches."""


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What to export, and how. Workers leave as pseudonyms unless `raw_worker_ids`; `licence` is the
    SPDX identifier that the requester chose."""

    fmt: str
    source: str = GoldSource.CONSOLIDATED
    domain: str | None = None
    partition: str | None = None
    raw_worker_ids: bool = False
    licence: str = ""


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


def formats_of(project: Project) -> list[str]:
    """The formats that the project's gold can be exported in."""
    return [*get_scheme(project.scheme).export_formats, "jsonl"]


def export_gold(*, project: Project, options: ExportOptions, folder: Path) -> Export:
    """Write the newest gold of the source into `folder`.

    Raises NothingToExport, PartitionError where frozen partitions have been changed, and OSError.
    """
    partitioning = check_frozen(project=project)
    gold = Gold.objects.filter(FIRST_CASES, item__project=project, source=options.source)
    # What is accepted meanwhile belongs to the next export.
    gold = gold.filter(pk__lte=gold.aggregate(last=Max("pk"))["last"] or 0)
    groups = _groups(project, options, gold)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MANIFEST).unlink(missing_ok=True)
    counts = Counts()
    files: dict[str, Any] = {}
    with without_collector():
        for domain, partition in groups:
            sentences = Sentence.objects.filter(project=project, domain=domain, partition=partition)
            stem = folder / f"{domain or project.slug}.{partition or 'all'}"
            given = Given(options.raw_worker_ids, options.fmt in WITH_JUDGMENTS)
            rows = gold_rows(gold=gold, sentences=sentences, given=given)
            files |= _write_gold(project, options.fmt, _counted(rows, counts), stem)
            files |= _write_sentences(project, sentence_rows(gold=gold, sentences=sentences), stem)
    manifest = _manifest(project, options, partitioning, files, counts)
    with _whole_file(folder / DATA_CARD) as path:
        write_data_card(path=path, project=project, manifest=manifest)
        files[DATA_CARD] = _described(path, None)
    with _whole_file(folder / MANIFEST) as path:
        path.write_text(json.dumps(manifest, indent=2, sort_keys=True) + "\n", "utf-8")
    return Export(folder=folder, manifest=manifest)


def standing_gold(project: Project, source: str) -> QuerySet[Gold]:
    """The newest version of each item's gold from this source. Second consolidations, made to measure
    agreement, are not among them."""
    newer = Gold.objects.filter(
        FIRST_CASES,
        item=OuterRef("item"),
        source=OuterRef("source"),
        version__gt=OuterRef("version"),
    )
    return Gold.objects.filter(FIRST_CASES, item__project=project, source=source).exclude(
        Exists(newer)
    )


def _groups(
    project: Project, options: ExportOptions, gold: QuerySet[Gold]
) -> list[tuple[str, str]]:
    """The pairs (domain, partition) to export. Raises NothingToExport, naming what there is."""
    everything = with_gold(Sentence.objects.filter(project=project), gold)
    there = sorted(set(everything.order_by().values_list("domain", "partition").distinct()))
    if not there:
        raise NothingToExport(f"{project.slug} has no {options.source} gold.")
    for at, name, wanted in ((0, "domain", options.domain), (1, "partition", options.partition)):
        known = sorted({pair[at] for pair in there})
        if wanted is not None and wanted not in known:
            listed = ", ".join(one or "(none)" for one in known)
            raise NothingToExport(
                f"{project.slug} has no {options.source} gold of the {name} {wanted!r}; "
                f"there is gold of: {listed}."
            )
    found = [
        (domain, partition)
        for domain, partition in there
        if options.domain in (None, domain) and options.partition in (None, partition)
    ]
    if not found:
        raise NothingToExport(
            f"{project.slug} has no {options.source} gold of the domain {options.domain!r} in the "
            f"partition {options.partition!r}."
        )
    return found


def _write_gold(
    project: Project, fmt: str, rows: Iterable[ExportRow], stem: Path
) -> dict[str, Any]:
    target = stem.with_name(f"{stem.name}.gold.{SUFFIXES[fmt]}")
    with _whole_file(target) as path:
        if fmt == "jsonl":
            written = write_jsonl(rows=rows, path=path)
        else:
            written = get_scheme(project.scheme).write_gold(rows, path, fmt=fmt)
        return {target.name: _described(path, written)}


def _write_sentences(
    project: Project, rows: Iterable[SentenceRecord], stem: Path
) -> dict[str, Any]:
    target = stem.with_name(f"{stem.name}.sentences.csv")
    with _whole_file(target) as path:
        written = get_scheme(project.scheme).write_sentences(rows, path)
        return {target.name: _described(path, written)}


def _counted(rows: Iterable[ExportRow], counts: Counts) -> Iterator[ExportRow]:
    for row in rows:
        questions = row.content.get("questions", [])
        counts.items += 1
        counts.questions += len(questions)
        counts.answers += sum([len(one.get("answers", ())) for one in questions])
        yield row


def _described(path: Path, rows: int | None) -> dict[str, Any]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"rows": rows, "bytes": path.stat().st_size, "sha256": digest}


def _manifest(
    project: Project,
    options: ExportOptions,
    partitioning: Partitioning | None,
    files: dict[str, Any],
    counts: Counts,
) -> dict[str, Any]:
    scheme = get_scheme(project.scheme)
    return {
        "software": f"touchstone {settings.VERSION}",
        "project": project.slug,
        "scheme": project.scheme,
        "schema_version": scheme.schema_version,
        "rules": dict(scheme.rules),
        "seed": project.seed,
        "format": options.fmt,
        "source": str(options.source),
        "licence": options.licence,
        "filters": {"domain": options.domain, "partition": options.partition},
        "partitions": _partitions(partitioning),
        "worker_ids": "raw" if options.raw_worker_ids else "pseudonyms",
        "counts": {
            "items": counts.items,
            "questions": counts.questions,
            "answers": counts.answers,
        },
        "files": files,
    }


def _partitions(partitioning: Partitioning | None) -> dict[str, Any] | None:
    """How the partitions were drawn; None where they came with the corpus and nobody froze them."""
    if partitioning is None:
        return None
    return {
        "unit": partitioning.unit,
        "seed": partitioning.seed,
        "shares": partitioning.shares,
        "frozen": partitioning.frozen_at and partitioning.frozen_at.isoformat(),
        "digest": partitioning.digest,
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
