"""Export a dataset: gold and sentences by domain and partition, a data card and a manifest.

All data is streamed. A file gets its final name when it is complete, and the manifest comes last. A
folder with a manifest is therefore a complete export. The same gold gives the same bytes.
"""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import Max, QuerySet
from django.forms.models import model_to_dict

from annotation.models import Sentence
from audit.errors import TouchstoneError
from consolidation.domain.current_gold import FIRST_CASES
from consolidation.domain.record_gold import own_source
from consolidation.enums import GoldSource
from consolidation.models import Gold
from datasets.domain.data_card import write_data_card
from datasets.domain.export_jsonl import write_jsonl
from datasets.domain.export_rows import ExportFields, gold_rows, with_gold
from datasets.domain.partitions import check_frozen
from datasets.models import Partitioning
from projects.models import Project
from schemes.base import ExportRow, SentenceRecord, SentenceSink
from schemes.registry import get_scheme

SUFFIXES = {"qasrl-csv": "csv", "qasrl-bank": "jsonl.gz", "jsonl": "jsonl"}
# Formats with every annotator's judgments besides the gold.
WITH_JUDGMENTS = ("qasrl-bank",)
MANIFEST, DATA_CARD = "manifest.json", "README.md"
LITTLE_CACHE = 4_000  # KiB


class NothingToExportError(TouchstoneError):
    """No gold matches."""


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """The options of an export.

    Without a `source`, the gold that the project produces is exported. Workers are pseudonyms
    unless `raw_worker_ids` is set. `licence` is an SPDX identifier.
    """

    fmt: str
    source: str = ""
    domain: str | None = None
    partition: str | None = None
    raw_worker_ids: bool = False
    licence: str = ""


Counts = Counter[str]  # totals of exported sentences, items, questions and answers


@dataclass(frozen=True, slots=True)
class Export:
    """A finished export with its folder and manifest."""

    folder: Path
    manifest: dict[str, Any]


def formats_of(project: Project) -> list[str]:
    """Return the export formats of the project's gold."""
    return [*get_scheme(project.scheme).export_formats, "jsonl"]


def export_gold(*, project: Project, options: ExportOptions, folder: Path) -> Export:
    """Write the newest gold of the source to `folder`.

    Raise NothingToExportError, OSError, and PartitionError if frozen partitions have changed.
    """
    partitioning = check_frozen(project=project)
    options = replace(options, source=options.source or own_source(project))
    gold = Gold.objects.filter(FIRST_CASES, item__project=project, source=options.source)
    # Gold added during the export belongs to the next one.
    gold = gold.filter(pk__lte=Gold.objects.aggregate(last=Max("pk"))["last"] or 0)
    groups = _groups(project, options, gold)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MANIFEST).unlink(missing_ok=True)
    files_of_groups = [_Files(project, options, gold, *group) for group in groups]
    with _little_cache():
        files, counts = _write_files(files_of_groups, folder)
    manifest = _manifest(project, options, partitioning, files, counts)
    with _whole_file(folder / DATA_CARD) as path:
        write_data_card(path=path, project=project, manifest=manifest)
        files[DATA_CARD] = _described(path, None)
    with _whole_file(folder / MANIFEST) as path:
        path.write_text(manifest_text(manifest), "utf-8")
    return Export(folder=folder, manifest=manifest)


def manifest_text(manifest: dict[str, Any]) -> str:
    return json.dumps(manifest, indent=2, sort_keys=True) + "\n"


def _groups(
    project: Project, options: ExportOptions, gold: QuerySet[Gold]
) -> list[tuple[str, str]]:
    """Return the pairs (domain, partition) to export. Raise NothingToExportError."""
    everything = with_gold(Sentence.objects.filter(project=project), gold)
    available = sorted(set(everything.order_by().values_list("domain", "partition").distinct()))
    no_gold = f"{project.slug} has no {options.source} gold"
    if not available:
        raise NothingToExportError(f"{no_gold}.")
    for at, name, value in ((0, "domain", options.domain), (1, "partition", options.partition)):
        known = sorted({pair[at] for pair in available})
        if value is not None and value not in known:
            listed = ", ".join(label or "(none)" for label in known)
            raise NothingToExportError(f"{no_gold} of the {name} {value!r}. Choose from: {listed}.")
    groups = [
        (domain, partition)
        for domain, partition in available
        if options.domain in (None, domain) and options.partition in (None, partition)
    ]
    if not groups:
        raise NothingToExportError(
            f"{no_gold} of the domain {options.domain!r} in the partition {options.partition!r}."
        )
    return groups


def _write_files(groups: Sequence["_Files"], folder: Path) -> tuple[dict[str, Any], Counts]:
    """Write each gold file and the file of its sentences."""
    files, total = {}, Counts()
    for group in groups:
        counts = Counts()
        gold = f"{group.name}.gold.{SUFFIXES[group.options.fmt]}"
        sentences = f"{group.name}.sentences.csv"
        with _whole_file(folder / gold) as path, _whole_file(folder / sentences) as beside:
            rows = _write_group(group, counts, path, beside)
            files[gold] = _described(path, rows)
            files[sentences] = _described(beside, counts["sentences"])
        total += counts
    return files, total


def _write_group(group: "_Files", counts: Counts, path: Path, beside: Path) -> int:
    """Write one file of gold and return the number of its rows."""
    scheme, fmt = get_scheme(group.project.scheme), group.options.fmt
    with scheme.sentence_file(beside) as add:
        rows = _noted(group.rows(), counts, add)
        if fmt == "jsonl":
            return write_jsonl(rows=rows, path=path)
        return scheme.write_gold(rows, path, fmt=fmt)


@contextmanager
def _little_cache() -> Iterator[None]:
    """Limit the page cache of SQLite, because an export reads each row once."""
    if connection.vendor != "sqlite":
        yield
        return
    with connection.cursor() as cursor:
        (before,) = cursor.execute("PRAGMA cache_size").fetchone()
        cursor.execute(f"PRAGMA cache_size = {-LITTLE_CACHE}")
        try:
            yield
        finally:
            cursor.execute(f"PRAGMA cache_size = {before}")


@dataclass(frozen=True, slots=True)
class _Files:
    """The gold and sentence files of a domain and partition."""

    project: Project
    options: ExportOptions
    gold: QuerySet[Gold]
    domain: str
    partition: str

    @property
    def name(self) -> str:
        return f"{self.domain or self.project.slug}.{self.partition or 'all'}"

    def rows(self) -> Iterator[ExportRow]:
        sentences = Sentence.objects.filter(
            project=self.project, domain=self.domain, partition=self.partition
        )
        fields = ExportFields(
            raw_worker_ids=self.options.raw_worker_ids,
            judgments=self.options.fmt in WITH_JUDGMENTS,
            validated=self.options.source == GoldSource.VALIDATED,
        )
        return gold_rows(gold=self.gold, sentences=sentences, options=fields)


def _noted(
    rows: Iterable[ExportRow], counts: Counts, add_sentence: SentenceSink
) -> Iterator[ExportRow]:
    """Yield the rows, count them, and add each sentence once.

    The rows of a sentence must be adjacent.
    """
    last = None
    for row in rows:
        if row.external_id != last:
            last = row.external_id
            add_sentence(SentenceRecord(last, row.tokens, 0))
            counts["sentences"] += 1
        questions = row.content.get("questions", [])
        counts["items"] += 1
        counts["questions"] += len(questions)
        counts["answers"] += sum([len(question.get("answers", ())) for question in questions])
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
        "counts": {name: counts[name] for name in ("items", "questions", "answers")},
        "files": files,
    }


def _partitions(partitioning: Partitioning | None) -> dict[str, Any] | None:
    """Describe the partitions. Return None if the corpus defined them and they aren't frozen."""
    if partitioning is None:
        return None
    frozen = partitioning.frozen_at and partitioning.frozen_at.isoformat()
    return model_to_dict(partitioning, ["unit", "seed", "shares", "digest"]) | {"frozen": frozen}


@contextmanager
def _whole_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path that replaces `path` on success and is deleted on failure."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield unfinished
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
