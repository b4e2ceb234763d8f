"""The dataset: a gold file per domain and partition, its sentences beside it, a data card and a
manifest.

Everything is streamed. A file takes its final name only when it is whole, and the manifest comes
last, so that a folder with a manifest is a complete export. The same gold gives the same bytes.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import Max, QuerySet

from annotation.domain.collector import without_collector
from annotation.models import Project, Sentence
from consolidation.domain.data_card import write_data_card
from consolidation.domain.export_jsonl import write_jsonl
from consolidation.domain.export_rows import Given, Stretch, gold_rows, stretches_of, with_gold
from consolidation.domain.on_all_cores import do_shares, shares_for
from consolidation.domain.partitions import check_frozen
from consolidation.domain.record_gold import own_source
from consolidation.domain.standing_gold import FIRST_CASES
from consolidation.enums import GoldSource
from consolidation.models import Gold, Partitioning
from schemes.base import ExportRow, SentenceRecord, SentenceSink
from schemes.registry import get_scheme

SUFFIXES = {"qasrl-csv": "csv", "qasrl-bank": "jsonl.gz", "jsonl": "jsonl"}
# Formats that keep what every annotator said, not the gold alone.
WITH_JUDGMENTS = ("qasrl-bank",)
MANIFEST, DATA_CARD = "manifest.json", "README.md"
# Stretches of sentences below which a process costs more than it saves.
LEAST_STRETCHES = 4
BUFFER = 1 << 20
LITTLE_CACHE = 4_000  # KiB
# The ending of folders with files that are to become one.
PARTS = ".parts"


class NothingToExport(Exception):
    """No gold matches."""


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What to export, and how; without a `source`, what the project makes itself. Workers leave as
    pseudonyms unless `raw_worker_ids`; `licence` is the SPDX identifier that the requester chose."""

    fmt: str
    source: str = ""
    domain: str | None = None
    partition: str | None = None
    raw_worker_ids: bool = False
    licence: str = ""


@dataclass
class Counts:
    """What the exported rows hold in all."""

    sentences: int = 0
    items: int = 0
    questions: int = 0
    answers: int = 0

    def add(self, other: "Counts") -> None:
        self.sentences += other.sentences
        self.items += other.items
        self.questions += other.questions
        self.answers += other.answers


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
    options = replace(options, source=options.source or own_source(project))
    gold = Gold.objects.filter(FIRST_CASES, item__project=project, source=options.source)
    # What is accepted meanwhile belongs to the next export.
    gold = gold.filter(pk__lte=Gold.objects.aggregate(last=Max("pk"))["last"] or 0)
    groups = _groups(project, options, gold)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MANIFEST).unlink(missing_ok=True)
    for left in folder.glob(f".*{PARTS}"):  # by an export that was killed
        shutil.rmtree(left, ignore_errors=True)
    each = [_Files(project, options, gold, domain, partition) for domain, partition in groups]
    with without_collector():
        files, counts = _write_files(each, folder)
    manifest = _manifest(project, options, partitioning, files, counts)
    with _whole_file(folder / DATA_CARD) as path:
        write_data_card(path=path, project=project, manifest=manifest)
        files[DATA_CARD] = _described(path, None)
    with _whole_file(folder / MANIFEST) as path:
        path.write_text(json.dumps(manifest, indent=2, sort_keys=True) + "\n", "utf-8")
    return Export(folder=folder, manifest=manifest)


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


def _write_files(each: Sequence["_Files"], folder: Path) -> tuple[dict[str, Any], Counts]:
    """The gold and, in the same breath, the sentences that it is about: in stretches of the sentences,
    which are divided among as many processes as there are cores."""
    files, counts = {}, Counts()
    with TemporaryDirectory(prefix=".", suffix=PARTS, dir=folder) as scratch:
        for of, parts in zip(each, _write_parts(each, Path(scratch)), strict=True):
            for one in parts:
                counts.add(one.counts)
            gold, sentences = f"{of.name}.gold.{of.suffix}", f"{of.name}.sentences.csv"
            rows = {
                gold: sum(one.rows for one in parts),
                sentences: sum(one.counts.sentences for one in parts),
            }
            with _whole_file(folder / gold) as path, _whole_file(folder / sentences) as beside:
                for one in parts:
                    _append(one.path, path)
                    _append(_beside(one.path), beside)
                files[gold] = _described(path, rows[gold])
                files[sentences] = _described(beside, rows[sentences])
    return files, counts


def _write_parts(each: Sequence["_Files"], scratch: Path) -> list[list["_Written"]]:
    """For each of the files its parts, in their order."""
    stretches = [stretches_of(of.sentences()) for of in each]
    many = shares_for(sum(map(len, stretches)), at_least=LEAST_STRETCHES)
    shares: list[list[partial[_Written]]] = [[] for _ in range(many)]
    for at, (of, all_of_it) in enumerate(zip(each, stretches, strict=True)):
        step = -(-len(all_of_it) // many)
        for number, first in enumerate(range(0, len(all_of_it), step)):
            path = scratch / f"{at}.{number}.{of.suffix}"
            shares[number].append(
                partial(_write_part, at, of, all_of_it[first : first + step], path)
            )
    done = do_shares([partial(_do_all, share) for share in shares])
    return [[one for share in done for one in share if one.of == at] for at in range(len(each))]


def _do_all(work: Sequence[Callable[[], "_Written"]]) -> list["_Written"]:
    with _little_cache():
        return [one() for one in work]


@contextmanager
def _little_cache() -> Iterator[None]:
    """Each row is read once. SQLite would keep as much of them as a connection may, in each process."""
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
    """What stands in the files of one domain and partition."""

    project: Project
    options: ExportOptions
    gold: QuerySet[Gold]
    domain: str
    partition: str

    @property
    def name(self) -> str:
        return f"{self.domain or self.project.slug}.{self.partition or 'all'}"

    @property
    def suffix(self) -> str:
        return SUFFIXES[self.options.fmt]

    def sentences(self) -> QuerySet[Sentence]:
        return Sentence.objects.filter(
            project=self.project, domain=self.domain, partition=self.partition
        )

    def rows(self, stretch: Stretch) -> Iterator[ExportRow]:
        given = Given(
            raw_worker_ids=self.options.raw_worker_ids,
            judgments=self.options.fmt in WITH_JUDGMENTS,
            validated=self.options.source == GoldSource.VALIDATED,
        )
        after, last = stretch
        sentences = self.sentences().filter(pk__gt=after, pk__lte=last)
        return gold_rows(gold=self.gold, sentences=sentences, given=given)


@dataclass(frozen=True, slots=True)
class _Written:
    """A part of the files `of`, by their place: where it lies, its rows of gold, and what they hold."""

    of: int
    path: Path
    rows: int
    counts: Counts


def _write_part(at: int, of: _Files, stretches: list[Stretch], path: Path) -> _Written:
    """Whole stretches, each as a file and then added to the others: so the bytes, those of packed files
    too, don't depend on how many share the work."""
    scheme, fmt = get_scheme(of.project.scheme), of.options.fmt
    counts, written = Counts(), 0
    piece = path.with_name(f"piece-{path.name}")
    for stretch in stretches:
        with scheme.sentence_file(_beside(piece)) as add:
            passing = _noted(of.rows(stretch), counts, add)
            if fmt == "jsonl":
                written += write_jsonl(rows=passing, path=piece)
            else:
                written += scheme.write_gold(passing, piece, fmt=fmt)
        _append(piece, path)
        _append(_beside(piece), _beside(path))
    return _Written(at, path, written, counts)


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.sentences.csv")


def _append(part: Path, path: Path) -> None:
    """Move the part to the end of the file, which has its header already if it has anything."""
    with part.open("rb") as source, path.open("ab") as file:
        if file.tell() and part.suffix == ".csv":
            source.readline()
        shutil.copyfileobj(source, file, BUFFER)
    part.unlink()


def _noted(
    rows: Iterable[ExportRow], counts: Counts, add_sentence: SentenceSink
) -> Iterator[ExportRow]:
    """The rows, those of one sentence together, counted as they pass; each sentence is added once."""
    last = None
    for row in rows:
        if row.external_id != last:
            last = row.external_id
            add_sentence(SentenceRecord(last, row.tokens, 0))
            counts.sentences += 1
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
